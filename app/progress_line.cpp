// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress_line.h"

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <string>

#include "study/export/number_text.h"

namespace straightedge::app {

namespace {

std::string duration(double seconds) {
    const auto whole = static_cast<long>(std::ceil(seconds));
    char text[32];
    if (whole < 60)
        std::snprintf(text, sizeof text, "%ld s", whole);
    else if (whole < 3600)
        std::snprintf(text, sizeof text, "%ld:%02ld min", whole / 60, whole % 60);
    else
        std::snprintf(text, sizeof text, "%ld:%02ld h", whole / 3600, whole / 60 % 60);
    return text;
}

}  // namespace

ProgressLine::ProgressLine() : m_terminal(isatty(STDERR_FILENO) != 0) {}

ProgressLine::~ProgressLine() {
    clear();
}

void ProgressLine::clear() {
    if (m_drawn)
        std::fputs("\r\033[K", stderr);
    m_drawn = false;
}

void ProgressLine::started(const study::RunHeader& header) {
    clear();
    m_blocks = header.modelBlocks;
    std::fprintf(stderr, "%s (%s, %d blocks of width %ld) on %s: %ld rows\n", header.model.c_str(),
                 header.family.c_str(), header.modelBlocks, static_cast<long>(header.width),
                 header.corpus.c_str(), static_cast<long>(header.rows));
}

void ProgressLine::progressed(const study::Progress& progress) {
    if (!m_terminal)
        return;
    constexpr int width = 24;
    const int full = static_cast<int>(std::lround(progress.fraction * width));
    std::string bar;
    for (int i = 0; i < width; ++i)
        bar += i < full ? "━" : "─";
    std::fprintf(stderr, "\r\033[K%s %3.0f %%  %s", bar.c_str(), 100 * progress.fraction,
                 progress.stage.c_str());
    if (progress.rowsPerSecond > 0)
        std::fprintf(stderr, "  %.0f rows/s", progress.rowsPerSecond);
    if (progress.secondsLeft >= 0)
        std::fprintf(stderr, "  %s left", duration(progress.secondsLeft).c_str());
    std::fflush(stderr);
    m_drawn = true;
}

void ProgressLine::blockFinished(const study::BlockResult& result) {
    if (m_terminal)
        return;
    std::string line = "block " + std::to_string(result.block) + " of 0 to " + std::to_string(m_blocks - 1);
    const char* before = ": ";
    for (const auto& [metric, title] :
         {std::pair{study::Metric::R2Lin, "r2_lin"}, std::pair{study::Metric::R2Typical, "typical"},
          std::pair{study::Metric::KfoldMean, "k-fold"}, std::pair{study::Metric::R2Deg2, "degree 2"},
          std::pair{study::Metric::R2Deg3, "degree 3"}, std::pair{study::Metric::R2Bilinear, "bilinear"}})
        if (const auto value = result.values[metric]) {
            line += before + std::string(title) + ' ' + study::fixed(*value, 3);
            before = ", ";
        }
    if (const auto cost = result.values[study::Metric::Dppl])
        line += before + std::string("dppl ") + study::fixed(*cost, 2);
    if (!result.failure.empty())
        line += ": failed";
    if (line == m_lastLine)  // told again, with nothing new to say
        return;
    m_lastLine = line;
    std::fprintf(stderr, "%s (%.1f s)\n", line.c_str(), result.seconds);
}

}  // namespace straightedge::app
