// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder.h"

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
    at::Tensor hidden = m_reader.tokenEmbedding(windows.ids);
    if (m_architecture.family->position == PositionKind::Learned)
        hidden.view({windows.count, windows.length, -1}).add_(m_reader.positionEmbedding(windows.length));
    return hidden;
}

Block Decoder::block(std::int64_t index, std::int64_t seqLen) const {
    RotaryTable rotary;
    if (m_architecture.family->position == PositionKind::Rotary)
        rotary = rotaryTable(m_architecture.rotary, seqLen);
    return Block(m_architecture, m_reader.block(index), std::move(rotary), seqLen);
}

}  // namespace straightedge::model
