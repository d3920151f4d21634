// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <set>
#include <vector>

#include "marker.h"
#include "qcp.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// What the curve shows of one block. y is NaN where the score is undefined.
struct ProfilePoint {
    int block = 0;
    double y = 0;
    bool massive = false;  // its score is mostly a few massive rows: ringed
};

// One run's curve. Neighbouring blocks are joined; an undefined or missing block is a gap, and a point
// between two gaps is drawn all the same. Everything outside the axes is cut off here, because SVG files know
// no clipping.
class ProfileCurve : public QCPGraph {
    Q_OBJECT

  public:
    ProfileCurve(QCustomPlot& plot, RunId run);

    RunId run() const { return m_run; }
    const CurveLook& look() const { return m_look; }
    void setLook(const CurveLook& look, const QColor& ring);
    void setPoints(const std::vector<ProfilePoint>& points);
    bool isRinged(int block) const { return m_massive.contains(block); }
    bool hasRings() const { return !m_massive.empty(); }
    // Stretches of blocks that are joined by a line, as indices of data(): [first, last].
    std::vector<std::pair<int, int>> stretches() const;

  protected:
    void draw(QCPPainter* painter) override;

  private:
    double spacing() const;     // pixels from block to block
    double markerSize() const;  // smaller where blocks stand close

    RunId m_run;
    CurveLook m_look;
    QColor m_ring;
    std::set<int> m_massive;
};

}  // namespace straightedge::ui
