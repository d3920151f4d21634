// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost_points.h"

#include <algorithm>
#include <functional>

#include "style/colours.h"

namespace straightedge::ui {

namespace {

constexpr double cap = 2.5;  // half the width of an error bar's ends, in pixels

}  // namespace

QPointF CostPoints::pixel(double key, double value) const {
    return {mParentPlot->xAxis->coordToPixel(key), mParentPlot->yAxis->coordToPixel(value)};
}

// The error bar, and the line to the block's next replacement. All lines are upright.
void CostPoints::drawLines(QCPPainter& painter, const CostPoint& point, const CostPoint* next) const {
    const QRectF area = mParentPlot->axisRect()->rect();
    const auto upright = [&](double x, double from, double to) {
        if (x >= area.left() && x <= area.right() && std::max(from, to) >= area.top() &&
            std::min(from, to) <= area.bottom())
            painter.drawLine(QPointF(x, std::clamp(from, area.top(), area.bottom())),
                             QPointF(x, std::clamp(to, area.top(), area.bottom())));
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
        if (area.contains(QPointF(here.x() - cap, end)) && area.contains(QPointF(here.x() + cap, end)))
            painter.drawLine(QPointF(here.x() - cap, end), QPointF(here.x() + cap, end));
}

// The costliest first; a name that would lie over another is left out.
void CostPoints::drawNames(QCPPainter& painter) const {
    const QRectF area = mParentPlot->axisRect()->rect();
    const QFontMetricsF metrics(m_font);
    std::vector<const CostPoint*> named;
    for (const auto& [run, points] : m_points)
        for (const CostPoint& point : points)
            if (point.named && area.contains(pixel(point.key, point.value)))
                named.push_back(&point);
    std::ranges::stable_sort(named, std::greater(), &CostPoint::value);
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
        taken.push_back(place);
        painter.drawText(place, Qt::AlignCenter, name);
    }
}

void CostPoints::draw(QCPPainter* painter) {
    const QRectF area = mParentPlot->axisRect()->rect();
    painter->setAntialiasing(true);
    painter->setBrush(Qt::NoBrush);
    for (const auto& [run, points] : m_points)
        for (std::size_t i = 0; i < points.size(); ++i)
            drawLines(
                *painter, points[i],
                i + 1 < points.size() && points[i + 1].block == points[i].block ? &points[i + 1] : nullptr);
    for (const auto& [run, points] : m_points)
        for (const CostPoint& point : points) {
            const QPointF at = pixel(point.key, point.value);
            if (!area.contains(at))
                continue;
            drawMarker(*painter, point.look, at, point.look.markerSize);
            if (point.ringed) {
                painter->setBrush(Qt::NoBrush);
                painter->setPen(QPen(m_ink, 1.1));
                painter->drawEllipse(at, point.look.markerSize / 2 + 3.2, point.look.markerSize / 2 + 3.2);
            }
        }
    drawNames(*painter);
}

}  // namespace straightedge::ui
