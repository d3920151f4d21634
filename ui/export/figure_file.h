// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QImage>
#include <QPicture>
#include <QString>
#include <filesystem>
#include <memory>

#include "plot/run_plot.h"

namespace straightedge::ui {

// How large a figure is. Fonts and lines keep their size: a larger figure has more room, not larger letters.
struct FigureSize {
    double widthMm = 183;  // two columns of a journal
    double heightMm = 95;
    int dpi = 300;  // of a raster

    QSize pixels() const;        // of the raster
    QSize layoutPixels() const;  // of 1/96 inch
};

enum class FigureFormat { Png, Svg, Pdf };
// By the ending. Throws Error for another one.
FigureFormat figureFormatOf(const std::filesystem::path& file);

// What the reader sees (runs, score, scale, ranges), in print colours on white. Used on the window's thread,
// which it keeps for a few milliseconds only: a raster is recorded here and drawn, encoded and written
// elsewhere.
class Figure {
  public:
    // The visible runs of a plot as it stands.
    Figure(const RunPlot& plot, const RunList& runs);
    // The profiles of all blocks of all runs, as published.
    explicit Figure(std::span<const study::Run> runs);

    QPicture record(const FigureSize& size);  // for drawImage()
    QByteArray svg(const FigureSize& size);
    QByteArray pdf(const FigureSize& size);

  private:
    RunList m_runs;
    PointSelection m_selection;
    std::unique_ptr<RunPlot> m_plot;
};

// Draws a recorded figure; on any thread.
QImage drawImage(QPicture picture, const FigureSize& size);
QByteArray encodePng(const QImage& image);
// Whole or not at all. Throws Error.
void writeBytes(const std::filesystem::path& file, const QByteArray& bytes);

}  // namespace straightedge::ui
