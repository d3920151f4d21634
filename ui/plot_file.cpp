// SPDX-License-Identifier: GPL-3.0-or-later
#include "plot_file.h"

#include <QApplication>
#include <memory>

#include "error.h"
#include "export/figure_file.h"
#include "study/export/export.h"

namespace straightedge::ui {

namespace {

// Qt keeps references to both for as long as its application lives.
int argumentCount = 1;
char programName[] = "straightedge";
char* arguments[] = {programName, nullptr};

std::unique_ptr<QApplication> applicationIfNone() {
    if (qobject_cast<QApplication*>(QCoreApplication::instance()))
        return nullptr;
    if (QCoreApplication::instance())
        throw Error({.what = "a plot cannot be drawn by a program without windows",
                     .advice = "this is an error of the program; please report it"});
    // A figure needs no screen.
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM"))
        qputenv("QT_QPA_PLATFORM", "offscreen");
    return std::make_unique<QApplication>(argumentCount, arguments);
}

}  // namespace

void checkPlotFile(const std::filesystem::path& file) {
    figureFormatOf(file);
    study::checkWritable(file);
}

void renderProfilePlot(std::span<const study::Run> runs, const std::filesystem::path& file) {
    const FigureFormat format = figureFormatOf(file);
    study::checkWritable(file);
    const auto application = applicationIfNone();
    Figure figure(runs);
    const FigureSize size;
    switch (format) {
        case FigureFormat::Png:
            return writeBytes(file, encodePng(drawImage(figure.record(size), size)));
        case FigureFormat::Svg:
            return writeBytes(file, figure.svg(size));
        case FigureFormat::Pdf:
            return writeBytes(file, figure.pdf(size));
    }
}

}  // namespace straightedge::ui
