// SPDX-License-Identifier: GPL-3.0-or-later
#include "block.h"

#include <array>

namespace straightedge::model {

namespace {

std::array<Linear*, 4> linearsOf(BlockWeights& weights) {
    return {&weights.queryKeyValue, &weights.attentionOutput, &weights.gateUp, &weights.down};
}

}  // namespace

at::Tensor Workspace::sized(at::Tensor& buffer, std::int64_t n, std::int64_t columns) const {
    if (!buffer.defined() || buffer.numel() < n * columns)
        buffer = rows(n, columns);
    return buffer.view({-1}).narrow(0, 0, n * columns).view({n, columns});
}

Block::Block(const Architecture& architecture, BlockWeights weights, Positions positions, std::int64_t seqLen)
    : m_architecture(architecture),
      m_weights(std::move(weights)),
      m_positions(std::move(positions)),
      m_seqLen(seqLen) {}

void Block::pack() {
    for (Linear* linear : linearsOf(m_weights))
        model::pack(*linear, rowsTogether(m_seqLen));
}

void Block::moveTo(at::Device device) {
    for (Linear* linear : linearsOf(m_weights))
        *linear = linear->on(device);
    for (Norm* norm :
         {&m_weights.attentionNorm, &m_weights.queryNorm, &m_weights.keyNorm, &m_weights.attentionOutNorm,
          &m_weights.attentionSumNorm, &m_weights.ffnNorm, &m_weights.ffnOutNorm, &m_weights.ffnSumNorm})
        *norm = norm->on(device);
    for (at::Tensor* tensor : {&m_positions.rotary.cosines, &m_positions.rotary.sines, &m_positions.bias})
        *tensor = moved(*tensor, device);
}

BlockWeights Block::weights() const {
    BlockWeights plain = m_weights;
    for (Linear* linear : linearsOf(plain))
        *linear = unpacked(*linear);
    return plain;
}

void Block::norm(const at::Tensor& in, const Norm& norm, at::Tensor& out) const {
    normRows(in, norm.weight, norm.bias, m_architecture.family->norm, m_architecture.normEps, out);
}

void Block::attend(at::Tensor& hidden, at::Tensor& x, Workspace& workspace) const {
    const Architecture& m = m_architecture;
    const BlockWeights& w = m_weights;
    const std::int64_t n = hidden.size(0), windows = n / m_seqLen;
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;

    // x holds the attention's input until the FFN's takes its place.
    if (w.attentionNorm)
        norm(hidden, w.attentionNorm, x);
    at::Tensor all =
        project(w.attentionNorm ? x : hidden, w.queryKeyValue, workspace.queryKeyValue(n, q + 2 * kv));
    if (m.queryKeyValueClip > 0)
        all.clamp_(-m.queryKeyValueClip, m.queryKeyValueClip);
    if (w.queryNorm)
        normParts(all, 0, q / w.queryNorm.weight.size(0), w.queryNorm.weight, m.normEps);
    if (w.keyNorm)
        normParts(all, q, kv / w.keyNorm.weight.size(0), w.keyNorm.weight, m.normEps);
    if (m_positions.rotary.cosines.defined())
        rotateRows(all, m.heads + m.kvHeads, m.headDim, m_seqLen, m_positions.pairs, m_positions.rotary);

    const auto heads = [&](std::int64_t from,
                           std::int64_t count) {  // [windows, heads, seqLen, headDim], no copy
        return all.narrow(1, from, count * m.headDim)
            .view({windows, m_seqLen, count, m.headDim})
            .transpose(1, 2);
    };
    const at::Tensor mixed =
        attention(heads(0, m.heads), heads(q, m.kvHeads), heads(q + kv, m.kvHeads), m, m_positions.bias)
            .transpose(1, 2)
            .reshape({n, q});

    if (m.parallelResidual && w.ffnNorm)  // without one, the FFN shares the attention's input
        norm(hidden, w.ffnNorm, x);
    at::Tensor out = project(mixed, w.attentionOutput, workspace.attended(n, m.width));
    if (w.attentionOutNorm)
        norm(out, w.attentionOutNorm, out);
    hidden.add_(out);
    if (w.attentionSumNorm)
        norm(hidden, w.attentionSumNorm, hidden);
    if (m.parallelResidual)
        return;
    if (w.ffnNorm)
        norm(hidden, w.ffnNorm, x);
    else
        x.copy_(hidden);
}

void Block::feedForward(const at::Tensor& x, at::Tensor& y, Workspace& workspace) const {
    const Architecture& m = m_architecture;
    const std::int64_t n = x.size(0);
    const at::Tensor gateUp =
        project(x, m_weights.gateUp, workspace.gateUp(n, m.gated ? 2 * m.ffnWidth : m.ffnWidth));
    at::Tensor middle = m.gated ? workspace.middle(n, m.ffnWidth) : gateUp;
    activateRows(gateUp, m.activation, m.gated, middle);
    const at::Tensor out = project(middle, m_weights.down, y);
    if (!out.is_same(y))
        y.copy_(out);
}

void Block::add(const at::Tensor& y, at::Tensor& hidden) const {
    if (m_weights.ffnOutNorm) {
        at::Tensor normed = at::empty_like(y);
        norm(y, m_weights.ffnOutNorm, normed);
        hidden.add_(normed);
    } else {
        hidden.add_(y);
    }
    if (m_weights.ffnSumNorm)
        norm(hidden, m_weights.ffnSumNorm, hidden);
}

}  // namespace straightedge::model
