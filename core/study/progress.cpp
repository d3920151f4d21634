// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress.h"

#include <algorithm>

namespace straightedge::study {

void ProgressMeter::setWork(double total, double before, int blocksToPass) {
    m_total = total;
    m_before = m_done = before;
    m_progress.blocksToPass = blocksToPass;
    m_start = Clock::now();
}

void ProgressMeter::stage(const std::string& name, int block) {
    m_progress.stage = name;
    m_progress.block = block;
    if (block >= 0)
        m_progress.blocksPassed = block;
    report();
}

void ProgressMeter::done(double work) {
    m_done += work;
    report();
}

void ProgressMeter::rate(std::int64_t rows, double seconds) {
    if (!(seconds > 0))
        return;
    const double now = static_cast<double>(rows) / seconds;
    const double before = m_progress.rowsPerSecond;
    m_progress.rowsPerSecond = before > 0 ? 0.9 * before + 0.1 * now : now;
}

void ProgressMeter::report() {
    const auto now = Clock::now();
    if (m_progress.stage == m_lastStage && now - m_lastReport < std::chrono::milliseconds(100))
        return;
    m_lastReport = now;
    m_lastStage = m_progress.stage;
    if (m_total > 0)
        m_progress.fraction = std::max(m_progress.fraction, std::min(1.0, m_done / m_total));
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    if (m_done - m_before < 0.01 * m_total && m_expected > 0)
        m_progress.secondsLeft = std::max(0.0, m_total - m_before) / m_expected;
    else if (m_done > m_before)
        m_progress.secondsLeft = elapsed * std::max(0.0, m_total - m_done) / (m_done - m_before);
    m_observer.progressed(m_progress);
}

}  // namespace straightedge::study
