// SPDX-License-Identifier: GPL-3.0-or-later
#include "progress.h"

namespace straightedge::study {

ProgressMeter::ProgressMeter(Observer& observer, int blocksToPass) : m_observer(observer)
{
    m_progress.blocksToPass = blocksToPass;
}

void ProgressMeter::stage(const std::string& name)
{
    m_progress.stage = name;
    report();
}

void ProgressMeter::at(int block, double share, const std::string& stage)
{
    m_progress.stage = stage;
    m_progress.block = block;
    m_progress.blocksPassed = block;
    m_progress.fraction = (block + share) / m_progress.blocksToPass;
    report();
}

void ProgressMeter::passed(std::int64_t rows, double seconds)
{
    if (!(seconds > 0))
        return;
    const double now = static_cast<double>(rows) / seconds;
    const double before = m_progress.rowsPerSecond;
    m_progress.rowsPerSecond = before > 0 ? 0.9 * before + 0.1 * now : now;
}

void ProgressMeter::report()
{
    const auto now = Clock::now();
    if (m_progress.stage == m_lastStage && now - m_lastReport < std::chrono::milliseconds(100))
        return;
    m_lastReport = now;
    m_lastStage = m_progress.stage;
    const double elapsed = std::chrono::duration<double>(now - m_start).count();
    if (m_progress.fraction > 0.005)
        m_progress.secondsLeft = elapsed * (1 - m_progress.fraction) / m_progress.fraction;
    m_observer.progressed(m_progress);
}

}  // namespace straightedge::study
