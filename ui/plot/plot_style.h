// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFont>

#include "marker.h"
#include "qcp.h"
#include "style/colours.h"

namespace straightedge::ui {

// How a figure looks. Sizes are in pixels of 1/96 inch, so that a figure is the same on screen, in a raster
// and in a vector file.
struct PlotStyle {
    Colours colours;
    QFont font;       // tick labels, legend
    QFont labelFont;  // axis titles
    double axisWidth = 1.0;
    double lineWidth = 1.6;
    double markerSize = 6.5;

    static PlotStyle onScreen(const Colours& colours);
    static PlotStyle printed();
};

void applyStyle(QCustomPlot& plot, const PlotStyle& style);

}  // namespace straightedge::ui
