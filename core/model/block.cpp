// SPDX-License-Identifier: GPL-3.0-or-later
#include "block.h"

namespace straightedge::model {

at::Tensor Workspace::sized(at::Tensor& buffer, std::int64_t rows, std::int64_t columns) {
    if (!buffer.defined() || buffer.numel() < rows * columns)
        buffer = at::empty({rows * columns}, at::kFloat);
    return buffer.narrow(0, 0, rows * columns).view({rows, columns});
}

Block::Block(const Architecture& architecture, BlockWeights weights, RotaryTable rotary, std::int64_t seqLen)
    : m_architecture(architecture),
      m_weights(std::move(weights)),
      m_rotary(std::move(rotary)),
      m_seqLen(seqLen) {}

void Block::pack() {
    for (Linear* linear :
         {&m_weights.queryKeyValue, &m_weights.attentionOutput, &m_weights.gateUp, &m_weights.down})
        model::pack(*linear, rowsTogether(m_seqLen));
}

BlockWeights Block::weights() const {
    BlockWeights plain = m_weights;
    for (Linear* linear : {&plain.queryKeyValue, &plain.attentionOutput, &plain.gateUp, &plain.down})
        *linear = unpacked(*linear);
    return plain;
}

void Block::attend(at::Tensor& hidden, at::Tensor& x, Workspace& workspace) const {
    const Architecture& m = m_architecture;
    const std::int64_t n = hidden.size(0), windows = n / m_seqLen;
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;

    // x holds the attention's input until the FFN's takes its place.
    normRows(hidden, m_weights.attentionNorm.weight, m_weights.attentionNorm.bias, m.family->norm, m.normEps,
             x);
    at::Tensor all = project(x, m_weights.queryKeyValue, workspace.queryKeyValue(n, q + 2 * kv));
    if (m.family->position == PositionKind::Rotary)
        rotateRows(all, m.heads + m.kvHeads, m.headDim, m_seqLen, m.rotary.pairs, m_rotary);

    const auto heads = [&](std::int64_t from,
                           std::int64_t count) {  // [windows, heads, seqLen, headDim], no copy
        return all.narrow(1, from, count * m.headDim)
            .view({windows, m_seqLen, count, m.headDim})
            .transpose(1, 2);
    };
    const at::Tensor mixed = at::scaled_dot_product_attention(
                                 heads(0, m.heads), heads(q, m.kvHeads), heads(q + kv, m.kvHeads), {}, 0.0,
                                 /*is_causal=*/true, std::nullopt, /*enable_gqa=*/m.heads != m.kvHeads)
                                 .transpose(1, 2)
                                 .reshape({n, q});

    if (m.parallelResidual)
        normRows(hidden, m_weights.ffnNorm.weight, m_weights.ffnNorm.bias, m.family->norm, m.normEps, x);
    hidden.add_(project(mixed, m_weights.attentionOutput, workspace.attended(n, m.width)));
    if (!m.parallelResidual)
        normRows(hidden, m_weights.ffnNorm.weight, m_weights.ffnNorm.bias, m.family->norm, m.normEps, x);
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
    hidden.add_(y);
}

}  // namespace straightedge::model
