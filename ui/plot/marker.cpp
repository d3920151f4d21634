// SPDX-License-Identifier: GPL-3.0-or-later
#include "marker.h"

#include <QPainter>
#include <QPainterPath>

#include "style/colours.h"

namespace straightedge::ui {

Marker markerFor(std::string_view activation) {
    const bool gated = activation.ends_with("gated");
    if (activation.starts_with("relu"))
        return Marker::Triangle;
    if (activation.starts_with("silu"))
        return gated ? Marker::Diamond : Marker::Cross;
    if (activation.starts_with("gelu") && gated)
        return Marker::TriangleDown;
    if (activation == "gelu" || activation.empty())
        return Marker::Disc;
    return activation.starts_with("gelu") ? Marker::Square : Marker::Cross;  // the tanh approximation of GELU
}

QPen curvePen(const CurveLook& look) {
    QPen pen(look.colour, look.published ? look.lineWidth * 0.85 : look.lineWidth);
    pen.setCapStyle(Qt::FlatCap);
    pen.setJoinStyle(Qt::RoundJoin);
    pen.setStyle(look.stroke);
    if (look.published)
        pen.setDashPattern({4.5, 2.8});
    return pen;
}

// Sizes are chosen so that all shapes carry about the same ink.
void drawMarker(QPainter& painter, const CurveLook& look, QPointF centre, double size) {
    painter.setPen(QPen(look.colour, look.published ? 1.2 : 1.0));
    painter.setBrush(blend(look.colour, look.background, look.published ? 0 : look.fill));
    const double r = size / 2;
    const auto triangle = [&](double up) {
        painter.drawPolygon(
            QPolygonF({centre + QPointF(0, -1.15 * r * up), centre + QPointF(1.1 * r, 0.8 * r * up),
                       centre + QPointF(-1.1 * r, 0.8 * r * up)}));
    };
    switch (look.marker) {
        case Marker::Disc:
            painter.drawEllipse(centre, r, r);
            break;
        case Marker::Square:
            painter.drawRect(QRectF(centre - QPointF(0.88 * r, 0.88 * r), QSizeF(1.76 * r, 1.76 * r)));
            break;
        case Marker::Triangle:
            triangle(1);
            break;
        case Marker::TriangleDown:
            triangle(-1);
            break;
        case Marker::Diamond:
            painter.drawPolygon(QPolygonF({centre + QPointF(0, -1.25 * r), centre + QPointF(1.05 * r, 0),
                                           centre + QPointF(0, 1.25 * r), centre + QPointF(-1.05 * r, 0)}));
            break;
        case Marker::Cross:
            painter.setPen(QPen(look.colour, look.published ? 1.4 : 2.0));
            painter.drawLine(centre - QPointF(r, r), centre + QPointF(r, r));
            painter.drawLine(centre - QPointF(r, -r), centre + QPointF(r, -r));
            break;
    }
}

void drawSample(QPainter& painter, const CurveLook& look, const QRectF& rect) {
    if (look.line) {
        QPen pen = curvePen(look);
        if (look.published)
            pen.setDashPattern({3.2, 2.0});  // two whole dashes either side
        painter.setPen(pen);
        painter.drawLine(QPointF(rect.left(), rect.center().y()), QPointF(rect.right(), rect.center().y()));
    }
    if (look.markerSize > 0)
        drawMarker(painter, look, rect.center(), look.markerSize);
}

}  // namespace straightedge::ui
