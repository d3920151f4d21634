// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost_points.h"

#include <algorithm>
#include <functional>

#include "style/colours.h"

namespace straightedge::ui {

namespace {

constexpr std::size_t mostNames = 60, mostAsked = 400;  // of blocks, beside their points
constexpr double cap = 2.5;                             // half the width of an error bar's ends, in pixels

}  // namespace

void CostPoints::set(RunId run, std::vector<CostPoint> points) {
    m_points[run] = std::move(points);
    changed();
}

void CostPoints::drop(RunId run) {
    m_points.erase(run);
    changed();
}

void CostPoints::setInk(const QFont& font, const QColor& ink) {
    m_font = font;
    m_ink = ink;
    changed();
}

// The error bar, and the line to the block's next replacement. All lines are upright.
void CostPoints::drawLines(QCPPainter& painter, const CostPoint& point, const CostPoint* next,
                           const QRectF& part) const {
    const auto upright = [&](double x, double from, double to) {
        if (x >= part.left() && x <= part.right() && std::max(from, to) >= part.top() &&
            std::min(from, to) <= part.bottom())
            painter.drawLine(QPointF(x, std::clamp(from, part.top(), part.bottom())),
                             QPointF(x, std::clamp(to, part.top(), part.bottom())));
    };
    const QPointF here = pixel(point.key, point.value);
    if (next && next->key == point.key) {
        painter.setPen(QPen(blend(point.look.colour, point.look.background, 0.4), 1));
        upright(here.x(), here.y(), pixel(next->key, next->value).y());
    }
    if (point.low >= point.high)
        return;
    painter.setPen(QPen(point.look.colour, 1));
    const double top = pixel(point.key, point.high).y(), bottom = pixel(point.key, point.low).y();
    upright(here.x(), top, bottom);
    for (const double end : {top, bottom})
        if (part.contains(QPointF(here.x() - cap, end)) && part.contains(QPointF(here.x() + cap, end)))
            painter.drawLine(QPointF(here.x() - cap, end), QPointF(here.x() + cap, end));
}

// The costliest first, and no more than can be read; a name that would lie over another is left out.
void CostPoints::drawOver(QCPPainter& painter) {
    const QRectF area = mParentPlot->axisRect()->rect();
    const QRectF within = coordinates(area);
    const QFontMetricsF metrics(m_font);
    std::vector<const CostPoint*> named;
    for (const auto& [run, points] : m_points)
        for (const CostPoint& point : points)
            if (point.named && within.contains(point.key, point.value))
                named.push_back(&point);
    const auto asked = std::min(named.size(), mostAsked);
    std::ranges::partial_sort(named, named.begin() + static_cast<std::ptrdiff_t>(asked), std::greater(),
                              &CostPoint::value);
    named.resize(asked);
    std::vector<QRectF> taken;
    painter.setPen(m_ink);
    painter.setFont(m_font);
    for (const CostPoint* point : named) {
        const QString name = QString::number(point->block);
        const QPointF at = pixel(point->key, point->value);
        const double gap = point->look.markerSize / 2 + (point->ringed ? 6 : 4);
        QRectF place(0, 0, metrics.horizontalAdvance(name) + 1, metrics.height());
        place.moveCenter(at);
        place.moveLeft(at.x() + gap);
        if (place.right() > area.right())
            place.moveRight(at.x() - gap);
        if (std::ranges::any_of(taken, [&](const QRectF& other) { return other.intersects(place); }))
            continue;
        if (taken.size() == mostNames)
            break;
        taken.push_back(place);
        painter.drawText(place, Qt::AlignCenter, name);
    }
}

void CostPoints::drawPart(QCPPainter& painter, const QRectF& part) {
    const QRectF within = coordinates(part);
    const auto beside = [&](const CostPoint& point) {
        return point.key < within.left() || point.key > within.right();
    };
    painter.setBrush(Qt::NoBrush);
    for (const auto& [run, points] : m_points)
        for (std::size_t i = 0; i < points.size(); ++i) {
            const CostPoint& point = points[i];
            const bool joined = i + 1 < points.size() && points[i + 1].block == point.block;
            const double other = joined ? points[i + 1].value : point.value;
            if (!beside(point) && std::max({point.value, point.high, other}) >= within.top() &&
                std::min({point.value, point.low, other}) <= within.bottom())
                drawLines(painter, point, joined ? &points[i + 1] : nullptr, part);
        }
    for (const auto& [run, points] : m_points)
        for (const CostPoint& point : points) {
            if (beside(point) || point.value < within.top() || point.value > within.bottom())
                continue;
            const QPointF at = pixel(point.key, point.value);
            drawMarker(painter, point.look, at, point.look.markerSize);
            if (point.ringed) {
                painter.setBrush(Qt::NoBrush);
                painter.setPen(QPen(m_ink, 1.1));
                painter.drawEllipse(at, point.look.markerSize / 2 + 3.2, point.look.markerSize / 2 + 3.2);
            }
        }
}

}  // namespace straightedge::ui
