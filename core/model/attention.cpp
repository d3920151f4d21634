// SPDX-License-Identifier: GPL-3.0-or-later
#include "attention.h"

#include <bit>
#include <cmath>
#include <limits>

namespace straightedge::model {

namespace {

// Slopes of a power of two of heads fall geometrically to 2^-8; more heads take every other slope of twice as
// many. Source: Press et al., "Train Short, Test Long" (ALiBi), as transformers' BLOOM has it.
std::vector<float> alibiSlopes(std::int64_t heads) {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
    std::vector<float> slopes;
    for (std::int64_t i = 1; i <= power; ++i)
        slopes.push_back(
            static_cast<float>(std::pow(2.0, -8.0 * static_cast<double>(i) / static_cast<double>(power))));
    for (std::int64_t i = 1; i <= heads - power; ++i)
        slopes.push_back(static_cast<float>(
            std::pow(2.0, -4.0 * static_cast<double>(2 * i - 1) / static_cast<double>(power))));
    return slopes;
}

// Which bucket the distance from a query to a key falls in: a half of them for each direction; of these a
// half for small distances, one each, the rest for those up to 128, in logarithmic steps. Source:
// transformers, MPNet's relative_position_bucket (T5's, in both directions).
at::Tensor relativeBuckets(const at::Tensor& distance, std::int64_t buckets) {
    const std::int64_t half = buckets / 2, exact = half / 2;
    const at::Tensor far = distance.abs();
    const at::Tensor steps = at::log(far.to(at::kFloat) / static_cast<double>(exact)) /
                             std::log(128.0 / static_cast<double>(exact)) * static_cast<double>(half - exact);
    const at::Tensor large = (steps.clamp_min(0).to(at::kLong) + exact).clamp_max(half - 1);
    return at::where(far < exact, far, large) + (distance > 0).to(at::kLong) * half;
}

}  // namespace

Positions positionsOf(const Architecture& architecture, std::int64_t block, std::int64_t seqLen,
                      const at::Tensor& relativeBias) {
    const BlockReach& reach = architecture.reaches[static_cast<std::size_t>(block)];
    Positions positions;
    if (reach.rotary >= 0) {
        const Rotary& rotary = architecture.rotaries[static_cast<std::size_t>(reach.rotary)];
        positions.pairs = rotary.pairs;
        positions.rotary = rotaryTable(rotary, seqLen);
    }
    const bool alibi = architecture.family->position == PositionKind::Alibi,
               causal = architecture.family->causal;
    const bool slides = reach.window > 0 && reach.window < seqLen;
    if (!alibi && !slides && !relativeBias.defined() && !(causal && architecture.attentionCap > 0))
        return positions;

    const at::Tensor at = at::arange(seqLen, at::kLong);
    const at::Tensor distance = at.unsqueeze(0) - at.unsqueeze(1);  // [query, key]; the past is below zero
    at::Tensor bias = at::zeros({1, seqLen, seqLen}, at::kFloat);
    if (alibi)
        bias = at::tensor(alibiSlopes(architecture.heads), at::kFloat).view({-1, 1, 1}) * distance;
    if (relativeBias.defined())
        bias = relativeBias.index_select(0, relativeBuckets(distance, relativeBias.size(0)).flatten())
                   .t()
                   .reshape({architecture.heads, seqLen, seqLen});
    at::Tensor hidden = at::zeros_like(distance, at::kBool);
    if (causal)
        hidden = hidden.logical_or(distance > 0);
    if (slides)
        hidden = hidden.logical_or(distance <= -reach.window);
    positions.bias = bias.masked_fill(hidden, -std::numeric_limits<float>::infinity());
    return positions;
}

at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const Architecture& architecture, const at::Tensor& bias) {
    const bool grouped = architecture.heads != architecture.kvHeads;
    if (architecture.attentionCap == 0) {
        const std::optional<at::Tensor> mask =
            bias.defined() ? std::optional(bias.unsqueeze(0)) : std::nullopt;
        return at::scaled_dot_product_attention(query, key, value, mask, 0.0,
                                                /*is_causal=*/!mask && architecture.family->causal,
                                                architecture.attentionScale, /*enable_gqa=*/grouped);
    }
    // Capped scores have no fused kernel.
    const std::int64_t windows = query.size(0), seqLen = query.size(2), d = query.size(3);
    const std::int64_t groups = architecture.kvHeads, queries = architecture.heads / groups;
    const at::Tensor scores =
        at::matmul(query.reshape({windows, groups, queries, seqLen, d}), key.unsqueeze(2).transpose(3, 4));
    at::Tensor capped = at::tanh(scores * (architecture.attentionScale / architecture.attentionCap)) *
                        architecture.attentionCap;
    if (bias.defined())
        capped = capped + bias;
    return at::matmul(at::softmax(capped, -1), value.unsqueeze(2))
        .view({windows, architecture.heads, seqLen, d});
}

}  // namespace straightedge::model
