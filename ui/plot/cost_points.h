// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <vector>

#include "marker.h"
#include "qcp.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// One replacement of one block in the plot of costs, in coordinates of the axes.
struct CostPoint {
    int block = 0;
    double key = 0, value = 0;
    double low = 0, high = 0;  // one standard error either side
    CurveLook look;
    bool ringed = false;  // its R² is mostly a few massive rows
    bool named = false;   // the block's number stands beside it
};

// The points of all visible runs. A block's replacements are joined, so that the eye sees how far one map
// falls below the other. Cut off at the axes here, because SVG files know no clipping.
class CostPoints : public QCPLayerable {
    Q_OBJECT

  public:
    explicit CostPoints(QCustomPlot& plot) : QCPLayerable(&plot, QStringLiteral("main")) {}

    void set(RunId run, std::vector<CostPoint> points) { m_points[run] = std::move(points); }
    void drop(RunId run) { m_points.erase(run); }
    const std::map<RunId, std::vector<CostPoint>>& points() const { return m_points; }
    void setInk(const QFont& font, const QColor& ink) {
        m_font = font;
        m_ink = ink;
    }

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override;

  private:
    QPointF pixel(double key, double value) const;
    void drawLines(QCPPainter& painter, const CostPoint& point, const CostPoint* next) const;
    void drawNames(QCPPainter& painter) const;

    std::map<RunId, std::vector<CostPoint>> m_points;
    QFont m_font;
    QColor m_ink;
};

}  // namespace straightedge::ui
