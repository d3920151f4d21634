// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>

#include "qcp.h"

namespace straightedge::ui {

// Draws the part of a polyline inside a rectangle, because SVG files know no clipping. A pen's dashes stand
// where they would in the whole line.
void drawClipped(QCPPainter& painter, std::span<const QPointF> points, const QRectF& rect);

}  // namespace straightedge::ui
