// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder.h"

#include <cmath>

#include "error.h"

namespace straightedge::model {

Decoder::Decoder(std::shared_ptr<const checkpoint::Checkpoint> checkpoint)
    : m_checkpoint(std::move(checkpoint)),
      m_architecture(readArchitecture(*m_checkpoint)),
      m_reader(*m_checkpoint, m_architecture) {
    m_reader.checkAll();
}

void Decoder::checkWindowLength(std::int64_t seqLen) const {
    if (m_architecture.family->position == PositionKind::Learned && seqLen > m_architecture.maxPositions)
        throw Error(
            {.what = "windows are longer than the model has positions for",
             .where = m_checkpoint->location().string(),
             .expected = "at most " + std::to_string(m_architecture.maxPositions) + " tokens a window",
             .found = std::to_string(seqLen)});
}

at::Tensor Decoder::embed(const text::Windows& windows) const {
    checkWindowLength(windows.length);
    const Family& family = *m_architecture.family;
    at::Tensor hidden = m_reader.tokenEmbedding(windows.ids);
    if (family.scalesEmbedding)
        hidden.mul_(std::sqrt(static_cast<double>(m_architecture.width)));
    if (family.position == PositionKind::Learned)
        hidden.view({windows.count, windows.length, -1}).add_(m_reader.positionEmbedding(windows.length));
    if (const at::Tensor type = m_reader.tokenTypeEmbedding(); type.defined())
        hidden.add_(type);
    if (const Norm norm = m_reader.embeddingNorm())
        normRows(hidden, norm.weight, norm.bias, family.norm, m_architecture.normEps, hidden);
    return hidden;
}

Block Decoder::block(std::int64_t index, std::int64_t seqLen) const {
    return Block(m_architecture, m_reader.block(index),
                 positionsOf(m_architecture, index, seqLen, m_reader.relativeBias()), seqLen);
}

}  // namespace straightedge::model
