// SPDX-License-Identifier: GPL-3.0-or-later
#include "deal_windows.h"

#include <numeric>

#include "error.h"
#include "model/block.h"

namespace straightedge::study {

text::Windows dealt(const text::Windows& all, const linearity::Ranks& ranks) {
    const std::int64_t count = ranks.count(), rank = ranks.rank();
    if (count == 1 || all.count == 0)
        return all;
    constexpr std::int64_t momentRows = 1024;  // of Moments, summed in float32
    const std::int64_t chunk =
        std::lcm(model::Block::rowsTogether(all.length), momentRows) / all.length;  // in windows
    const std::int64_t unit = all.count >= count * chunk ? chunk : 1;
    const std::int64_t units = (all.count + unit - 1) / unit;
    const auto edge = [&](std::int64_t which) { return std::min(which * units / count * unit, all.count); };
    return all.part(edge(rank), edge(rank + 1) - edge(rank));
}

void checkForRanks(const StudySettings& settings) {
    if (!settings.ceilings.empty() || !settings.probes.empty() || settings.heal)
        throw Error({.what = "ceilings, probes and healing are measured by one process",
                     .found = "several, started together by mpirun or srun",
                     .advice = "leave them out, or start the program without mpirun"});
}

}  // namespace straightedge::study
