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

void drawClipped(QCPPainter& painter, const QPolygonF& points, const QRectF& rect) {
    QPolygonF piece;
    const auto finish = [&] {
        if (piece.size() > 1)
            painter.drawPolyline(piece);
        piece.clear();
    };
    for (qsizetype i = 1; i < points.size(); ++i) {
        const auto part = inside({points[i - 1], points[i]}, rect);
        if (!part) {
            finish();
            continue;
        }
        if (piece.isEmpty() || piece.last() != part->p1()) {
            finish();
            piece << part->p1();
        }
        piece << part->p2();
    }
    finish();
}

}  // namespace straightedge::ui
