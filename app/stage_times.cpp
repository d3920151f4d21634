// SPDX-License-Identifier: GPL-3.0-or-later
#include "stage_times.h"

#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "study/export/export.h"

namespace straightedge::app {

namespace {

double secondsBetween(auto from, auto to) {
    return std::chrono::duration<double>(to - from).count();
}

// "block 7: windows" is "windows" of all blocks, "block 7: 8 swapped models" their "swapped models".
std::string kindOf(const std::string& stage) {
    const auto colon = stage.find(": ");
    if (colon == std::string::npos)
        return stage;
    if (!stage.starts_with("block "))
        return stage.substr(0, colon);
    const auto name = stage.find_first_not_of("0123456789 ", colon + 2);
    return name == std::string::npos ? stage : stage.substr(name);
}

}  // namespace

void StageTimes::progressed(const study::Progress& progress) {
    enter(kindOf(progress.stage));
    ProgressLine::progressed(progress);
}

void StageTimes::enter(std::string stage) {
    if (stage == m_stage)
        return;
    const auto now = Clock::now();
    m_seconds[m_stage] += secondsBetween(m_entered, now);
    m_stage = std::move(stage);
    m_entered = now;
}

void StageTimes::write(const std::string& file) {
    enter("end");
    if (file.empty())
        return;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    const nlohmann::json all = {{"seconds", secondsBetween(m_began, m_entered)},
                                {"peak_mb", static_cast<double>(usage.ru_maxrss) / 1024},
                                {"stages", m_seconds}};
    study::writeFile(file, all.dump(1) + '\n');
}

}  // namespace straightedge::app
