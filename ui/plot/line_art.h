// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QPolygonF>
#include <vector>

#include "marker.h"
#include "qcp.h"

namespace straightedge::ui {

// A line through points in coordinates of the axes, with a marker where something is to be seen.
struct Stroke {
    QPolygonF points;
    CurveLook look;
    std::vector<std::pair<QPointF, QString>> marks = {};  // with a word beside
};

// Lines of a plot of curves: through points, or level at one height.
class LineArt : public QCPLayerable {
    Q_OBJECT

  public:
    explicit LineArt(QCustomPlot& plot) : QCPLayerable(&plot, QStringLiteral("main")) {}

    void set(std::vector<Stroke> strokes) { m_strokes = std::move(strokes); }
    const std::vector<Stroke>& strokes() const { return m_strokes; }
    void setInk(const QFont& font, const QColor& ink) {
        m_font = font;
        m_ink = ink;
    }

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override;

  private:
    std::vector<Stroke> m_strokes;
    QFont m_font;
    QColor m_ink;
};

}  // namespace straightedge::ui
