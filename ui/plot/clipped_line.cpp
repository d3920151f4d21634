// SPDX-License-Identifier: GPL-3.0-or-later
#include "clipped_line.h"

#include <algorithm>
#include <optional>

namespace straightedge::ui {

namespace {

// The part of a line inside a rectangle (Liang and Barsky).
std::optional<QLineF> inside(const QLineF& line, const QRectF& rect) {
    double from = 0, to = 1;
    const auto cut = [&](double direction, double distance) {
        if (direction == 0)
            return distance >= 0;
        const double t = distance / direction;
        (direction < 0 ? from : to) = direction < 0 ? std::max(from, t) : std::min(to, t);
        return from <= to;
    };
    if (!cut(-line.dx(), line.x1() - rect.left()) || !cut(line.dx(), rect.right() - line.x1()) ||
        !cut(-line.dy(), line.y1() - rect.top()) || !cut(line.dy(), rect.bottom() - line.y1()))
        return std::nullopt;
    return QLineF(line.pointAt(from), line.pointAt(to));
}

}  // namespace

void drawClipped(QCPPainter& painter, std::span<const QPointF> points, const QRectF& rect) {
    QPen pen = painter.pen();
    const bool dashed = pen.style() != Qt::SolidLine;
    QPolygonF piece;
    double length = 0;  // of the line before this segment
    double before = 0;  // of the line before this piece
    const auto finish = [&] {
        if (piece.size() > 1) {
            if (dashed) {
                pen.setDashOffset(before / pen.widthF());
                painter.setPen(pen);
            }
            painter.drawPolyline(piece);
        }
        piece.clear();
    };
    for (std::size_t i = 1; i < points.size(); ++i) {
        const QLineF segment(points[i - 1], points[i]);
        const auto part = inside(segment, rect);
        if (!part) {
            finish();
        } else {
            if (piece.isEmpty() || piece.last() != part->p1()) {
                finish();
                piece << part->p1();
                before = length + (dashed ? QLineF(points[i - 1], part->p1()).length() : 0);
            }
            piece << part->p2();
        }
        length += dashed ? segment.length() : 0;
    }
    finish();
}

}  // namespace straightedge::ui
