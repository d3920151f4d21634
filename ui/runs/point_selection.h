// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <set>

#include "run_list.h"

namespace straightedge::ui {

// The chosen points, shared by every plot and table: whoever changes it, all show it.
class PointSelection : public QObject {
    Q_OBJECT

  public:
    using QObject::QObject;
    using Points = std::set<PointId>;

    const Points& points() const { return m_points; }
    bool contains(PointId point) const { return m_points.contains(point); }

    void set(Points points) {
        if (points == m_points)
            return;
        m_points = std::move(points);
        Q_EMIT changed();
    }
    void toggle(PointId point) {
        if (!m_points.erase(point))
            m_points.insert(point);
        Q_EMIT changed();
    }
    void forget(RunId run) {
        if (std::erase_if(m_points, [run](const PointId& point) { return point.run == run; }) > 0)
            Q_EMIT changed();
    }

  Q_SIGNALS:
    void changed();

  private:
    Points m_points;
};

}  // namespace straightedge::ui
