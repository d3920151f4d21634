// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include <algorithm>
#include <cstdio>
#include <iterator>

namespace straightedge::study {

namespace {

constexpr ReplacementInfo replacementTable[] = {
    {ReplacementKind::Linear, "linear", "linear", "The published least-squares map: one matrix and a bias."},
    {ReplacementKind::BalancedHalf, "balanced-0.5", "balanced ½",
     "Least squares with row weights (energy + median)^-1/2: massive rows count less. One matrix and a bias."},
    {ReplacementKind::BalancedFourFifths, "balanced-0.8", "balanced ⅘",
     "Least squares with row weights (energy + median)^-4/5: massive rows count little. One matrix and a bias."},
    {ReplacementKind::Switched, "switched", "switched",
     "The typical rows' map; rows past a threshold along one direction get the massive rows' mean output instead."},
};

}  // namespace

std::span<const ReplacementInfo> replacements()
{
    return replacementTable;
}

const ReplacementInfo& info(ReplacementKind kind)
{
    return *std::ranges::find(replacementTable, kind, &ReplacementInfo::kind);
}

std::optional<ReplacementKind> replacementNamed(std::string_view name)
{
    const auto* found = std::ranges::find(replacementTable, name, &ReplacementInfo::name);
    return found == std::end(replacementTable) ? std::nullopt : std::optional(found->kind);
}

bool peakIsMassive(const MetricValues& values)
{
    const auto published = values[Metric::R2Lin], typical = values[Metric::R2Typical];
    return published && typical && values[Metric::MassiveRows].value_or(0) > 0 && *published - *typical > 0.2;
}

std::string massiveReason(const MetricValues& values)
{
    if (!peakIsMassive(values))
        return {};
    const double count = *values[Metric::MassiveRows];
    const double rows = values[Metric::Rows].value_or(0);
    char text[256];
    std::snprintf(text, sizeof text,
                  "%.0f of %.0f rows (%.2g %%) hold %.1f %% of the output energy; R² on the typical rows is %.3f.", count,
                  rows, rows > 0 ? 100 * count / rows : 0.0, 100 * values[Metric::MassiveShare].value_or(0),
                  *values[Metric::R2Typical]);
    return text;
}

}  // namespace straightedge::study
