// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_curve.h"

#include <algorithm>
#include <cmath>

#include "clipped_line.h"

namespace straightedge::ui {

ProfileCurve::ProfileCurve(QCustomPlot& plot, RunId run) : QCPGraph(plot.xAxis, plot.yAxis), m_run(run) {
    setSelectable(QCP::stNone);
    removeFromLegend();
}

void ProfileCurve::setLook(const CurveLook& look, const QColor& ring) {
    m_look = look;
    m_ring = ring;
    setPen(curvePen(look));
}

void ProfileCurve::setPoints(const std::vector<ProfilePoint>& points) {
    QVector<double> keys, values;
    m_massive.clear();
    for (const ProfilePoint& point : points) {
        keys.push_back(point.block);
        values.push_back(point.y);
        if (point.massive)
            m_massive.insert(point.block);
    }
    setData(keys, values, true);
}

std::vector<std::pair<int, int>> ProfileCurve::stretches() const {
    std::vector<std::pair<int, int>> found;
    for (int i = 0; i < mDataContainer->size(); ++i) {
        const QCPGraphData& point = *mDataContainer->at(i);
        if (std::isnan(point.value))
            continue;
        const bool joins =
            !found.empty() && found.back().second == i - 1 && mDataContainer->at(i - 1)->key == point.key - 1;
        if (joins)
            found.back().second = i;
        else
            found.emplace_back(i, i);
    }
    return found;
}

double ProfileCurve::spacing() const {
    return std::abs(mKeyAxis->coordToPixel(1) - mKeyAxis->coordToPixel(0));
}

double ProfileCurve::markerSize() const {
    return std::clamp(0.55 * spacing(), 0.45 * m_look.markerSize, m_look.markerSize);
}

void ProfileCurve::draw(QCPPainter* painter) {
    const QRectF rect = mKeyAxis->axisRect()->rect();
    const double size = markerSize();
    const bool crowded = spacing() < 1.2 * m_look.markerSize;
    applyDefaultAntialiasingHint(painter);
    QPolygonF marked;
    for (const auto& [first, last] : stretches()) {
        QPolygonF points;
        for (int i = first; i <= last; ++i)
            points << coordsToPixels(mDataContainer->at(i)->key, mDataContainer->at(i)->value);
        painter->setPen(mPen);
        painter->setBrush(Qt::NoBrush);
        drawClipped(*painter, points, rect);
        if (!crowded || points.size() == 1)
            marked << points;
    }
    for (const QPointF& point : marked)
        if (rect.contains(point))
            drawMarker(*painter, m_look, point, size);
    painter->setBrush(Qt::NoBrush);
    painter->setPen(QPen(m_ring, 1.1));
    for (const int block : m_massive) {
        const auto at = mDataContainer->findBegin(block, false);
        if (at == mDataContainer->constEnd() || std::isnan(at->value))
            continue;
        if (const QPointF point = coordsToPixels(at->key, at->value); rect.contains(point))
            painter->drawEllipse(point, size / 2 + 3.2, size / 2 + 3.2);
    }
}

}  // namespace straightedge::ui
