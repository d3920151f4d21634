// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <vector>

#include "data_sheet.h"
#include "marker.h"
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
// falls below the other.
class CostPoints : public DataSheet {
    Q_OBJECT

  public:
    explicit CostPoints(QCustomPlot& plot) : DataSheet(plot) {}

    void set(RunId run, std::vector<CostPoint> points);
    void drop(RunId run);
    const std::map<RunId, std::vector<CostPoint>>& points() const { return m_points; }
    void setInk(const QFont& font, const QColor& ink);

  protected:
    void drawPart(QCPPainter& painter, const QRectF& part) override;
    void drawOver(QCPPainter& painter) override;  // the names of blocks

  private:
    void drawLines(QCPPainter& painter, const CostPoint& point, const CostPoint* next,
                   const QRectF& part) const;

    std::map<RunId, std::vector<CostPoint>> m_points;
    QFont m_font;
    QColor m_ink;
};

}  // namespace straightedge::ui
