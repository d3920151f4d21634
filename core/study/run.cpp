// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include <algorithm>
#include <iterator>

#include "study/export/number_text.h"

namespace straightedge::study {

namespace {

constexpr ReplacementInfo replacementTable[] = {
    {ReplacementKind::Linear, "linear", "linear", "The published least-squares map: one matrix and a bias."},
    {ReplacementKind::BalancedHalf, "balanced-0.5", "balanced ½",
     "Least squares with row weights (energy + median)^-1/2: massive rows count less. One matrix and a "
     "bias."},
    {ReplacementKind::BalancedFourFifths, "balanced-0.8", "balanced ⅘",
     "Least squares with row weights (energy + median)^-4/5: massive rows count little. One matrix and a "
     "bias."},
    {ReplacementKind::Switched, "switched", "switched",
     "The typical rows' map; rows past a threshold along one direction get the massive rows' mean output "
     "instead."},
    {ReplacementKind::Bilinear, "bilinear", "bilinear, rank 16",
     "The published map and a rank-16 product of two projections trained on what it leaves."},
    {ReplacementKind::Dense2x, "dense2x", "dense ×2", "Two linear layers with a GELU between them, trained."},
    {ReplacementKind::Poly2x, "poly2x", "bilinear ×2", "Two bilinear layers in a row, trained."},
    {ReplacementKind::Original, "original", "own FFN",
     "The block's own FFN, untouched. Healed, it is the fair baseline: what the same training gives the "
     "model as "
     "it is."},
};

// In the order of RunState.
constexpr std::string_view stateNames[] = {"running", "finished", "cancelled", "failed", "interrupted"};

}  // namespace

std::string_view stateName(RunState state) {
    return stateNames[static_cast<std::size_t>(state)];
}

std::optional<RunState> stateNamed(std::string_view name) {
    const auto* found = std::ranges::find(stateNames, name);
    return found == std::end(stateNames)
               ? std::nullopt
               : std::optional(static_cast<RunState>(found - std::begin(stateNames)));
}

std::span<const ReplacementInfo> replacements() {
    return replacementTable;
}

const ReplacementInfo& info(ReplacementKind kind) {
    return *std::ranges::find(replacementTable, kind, &ReplacementInfo::kind);
}

std::optional<ReplacementKind> replacementNamed(std::string_view name) {
    const auto* found = std::ranges::find(replacementTable, name, &ReplacementInfo::name);
    return found == std::end(replacementTable) ? std::nullopt : std::optional(found->kind);
}

bool peakIsMassive(const MetricValues& values) {
    const auto published = values[Metric::R2Lin], typical = values[Metric::R2Typical];
    return published && typical && values[Metric::MassiveRows].value_or(0) > 0 && *published - *typical > 0.2;
}

std::string massiveReason(const MetricValues& values) {
    if (!peakIsMassive(values))
        return {};
    const auto rows = static_cast<std::int64_t>(values[Metric::Rows].value_or(0));
    const auto massive = static_cast<std::int64_t>(*values[Metric::MassiveRows]);
    const double share = rows > 0 ? 100.0 * static_cast<double>(massive) / static_cast<double>(rows) : 0.0;
    return grouped(massive) + " of " + grouped(rows) + " rows (" + fixed(share, share < 1 ? 2 : 1) +
           " %) hold " + fixed(100 * values[Metric::MassiveShare].value_or(0), 1) +
           " % of the output energy; R² on the typical rows is " + fixed(*values[Metric::R2Typical], 3) + ".";
}

}  // namespace straightedge::study
