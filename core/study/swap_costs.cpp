// SPDX-License-Identifier: GPL-3.0-or-later
#include "swap_costs.h"

#include <cmath>
#include <optional>

#include "replacement/swapped_walk.h"

namespace straightedge::study {

namespace {

std::optional<double> finite(double value) {
    return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

// The block's columns, and which of its one-matrix maps is kept.
void summarize(BlockResult& block, double basePpl) {
    ReplacementResult* kept = nullptr;
    for (ReplacementResult& row : block.replacements) {
        if (choosable(row.kind) && row.tailDppl && (!kept || *row.tailDppl < *kept->tailDppl))
            kept = &row;
        if (row.kind == ReplacementKind::Linear) {
            block.values.set(Metric::Dppl, row.dppl);
            block.values.set(Metric::DpplSe, row.dpplSe);
            block.values.set(Metric::DpplHealed, row.dpplHealed);
        }
        if (row.kind == ReplacementKind::Original)
            block.values.set(Metric::DpplHealedOriginal, row.dpplHealed);
        if (row.kind == ReplacementKind::Switched)
            block.values.set(Metric::DpplSwitched, row.dppl);
    }
    block.values.set(Metric::BasePpl, basePpl);
    if (!kept)
        return;
    kept->kept = true;
    block.values.set(Metric::DpplBalanced, kept->dppl);
    block.values.set(Metric::BalancedPower, kept->kind == ReplacementKind::Linear         ? 0.0
                                            : kept->kind == ReplacementKind::BalancedHalf ? 0.5
                                                                                          : 0.8);
}

}  // namespace

bool choosable(ReplacementKind kind) {
    return kind == ReplacementKind::Linear || kind == ReplacementKind::BalancedHalf ||
           kind == ReplacementKind::BalancedFourFifths;
}

void setSwapCosts(Run& run, const std::vector<at::Tensor>& evaluation, const std::vector<at::Tensor>& tail) {
    std::size_t variant = 1, choice = 1;
    for (BlockResult& block : run.blocks) {
        for (ReplacementResult& row : block.replacements) {
            const auto cost = [&](auto& value, auto& error) {
                const auto found =
                    replacement::perplexityDifference(evaluation.at(variant++), evaluation.front());
                value = finite(found.value);
                error = finite(found.standardError);
            };
            if (row.kind != ReplacementKind::Original)  // which is the base
                cost(row.dppl, row.dpplSe);
            if (!row.healing.empty())
                cost(row.dpplHealed, row.dpplHealedSe);
            if (!tail.empty() && choosable(row.kind))
                row.tailDppl =
                    finite(replacement::perplexityDifference(tail.at(choice++), tail.front()).value);
        }
        summarize(block, *run.basePpl);
    }
}

}  // namespace straightedge::study
