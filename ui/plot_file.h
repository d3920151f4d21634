// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>

#include "study/run.h"

namespace straightedge::ui {

// Draws the profiles (R² as published, over block) into a PNG, SVG or PDF file, by its ending. Works without
// a window or a screen: where the program has no QApplication yet, one is made for the while. Throws Error.
// A QCoreApplication that is not a QApplication must not be alive.
void renderProfilePlot(std::span<const study::Run> runs, const std::filesystem::path& file);

// Throws the Error that renderProfilePlot() would: for an ending it does not know, a place that cannot be
// written.
void checkPlotFile(const std::filesystem::path& file);

}  // namespace straightedge::ui
