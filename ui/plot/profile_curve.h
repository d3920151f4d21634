// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "data_sheet.h"
#include "marker.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// What the curve shows of one block. y is NaN where the score is undefined.
struct ProfilePoint {
    int block = 0;
    double y = 0;
    bool massive = false;  // its score is mostly a few massive rows: ringed
};

// One run's curve. Neighbouring blocks are joined; an undefined or missing block is a gap, and a point
// between two gaps is drawn all the same.
struct ProfileCurve {
    CurveLook look;
    QColor ring;
    bool visible = true;
    std::vector<ProfilePoint> points;  // by block

    bool isRinged(int block) const;
    bool hasRings() const;
    // Stretches of blocks that are joined by a line, as indices of points: [first, last].
    std::vector<std::pair<int, int>> stretches() const;
};

// All runs' curves.
class ProfileCurves : public DataSheet {
    Q_OBJECT

  public:
    explicit ProfileCurves(QCustomPlot& plot) : DataSheet(plot) {}

    void set(RunId run, ProfileCurve curve);
    void drop(RunId run);
    const ProfileCurve* find(RunId run) const;                           // null: none
    bool any(const std::function<bool(const ProfileCurve&)>& is) const;  // of the visible ones

  protected:
    void drawPart(QCPPainter& painter, const QRectF& part) override;

  private:
    void drawCurve(QCPPainter& painter, const ProfileCurve& curve, const QRectF& part, bool oneOfMany) const;

    std::map<RunId, ProfileCurve> m_curves;
};

}  // namespace straightedge::ui
