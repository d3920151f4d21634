// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

#include "measure.h"

namespace straightedge::study {

// Turns what the sweep has done into Progress: a share, a rate and the time left. Work is counted in rows
// through one block; other work in as many of these as it costs. Reports at most every tenth of a second, and
// when the stage changes.
class ProgressMeter {
  public:
    explicit ProgressMeter(Observer& observer) : m_observer(observer) {}

    // What there is to do in all, and what an earlier part of the run has done of it.
    void setWork(double total, double before, int blocksToPass);
    // How fast it will go, as far as that can be said before.
    void expect(double workPerSecond) { m_expected = workPerSecond; }
    void stage(const std::string& name, int block = -1);
    void done(double work);
    // `rows` went through a block in `seconds`.
    void rate(std::int64_t rows, double seconds);

  private:
    using Clock = std::chrono::steady_clock;

    void report();

    Observer& m_observer;
    Progress m_progress;
    double m_expected = 0;  // work a second
    double m_total = 0, m_before = 0, m_done = 0;
    Clock::time_point m_start = Clock::now();
    Clock::time_point m_lastReport{};
    std::string m_lastStage;
};

}  // namespace straightedge::study
