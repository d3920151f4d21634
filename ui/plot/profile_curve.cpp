// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_curve.h"

#include <algorithm>
#include <cmath>

#include "clipped_line.h"

namespace straightedge::ui {

namespace {

constexpr auto many = 32;  // visible curves: more are drawn thin, without markers

}  // namespace

bool ProfileCurve::isRinged(int block) const {
    return std::ranges::any_of(points,
                               [&](const auto& point) { return point.massive && point.block == block; });
}

bool ProfileCurve::hasRings() const {
    return std::ranges::any_of(points, &ProfilePoint::massive);
}

std::vector<std::pair<int, int>> ProfileCurve::stretches() const {
    std::vector<std::pair<int, int>> found;
    for (int i = 0; i < static_cast<int>(points.size()); ++i) {
        const ProfilePoint& point = points[static_cast<std::size_t>(i)];
        if (std::isnan(point.y))
            continue;
        const bool joins = !found.empty() && found.back().second == i - 1 &&
                           points[static_cast<std::size_t>(i) - 1].block == point.block - 1;
        if (joins)
            found.back().second = i;
        else
            found.emplace_back(i, i);
    }
    return found;
}

void ProfileCurves::set(RunId run, ProfileCurve curve) {
    m_curves.insert_or_assign(run, std::move(curve));
    changed();
}

void ProfileCurves::drop(RunId run) {
    m_curves.erase(run);
    changed();
}

const ProfileCurve* ProfileCurves::find(RunId run) const {
    const auto found = m_curves.find(run);
    return found == m_curves.end() ? nullptr : &found->second;
}

bool ProfileCurves::any(const std::function<bool(const ProfileCurve&)>& is) const {
    return std::ranges::any_of(m_curves,
                               [&](const auto& pair) { return pair.second.visible && is(pair.second); });
}

void ProfileCurves::drawPart(QCPPainter& painter, const QRectF& part) {
    const auto visible =
        std::ranges::count_if(m_curves, [](const auto& pair) { return pair.second.visible; });
    for (const auto& [run, curve] : m_curves)
        if (curve.visible)
            drawCurve(painter, curve, part, visible > many);
}

void ProfileCurves::drawCurve(QCPPainter& painter, const ProfileCurve& curve, const QRectF& part,
                              bool oneOfMany) const {
    const CurveLook& look = curve.look;
    // Markers are smaller where blocks stand close, and left out where they would touch.
    const double spacing = std::abs(pixel(1, 1).x() - pixel(0, 1).x());
    const double size = std::clamp(0.55 * spacing, 0.45 * look.markerSize, look.markerSize);
    const bool crowded = oneOfMany || spacing < 1.2 * look.markerSize;
    std::vector<QPointF> places(curve.points.size());
    std::ranges::transform(curve.points, places.begin(),
                           [this](const ProfilePoint& point) { return pixel(point.block, point.y); });
    const auto stretches = curve.stretches();
    QPen pen = curvePen(look);
    if (oneOfMany)
        pen.setWidthF(std::min(1.0, pen.widthF()));  // which is drawn many times faster, too
    painter.setBrush(Qt::NoBrush);
    for (const auto& [first, last] : stretches) {
        painter.setPen(pen);
        drawClipped(painter,
                    std::span(places).subspan(static_cast<std::size_t>(first),
                                              static_cast<std::size_t>(last - first + 1)),
                    part);
    }
    for (const auto& [first, last] : stretches)
        for (int i = first; i <= last && (!crowded || first == last); ++i)
            if (part.contains(places[static_cast<std::size_t>(i)]))
                drawMarker(painter, look, places[static_cast<std::size_t>(i)], size);
    painter.setBrush(Qt::NoBrush);
    painter.setPen(QPen(curve.ring, 1.1));
    for (std::size_t i = 0; i < places.size(); ++i)
        if (curve.points[i].massive && !std::isnan(curve.points[i].y) && part.contains(places[i]))
            painter.drawEllipse(places[i], size / 2 + 3.2, size / 2 + 3.2);
}

}  // namespace straightedge::ui
