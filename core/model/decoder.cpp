// SPDX-License-Identifier: GPL-3.0-or-later
#include "decoder.h"

#include <cmath>
#include <optional>

#include "error.h"

namespace straightedge::model {

Decoder::Decoder(std::shared_ptr<const checkpoint::Checkpoint> checkpoint)
    : m_checkpoint(std::move(checkpoint)),
      m_architecture(readArchitecture(*m_checkpoint)),
      m_reader(*m_checkpoint, m_architecture) {
    m_reader.checkAll();
}

namespace {

// The length up to which a model with longrope uses its short factors; empty for every other.
std::optional<std::int64_t> shortFactorsEnd(const nlohmann::json& description) {
    const auto length = [](const nlohmann::json& object, const char* key) -> std::optional<std::int64_t> {
        const auto found = object.find(key);
        return found != object.end() && found->is_number_integer() ? std::optional(found->get<std::int64_t>())
                                                                   : std::nullopt;
    };
    if (const auto gguf = length(description, "phi3.rope.scaling.original_context_length"))
        return gguf;
    const auto scaling = description.find("rope_scaling");
    if (scaling == description.end() || !scaling->is_object())
        return std::nullopt;
    const std::string kind = scaling->value("rope_type", scaling->value("type", std::string()));
    if (kind != "longrope" && kind != "su")
        return std::nullopt;
    const auto inside = length(*scaling, "original_max_position_embeddings");
    return inside ? inside : length(description, "original_max_position_embeddings");
}

}  // namespace

void Decoder::checkWindowLength(std::int64_t seqLen) const {
    if (m_architecture.family->position == PositionKind::Learned && seqLen > m_architecture.maxPositions)
        throw Error(
            {.what = "windows are longer than the model has positions for",
             .where = m_checkpoint->location().string(),
             .expected = "at most " + std::to_string(m_architecture.maxPositions) + " tokens a window",
             .found = std::to_string(seqLen)});
    // Past the length it was first trained on, longrope turns by its long factors, which are not read.
    if (const auto longest = shortFactorsEnd(m_checkpoint->metadata()); longest && seqLen > *longest)
        throw Error({.what = "windows are longer than longrope's short factors are meant for",
                     .where = m_checkpoint->location().string(),
                     .expected = "at most " + std::to_string(*longest) + " tokens a window",
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
