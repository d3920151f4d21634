// SPDX-License-Identifier: GPL-3.0-or-later
#include "line_art.h"

#include "clipped_line.h"

namespace straightedge::ui {

void LineArt::draw(QCPPainter* painter) {
    const QRectF area = mParentPlot->axisRect()->rect();
    const auto pixel = [this](const QPointF& point) {
        return QPointF(mParentPlot->xAxis->coordToPixel(point.x()),
                       mParentPlot->yAxis->coordToPixel(point.y()));
    };
    painter->setAntialiasing(true);
    for (const Stroke& stroke : m_strokes) {
        QPolygonF points;
        for (const QPointF& point : stroke.points)
            points << pixel(point);
        painter->setPen(curvePen(stroke.look));
        painter->setBrush(Qt::NoBrush);
        drawClipped(*painter, points, area);
        // A curve that has only begun is a point.
        if (points.size() == 1 && area.contains(points.first()))
            drawMarker(*painter, stroke.look, points.first(), 4);
    }
    const QFontMetricsF metrics(m_font);
    painter->setFont(m_font);
    for (const Stroke& stroke : m_strokes)
        for (const auto& [point, word] : stroke.marks) {
            const QPointF at = pixel(point);
            if (!area.contains(at))
                continue;
            drawMarker(*painter, stroke.look, at, 6);
            QRectF place(0, 0, metrics.horizontalAdvance(word) + 1, metrics.height());
            place.moveTopLeft(at + QPointF(5, 3));
            if (place.right() > area.right())
                place.moveRight(at.x() - 5);
            painter->setPen(m_ink);
            painter->drawText(place, Qt::AlignCenter, word);
        }
}

}  // namespace straightedge::ui
