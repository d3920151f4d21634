// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual.h"

#include <algorithm>
#include <iterator>

namespace straightedge::study {

namespace {

constexpr ProbeInfo table[] = {
    {Probe::Bilinear, "bilinear", "bilinear, rank 16",
     "The closed-form line, frozen, and a rank-16 product of two projections trained on what it leaves."},
    {Probe::TrainedLinear, "trained-linear", "trained linear",
     "A linear layer trained with Adam on the same rows: how far short of the closed form training stops."},
    {Probe::Dense2x, "dense2x", "dense ×2", "Two linear layers with a GELU between them, trained."},
    {Probe::Poly2x, "poly2x", "bilinear ×2", "Two bilinear layers in a row, trained, nothing frozen."},
};

}  // namespace

std::span<const ProbeInfo> probes() {
    return table;
}

const ProbeInfo& info(Probe probe) {
    return *std::ranges::find(table, probe, &ProbeInfo::probe);
}

std::optional<Probe> probeNamed(std::string_view name) {
    const auto* found = std::ranges::find(table, name, &ProbeInfo::name);
    return found == std::end(table) ? std::nullopt : std::optional(found->probe);
}

}  // namespace straightedge::study
