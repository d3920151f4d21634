// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plot/line_art.h"
#include "plot/run_plot.h"

namespace straightedge::ui {

// Curves of the chosen blocks, as they are stored or as they grow.
class CurvePlot : public RunPlot {
    Q_OBJECT

  public:
    enum class Kind {
        Rank,      // held-out R² of the fit's best rank k over k
        Training,  // of probes over steps, against the closed-form line
        Healing,   // loss of a batch over steps
    };
    CurvePlot(Kind kind, RunList& runs, PointSelection& selection, PlotStyle style,
              QWidget* parent = nullptr);

    struct Curve {
        PointId block;
        QString name;  // of the probe or layer; empty: of the block itself
        std::vector<double> x, y;
        CurveLook look;
        std::optional<double> level = {};                         // of the closed-form line, drawn dashed
        std::vector<std::pair<std::size_t, QString>> marks = {};  // index, word
    };
    // What there is to show of these blocks, without looks.
    static std::vector<Curve> curvesOf(Kind kind, const RunList& runs, const std::vector<PointId>& blocks);

    const std::vector<Curve>& curves() const { return m_curves; }
    QString toText(QChar separator) const;
    QString hoverText(PointId point, int part = 0) const override;
    std::unique_ptr<RunPlot> sameFor(RunList& runs, PointSelection& selection,
                                     PlotStyle style) const override;

  protected:
    std::vector<Spot> rebuild(const RunEntry& entry) override;
    void drop(RunId) override {}
    void scaleAxes() override;
    void fitAxes() override;
    void rebuilt() override;
    QString emptyText() const override;
    std::vector<RunLegend::Key> legendKeys() const override;
    std::vector<RunLegend::Entry> legendEntries(bool) const override { return {}; }
    bool marksChosen() const override { return false; }

  private:
    void follow(RunId changed = 0);
    void collect();
    QString nameOf(const Curve& curve) const;

    Kind m_kind;
    std::vector<PointId> m_blocks;
    std::vector<Curve> m_curves;
    LineArt* m_art;  // owned by the plot
};

}  // namespace straightedge::ui
