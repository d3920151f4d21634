// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "measure.h"

namespace straightedge::study {

// Turns what the sweep has done into Progress: a share, a rate and the time left. Reports at most every tenth of a second.
class ProgressMeter {
  public:
    ProgressMeter(Observer& observer, int blocksToPass);

    void stage(const std::string& name);
    // Block `block` is under way; `share` of it, 0 to 1, is done.
    void at(int block, double share, const std::string& stage);
    // `rows` went through a block's windows in `seconds`.
    void passed(std::int64_t rows, double seconds);

  private:
    using Clock = std::chrono::steady_clock;

    void report();

    Observer& m_observer;
    Progress m_progress;
    Clock::time_point m_start = Clock::now();
    Clock::time_point m_lastReport{};
    std::string m_lastStage;
};

}  // namespace straightedge::study
