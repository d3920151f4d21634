// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "qcp.h"

namespace straightedge::ui {

// Draws a polyline inside a rectangle, because SVG files know no clipping; as few pieces as possible, so that
// a dash pattern runs on over the points.
void drawClipped(QCPPainter& painter, const QPolygonF& points, const QRectF& rect);

}  // namespace straightedge::ui
