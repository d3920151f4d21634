// SPDX-License-Identifier: GPL-3.0-or-later
#include "gradient.h"

#include "operators.h"

namespace straightedge::model {

namespace {

at::Tensor normed(const at::Tensor& in, const Norm& norm, const Architecture& model) {
    return normed(in, norm, model.family->norm, model.normEps);
}

at::Tensor product(const at::Tensor& in, const Linear& linear) {
    return linear.bias.defined() ? at::addmm(linear.bias, in, linear.weight.t()) : in.mm(linear.weight.t());
}

at::Tensor feedForward(const at::Tensor& x, const BlockWeights& weights, const Architecture& model) {
    return product(activated(product(x, weights.gateUp), model.activation, model.gated), weights.down);
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
