// SPDX-License-Identifier: GPL-3.0-or-later
#include "gradient.h"

namespace straightedge::model {

namespace {

at::Tensor normed(const at::Tensor& in, const Norm& norm, const Architecture& model) {
    if (!norm)
        return in;
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

at::Tensor differentiableAdd(const Block& block, const at::Tensor& y, const at::Tensor& hidden) {
    const BlockWeights weights = block.weights();
    const at::Tensor sum = hidden + normed(y, weights.ffnOutNorm, block.architecture());
    return normed(sum, weights.ffnSumNorm, block.architecture());
}

at::Tensor differentiableBlock(const Block& block, const at::Tensor& hidden) {
    const Architecture& m = block.architecture();
    const BlockWeights weights = block.weights();
    const Positions& positions = block.positions();
    const std::int64_t n = hidden.size(0), windows = n / block.seqLen();
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;
    const at::Tensor in = normed(hidden, weights.attentionNorm, m);
    at::Tensor all = product(in, weights.queryKeyValue);
    if (m.queryKeyValueClip > 0)
        all = all.clamp(-m.queryKeyValueClip, m.queryKeyValueClip);
    const auto heads = [&](std::int64_t from, std::int64_t count, const Norm& norm, bool turn) {
        at::Tensor some = all.narrow(1, from, count * m.headDim);
        if (norm)
            some = normed(some.reshape({n, -1, norm.weight.size(0)}), norm, m);
        some = some.reshape({windows, block.seqLen(), count, m.headDim}).transpose(1, 2);
        return turn && positions.rotary.cosines.defined() ? rotated(some, positions.rotary, positions.pairs)
                                                          : some;
    };
    const at::Tensor mixed =
        attention(heads(0, m.heads, weights.queryNorm, true), heads(q, m.kvHeads, weights.keyNorm, true),
                  heads(q + kv, m.kvHeads, {}, false), m, positions.bias)
            .transpose(1, 2)
            .reshape({n, q});
    const at::Tensor out = normed(product(mixed, weights.attentionOutput), weights.attentionOutNorm, m);
    const at::Tensor attended = normed(hidden + out, weights.attentionSumNorm, m);
    const at::Tensor x = !m.parallelResidual ? normed(attended, weights.ffnNorm, m)
                         : weights.ffnNorm   ? normed(hidden, weights.ffnNorm, m)
                                             : in;
    return differentiableAdd(block, feedForward(x, weights, m), attended);
}

at::Tensor differentiableLoss(const at::Tensor& hidden, const at::Tensor& targets, const Norm& finalNorm,
                              const Linear& projection, const Architecture& architecture) {
    at::Tensor logits = product(normed(hidden, finalNorm, architecture), projection);
    if (const double cap = architecture.logitCap; cap > 0)
        logits = at::tanh(logits / cap) * cap;
    return at::cross_entropy_loss(logits, targets);
}

}  // namespace straightedge::model
