// SPDX-License-Identifier: GPL-3.0-or-later
#include "block.h"

namespace straightedge::model {

namespace {

// out = in weight^T + bias
void project(const at::Tensor& in, const Linear& linear, at::Tensor& out) {
    if (linear.bias.defined())
        at::addmm_out(out, linear.bias, in, linear.weight.t());
    else
        at::mm_out(out, in, linear.weight.t());
}

}  // namespace

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

void Block::attend(at::Tensor& hidden, at::Tensor& x, Workspace& workspace) const {
    const Architecture& m = m_architecture;
    const std::int64_t n = hidden.size(0), windows = n / m_seqLen;
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;

    // x holds the attention's input until the FFN's takes its place.
    normRows(hidden, m_weights.attentionNorm.weight, m_weights.attentionNorm.bias, m.family->norm, m.normEps,
             x);
    at::Tensor all = workspace.queryKeyValue(n, q + 2 * kv);
    project(x, m_weights.queryKeyValue, all);
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
    hidden.addmm_(mixed, m_weights.attentionOutput.weight.t());
    if (m_weights.attentionOutput.bias.defined())
        hidden.add_(m_weights.attentionOutput.bias);
    if (!m.parallelResidual)
        normRows(hidden, m_weights.ffnNorm.weight, m_weights.ffnNorm.bias, m.family->norm, m.normEps, x);
}

void Block::feedForward(const at::Tensor& x, at::Tensor& y, Workspace& workspace) const {
    at::Tensor gateUp = workspace.gateUp(x.size(0), m_weights.gateUp.weight.size(0));
    project(x, m_weights.gateUp, gateUp);
    project(activateRows(gateUp, m_architecture.activation, m_architecture.gated), m_weights.down, y);
}

void Block::add(const at::Tensor& y, at::Tensor& hidden) const {
    hidden.add_(y);
}

}  // namespace straightedge::model
