// SPDX-License-Identifier: GPL-3.0-or-later
#include "shown_blocks.h"

#include <algorithm>

#include "style/colours.h"

namespace straightedge::ui {

namespace {

constexpr std::size_t most = std::tuple_size_v<decltype(Colours::series)>;

bool hasMore(const study::BlockResult& block) {
    return !block.rankCurve.empty() || !block.probes.empty() || !block.ceilings.empty() ||
           std::ranges::any_of(block.replacements, [](const auto& swap) { return !swap.healing.empty(); });
}

}  // namespace

std::vector<PointId> shownBlocks(const RunList& runs, const PointSelection& selection) {
    std::vector<PointId> shown;
    for (const PointId& point : selection.points())
        if (const RunEntry* entry = runs.find(point.run);
            entry && entry->visible && entry->block(point.block) && shown.size() < most)
            shown.push_back(point);
    if (!shown.empty())
        return shown;
    for (int row = 0; row < runs.size(); ++row)
        if (const RunEntry& entry = runs.at(row); entry.visible && !entry.live.empty())
            return {{entry.id, entry.live.back().block}};
    for (int row = 0; row < runs.size(); ++row) {
        const RunEntry& entry = runs.at(row);
        const auto found = std::ranges::find_if(entry.run.blocks, hasMore);
        if (entry.visible && found != entry.run.blocks.end())
            return {{entry.id, found->block}};
    }
    return {};
}

}  // namespace straightedge::ui
