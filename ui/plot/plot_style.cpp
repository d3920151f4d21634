// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_style.h"

#include <QApplication>
#include <QFontInfo>

namespace straightedge::ui {

namespace {

PlotStyle styleWith(const Colours& colours, int pixels) {
    PlotStyle style;
    style.colours = colours;
    style.font = QApplication::font();
    style.font.setPixelSize(pixels);
    style.labelFont = style.font;
    style.labelFont.setPixelSize(pixels + 1);
    return style;
}

void styleAxis(QCPAxis& axis, const PlotStyle& style) {
    const QPen pen(style.colours.text, style.axisWidth, Qt::SolidLine, Qt::SquareCap);
    axis.setBasePen(pen);
    axis.setTickPen(pen);
    axis.setSubTickPen(pen);
    axis.setTickLength(0, 5);
    axis.setSubTickLength(0, 3);
    axis.setTickLabelFont(style.font);
    axis.setTickLabelColor(style.colours.text);
    axis.setTickLabelPadding(4);
    axis.setLabelFont(style.labelFont);
    axis.setLabelColor(style.colours.text);
    axis.setLabelPadding(6);
    axis.grid()->setPen(QPen(style.colours.grid, 1));
    axis.grid()->setSubGridVisible(false);
    axis.grid()->setZeroLinePen(QPen(style.colours.line, 1));
    axis.setSelectableParts(QCPAxis::spNone);
}

}  // namespace

PlotStyle PlotStyle::onScreen(const Colours& colours) {
    return styleWith(colours, QFontInfo(QApplication::font()).pixelSize());
}

PlotStyle PlotStyle::printed() {
    return styleWith(printColours(), 10);  // 7.5 pt, as journals ask for
}

void applyStyle(QCustomPlot& plot, const PlotStyle& style) {
    plot.setBackground(QBrush(style.colours.base));
    for (QCPAxis* axis : {plot.xAxis, plot.yAxis, plot.xAxis2, plot.yAxis2})
        styleAxis(*axis, style);
    plot.xAxis->grid()->setZeroLinePen(Qt::NoPen);  // block 0 is a block like any other
}

}  // namespace straightedge::ui
