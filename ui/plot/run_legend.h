// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <vector>

#include "plot_style.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// The legend beside the data, or above it in a narrow figure. No frame; hidden runs are faint. Where there is
// not room for all, the last line says how many more there are.
class RunLegend : public QCPLayoutElement {
    Q_OBJECT

  public:
    struct Entry {
        RunId run = 0;
        QString title, subtitle;
        CurveLook look;
        QString single = {};  // on one line; set by the legend
        bool visible = true;  // shown and with something to show
    };
    // What a sign in the plot means, below the runs.
    struct Key {
        QString text;
        std::optional<CurveLook> look = {};  // none: a ring
    };
    static Key ringKey();
    enum class Placement { Right, Above };

    RunLegend(QCustomPlot& plot, const PlotStyle& style);

    void setEntries(std::vector<Entry> entries, std::vector<Key> keys);
    Placement placement() const { return m_placement; }
    void setPlacement(Placement placement) { m_placement = placement; }
    std::optional<RunId> runAt(const QPointF& position) const;
    QRectF rectOf(RunId run) const;  // empty: not shown
    QSize minimumOuterSizeHint() const override;

  protected:
    void draw(QCPPainter* painter) override;

  private:
    struct Place {
        QRectF rect;
        int entry = -1;
        int key = -1;
        QString text = {};  // instead of an entry or a key
    };
    std::vector<Place> placesIn(const QRectF& area) const;
    double entryWidth(const Entry& entry, bool twoLines) const;
    double widthOf(const QString& text) const;
    double lineHeight() const;

    const PlotStyle& m_style;
    std::vector<Entry> m_entries;
    std::vector<Key> m_keys;
    Placement m_placement = Placement::Right;
};

}  // namespace straightedge::ui
