// SPDX-License-Identifier: GPL-3.0-or-later
#include "gradient.h"

namespace straightedge::model {

namespace {

at::Tensor normed(const at::Tensor& in, const Norm& norm, const Architecture& model) {
    if (model.family->norm == NormKind::Rms)
        return in * (in.square().mean(-1, /*keepdim=*/true) + model.normEps).rsqrt() * norm.weight;
    return at::layer_norm(in, {in.size(-1)}, norm.weight, norm.bias, model.normEps);
}

at::Tensor product(const at::Tensor& in, const Linear& linear) {
    return linear.bias.defined() ? at::addmm(linear.bias, in, linear.weight.t()) : in.mm(linear.weight.t());
}

// heads [windows, heads, seqLen, headDim], turned by position.
at::Tensor rotated(const at::Tensor& heads, const RotaryTable& table, RotaryPairs pairs) {
    const std::int64_t half = table.cosines.size(1), seqLen = heads.size(2);
    const at::Tensor cosines = table.cosines.narrow(0, 0, seqLen), sines = table.sines.narrow(0, 0, seqLen);
    const at::Tensor turning = heads.narrow(3, 0, 2 * half);
    const at::Tensor rest = heads.narrow(3, 2 * half, heads.size(3) - 2 * half);
    const bool halves = pairs == RotaryPairs::Halves;
    const at::Tensor a = halves ? turning.narrow(3, 0, half) : turning.slice(3, 0, 2 * half, 2);
    const at::Tensor b = halves ? turning.narrow(3, half, half) : turning.slice(3, 1, 2 * half, 2);
    const at::Tensor first = a * cosines - b * sines, second = b * cosines + a * sines;
    const at::Tensor turned = halves ? at::cat({first, second}, 3) : at::stack({first, second}, 4).flatten(3);
    return rest.size(3) > 0 ? at::cat({turned, rest}, 3) : turned;
}

at::Tensor activated(const at::Tensor& in, Activation activation) {
    switch (activation) {
        case Activation::Gelu:
            return at::gelu(in, "none");
        case Activation::GeluTanh:
            return at::gelu(in, "tanh");
        case Activation::Relu:
            return at::relu(in);
        case Activation::Silu:
            return at::silu(in);
    }
    TORCH_CHECK(false, "an activation without a derivative");
}

at::Tensor feedForward(const at::Tensor& x, const BlockWeights& weights, const Architecture& model) {
    const at::Tensor middle = product(x, weights.gateUp);
    if (!model.gated)
        return product(activated(middle, model.activation), weights.down);
    const std::int64_t f = middle.size(1) / 2;
    return product(activated(middle.narrow(1, 0, f), model.activation) * middle.narrow(1, f, f),
                   weights.down);
}

}  // namespace

at::Tensor differentiableBlock(const Block& block, const at::Tensor& hidden) {
    const Architecture& m = block.architecture();
    const BlockWeights weights = block.weights();
    const std::int64_t n = hidden.size(0), windows = n / block.seqLen();
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;
    const at::Tensor all = product(normed(hidden, weights.attentionNorm, m), weights.queryKeyValue);
    const auto heads = [&](std::int64_t from, std::int64_t count, bool turn) {
        const at::Tensor some = all.narrow(1, from, count * m.headDim)
                                    .view({windows, block.seqLen(), count, m.headDim})
                                    .transpose(1, 2);
        return turn && m.family->position == PositionKind::Rotary
                   ? rotated(some, block.rotary(), m.rotary.pairs)
                   : some;
    };
    const at::Tensor mixed = at::scaled_dot_product_attention(
                                 heads(0, m.heads, true), heads(q, m.kvHeads, true),
                                 heads(q + kv, m.kvHeads, false), {}, 0.0, /*is_causal=*/true, std::nullopt,
                                 /*enable_gqa=*/m.heads != m.kvHeads)
                                 .transpose(1, 2)
                                 .reshape({n, q});
    const at::Tensor attended = hidden + product(mixed, weights.attentionOutput);
    const at::Tensor& before = m.parallelResidual ? hidden : attended;
    return attended + feedForward(normed(before, weights.ffnNorm, m), weights, m);
}

at::Tensor differentiableLoss(const at::Tensor& hidden, const at::Tensor& targets, const Norm& finalNorm,
                              const at::Tensor& projection, const Architecture& architecture) {
    return at::cross_entropy_loss(normed(hidden, finalNorm, architecture).mm(projection.t()), targets);
}

}  // namespace straightedge::model
