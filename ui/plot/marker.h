// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QColor>
#include <QMetaType>
#include <QPointF>
#include <QRectF>
#include <string_view>

class QPainter;
class QPen;

namespace straightedge::ui {

// The shape of a point tells the block's activation.
enum class Marker { Disc, Square, Triangle, Diamond, TriangleDown, Cross };
Marker markerFor(std::string_view activation);

// How a run is drawn, in the plot, in the legend and in the lists.
struct CurveLook {
    QColor colour;
    QColor background;  // fills the open markers of published runs
    Marker marker = Marker::Disc;
    bool published = false;  // dashed, open markers
    Qt::PenStyle stroke = Qt::SolidLine;
    bool line = true;  // of the sample: points alone where there is no curve
    double fill = 1;   // of the marker: 0 is open
    double lineWidth = 1.6;
    double markerSize = 6.5;  // diameter; 0: none

    bool operator==(const CurveLook&) const = default;
};

void drawMarker(QPainter& painter, const CurveLook& look, QPointF centre, double size);
// A piece of the curve with one point on it.
void drawSample(QPainter& painter, const CurveLook& look, const QRectF& rect);
QPen curvePen(const CurveLook& look);

}  // namespace straightedge::ui

Q_DECLARE_METATYPE(straightedge::ui::CurveLook)
