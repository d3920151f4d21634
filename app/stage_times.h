// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>
#include <map>

#include "progress_line.h"

namespace straightedge::app {

// A progress line that also adds up the wall time of each stage, over all blocks.
class StageTimes : public ProgressLine {
  public:
    void progressed(const study::Progress& progress) override;

    // Ends the stage under way and writes what there is, unless `file` is empty: {"seconds": ..., "peak_mb":
    // ..., "stages": {"windows": ..., "fit": ...}}. The peak is the process's largest resident size, mapped
    // file pages included.
    void write(const std::string& file);

  private:
    using Clock = std::chrono::steady_clock;
    void enter(std::string stage);

    Clock::time_point m_began = Clock::now(), m_entered = m_began;
    std::string m_stage = "start";
    std::map<std::string, double> m_seconds;
};

}  // namespace straightedge::app
