// SPDX-License-Identifier: GPL-3.0-or-later
#include "weights.h"

#include <algorithm>
#include <set>

#include "error.h"

namespace straightedge::model {

namespace {

constexpr std::int64_t noBlock = -1;
constexpr std::int64_t relativeBuckets = 32;

bool hasNoWeights(const TensorEntry& entry) {
    return entry.huggingFace.empty() && entry.gguf.empty();
}

// A tensor of the file as float32, [rows, rowLength], split over the threads.
void convert(const checkpoint::TensorView& view, std::int64_t firstRow, std::int64_t rows, float* out) {
    const std::int64_t length = view.rowLength();
    const std::int64_t grain = std::max<std::int64_t>(1, 65'536 / std::max<std::int64_t>(1, length));
    at::parallel_for(0, rows, grain, [&](std::int64_t begin, std::int64_t end) {
        toFloat32(view, firstRow + begin, end - begin,
                  {out + begin * length, static_cast<std::size_t>((end - begin) * length)});
    });
}

at::Tensor converted(const checkpoint::TensorView& view) {
    at::Tensor out = at::empty(view.shape, at::kFloat);
    convert(view, 0, view.rows(), out.mutable_data_ptr<float>());
    return out;
}

}  // namespace

WeightReader::WeightReader(const checkpoint::Checkpoint& checkpoint, const Architecture& architecture)
    : m_checkpoint(checkpoint), m_architecture(architecture) {
    const Family& family = *architecture.family;
    if (checkpoint.format() == checkpoint::Format::HuggingFace) {
        const std::string embedding = std::string(family.find(Role::TokenEmbedding)->huggingFace) + ".weight";
        const auto fits = std::ranges::find_if(family.prefixes, [&](std::string_view prefix) {
            return checkpoint.find(std::string(prefix) + embedding) != nullptr;
        });
        m_prefix = fits == family.prefixes.end() ? family.prefixes.front() : *fits;
    }
    for (const TensorEntry& entry : family.tensors) {
        const TensorEntry*& chosen = m_entries[static_cast<std::size_t>(entry.role)];
        const bool held = checkpoint.find(partName(entry, 0, "weight"));
        if (held && !(chosen && checkpoint.find(partName(*chosen, 0, "weight"))))
            chosen = &entry;
        if (!chosen && entry.presence == Presence::Required)
            chosen = &entry;  // to be named when it is missed
    }
}

std::string WeightReader::name(const TensorEntry& entry, std::int64_t block) const {
    const bool gguf = m_checkpoint.format() == checkpoint::Format::Gguf;
    std::string text(gguf ? entry.gguf : entry.huggingFace);
    if (const auto gap = text.find("{}"); gap != std::string::npos)
        text.replace(gap, 2, std::to_string(block));
    return entry.role == Role::OutputProjection ? text : m_prefix + text;
}

std::string WeightReader::partName(const TensorEntry& entry, std::int64_t block, const char* part) const {
    std::string modern = name(entry, block) + '.' + part;
    if (m_checkpoint.find(modern))
        return modern;
    // BERT's norms, as the first releases call them.
    const std::string old = name(entry, block) + (std::string_view(part) == "weight" ? ".gamma" : ".beta");
    return m_checkpoint.find(old) ? old : modern;
}

bool WeightReader::present(Role role, std::int64_t block) const {
    return entry(role) && m_checkpoint.find(partName(*entry(role), block, "weight"));
}

bool WeightReader::transposed() const {
    return m_architecture.family->transposedLinear &&
           m_checkpoint.format() == checkpoint::Format::HuggingFace;
}

std::vector<std::int64_t> WeightReader::shapeOf(Role role) const {
    const Architecture& m = m_architecture;
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;
    switch (role) {
        case Role::TokenEmbedding:
        case Role::OutputProjection:
            return {m.vocabulary, m.width};
        case Role::PositionEmbedding:
            return {m.maxPositions + m.family->positionOffset, m.width};
        case Role::TokenTypeEmbedding: {  // the description need not say how many
            const auto* view = m_checkpoint.find(partName(*entry(role), noBlock, "weight"));
            return {view && !view->shape.empty() ? std::max<std::int64_t>(1, view->shape[0]) : 1, m.width};
        }
        case Role::EmbeddingNorm:
        case Role::AttentionNorm:
        case Role::AttentionOutNorm:
        case Role::AttentionSumNorm:
        case Role::FfnNorm:
        case Role::FfnOutNorm:
        case Role::FfnSumNorm:
        case Role::FinalNorm:
            return {m.width};
        case Role::QueryNorm:
            return {m.family->normsAllHeads ? q : m.headDim};
        case Role::KeyNorm:
            return {m.family->normsAllHeads ? kv : m.headDim};
        case Role::RelativeBias:
            return {relativeBuckets, m.heads};
        case Role::Query:
            return {q, m.width};
        case Role::Key:
        case Role::Value:
            return {kv, m.width};
        case Role::QueryKeyValue:
            return {q + 2 * kv, m.width};
        case Role::AttentionOutput:
            return {m.width, q};
        case Role::Gate:
        case Role::Up:
            return {m.ffnWidth, m.width};
        case Role::GateUp:
            return {2 * m.ffnWidth, m.width};
        case Role::Down:
            return {m.width, m.ffnWidth};
    }
    return {};
}

const checkpoint::TensorView& WeightReader::weightView(Role role, std::int64_t block) const {
    std::vector<std::int64_t> shape = shapeOf(role);
    const bool embeds =
        role == Role::TokenEmbedding || role == Role::PositionEmbedding || role == Role::OutputProjection;
    if (shape.size() == 2 && !embeds && transposed())
        std::swap(shape[0], shape[1]);
    return m_checkpoint.tensor(partName(*entry(role), block, "weight"), shape);
}

Norm WeightReader::norm(Role role, std::int64_t block) const {
    const TensorEntry* wanted = entry(role);
    if (!wanted)
        return {};
    if (hasNoWeights(*wanted))
        return {at::ones(shapeOf(role), at::kFloat), {}};
    Norm norm{converted(weightView(role, block)), {}};
    if (m_architecture.family->normAddsOne && m_checkpoint.format() == checkpoint::Format::HuggingFace)
        norm.weight.add_(1);
    if (wanted->bias == Bias::Always)
        norm.bias = converted(m_checkpoint.tensor(partName(*wanted, block, "bias"), shapeOf(role)));
    return norm;
}

// The parts' rows one under the other, as one matrix: one product instead of several.
Linear WeightReader::linear(std::initializer_list<Role> parts, std::int64_t block) const {
    std::int64_t rows = 0;
    for (const Role role : parts)
        rows += shapeOf(role)[0];
    const std::int64_t columns = shapeOf(*parts.begin())[1];

    Linear whole{at::empty({rows, columns}, at::kFloat), {}};
    std::int64_t row = 0;
    for (const Role role : parts) {
        const auto& view = weightView(role, block);
        const std::int64_t count = shapeOf(role)[0];
        if (transposed())
            whole.weight.narrow(0, row, count).copy_(converted(view).t());
        else
            convert(view, 0, count, whole.weight.mutable_data_ptr<float>() + row * columns);

        const std::string biasName = partName(*entry(role), block, "bias");
        const Bias bias = entry(role)->bias;
        if (bias == Bias::Always || (bias == Bias::IfPresent && m_checkpoint.find(biasName))) {
            if (!whole.bias.defined())
                whole.bias = at::zeros({rows}, at::kFloat);
            whole.bias.narrow(0, row, count).copy_(converted(m_checkpoint.tensor(biasName, {count})));
        }
        row += count;
    }
    return whole;
}

BlockWeights WeightReader::block(std::int64_t index) const {
    const Architecture& m = m_architecture;
    BlockWeights block;
    block.attentionNorm = norm(Role::AttentionNorm, index);
    if (entry(Role::QueryKeyValue)) {
        block.queryKeyValue = linear({Role::QueryKeyValue}, index);
        if (m.family->huggingFaceFused == Fused::GroupByGroup &&
            m_checkpoint.format() == checkpoint::Format::HuggingFace) {
            const std::int64_t queries = m.heads / m.kvHeads;  // of a group
            const auto apart = [&](const at::Tensor& t) {
                const at::Tensor groups = t.view({m.kvHeads, queries + 2, m.headDim, -1});
                return at::cat({groups.narrow(1, 0, queries).reshape({m.heads * m.headDim, -1}),
                                groups.select(1, queries).reshape({m.kvHeads * m.headDim, -1}),
                                groups.select(1, queries + 1).reshape({m.kvHeads * m.headDim, -1})})
                    .view(t.sizes());
            };
            block.queryKeyValue.weight = apart(block.queryKeyValue.weight);
            if (block.queryKeyValue.bias.defined())
                block.queryKeyValue.bias = apart(block.queryKeyValue.bias);
        }
    } else {
        block.queryKeyValue = linear({Role::Query, Role::Key, Role::Value}, index);
    }
    block.queryNorm = norm(Role::QueryNorm, index);
    block.keyNorm = norm(Role::KeyNorm, index);
    block.attentionOutput = linear({Role::AttentionOutput}, index);
    block.attentionOutNorm = norm(Role::AttentionOutNorm, index);
    block.attentionSumNorm = norm(Role::AttentionSumNorm, index);
    block.ffnNorm = norm(Role::FfnNorm, index);
    block.gateUp = entry(Role::GateUp) ? linear({Role::GateUp}, index)
                   : m.gated           ? linear({Role::Gate, Role::Up}, index)
                                       : linear({Role::Up}, index);
    block.down = linear({Role::Down}, index);
    block.ffnOutNorm = norm(Role::FfnOutNorm, index);
    block.ffnSumNorm = norm(Role::FfnSumNorm, index);
    return block;
}

void WeightReader::checkAll() const {
    for (const TensorEntry* entry : m_entries) {
        if (!entry || hasNoWeights(*entry) || entry->role == Role::OutputProjection)
            continue;
        if (entry->role == Role::PositionEmbedding &&
            m_architecture.family->position != PositionKind::Learned)
            continue;
        for (std::int64_t block = 0; block < (entry->inBlocks() ? m_architecture.blocks : 1); ++block) {
            weightView(entry->role, block);
            if (entry->bias == Bias::Always)
                m_checkpoint.tensor(partName(*entry, block, "bias"), {shapeOf(entry->role)[0]});
        }
    }
}

void WeightReader::forgetBlock(std::int64_t index) const {
    for (const TensorEntry* entry : m_entries)
        if (entry && entry->inBlocks())
            if (const auto* view = m_checkpoint.find(partName(*entry, index, "weight")))
                m_checkpoint.forget(*view);
}

Norm WeightReader::embeddingNorm() const {
    return norm(Role::EmbeddingNorm, noBlock);
}

Norm WeightReader::finalNorm() const {
    return norm(Role::FinalNorm, noBlock);
}

at::Tensor WeightReader::tokenEmbedding(const std::vector<std::int32_t>& ids) const {
    const auto& view = weightView(Role::TokenEmbedding, noBlock);
    const std::int64_t d = m_architecture.width;
    at::Tensor out = at::empty({static_cast<std::int64_t>(ids.size()), d}, at::kFloat);
    float* rows = out.mutable_data_ptr<float>();
    for (const std::int32_t id : ids)
        if (id < 0 || id >= m_architecture.vocabulary)
            throw Error(
                {.what = "the tokenizer gives an id that the model has no embedding for",
                 .where = m_checkpoint.location().string(),
                 .expected = "ids 0 to " + std::to_string(m_architecture.vocabulary - 1),
                 .found = std::to_string(id),
                 .advice = "tokenizer and weights do not belong together: fetch the checkpoint again"});
    at::parallel_for(0, out.size(0), 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i)
            toFloat32(view, ids[static_cast<std::size_t>(i)], 1, {rows + i * d, static_cast<std::size_t>(d)});
    });
    return out;
}

at::Tensor WeightReader::positionEmbedding(std::int64_t count) const {
    const auto& view = weightView(Role::PositionEmbedding, noBlock);
    at::Tensor out = at::empty({count, m_architecture.width}, at::kFloat);
    convert(view, m_architecture.family->positionOffset, count, out.mutable_data_ptr<float>());
    return out;
}

at::Tensor WeightReader::tokenTypeEmbedding() const {
    if (!entry(Role::TokenTypeEmbedding))
        return {};
    at::Tensor out = at::empty({1, m_architecture.width}, at::kFloat);
    convert(weightView(Role::TokenTypeEmbedding, noBlock), 0, 1, out.mutable_data_ptr<float>());
    return out;
}

at::Tensor WeightReader::relativeBias() const {
    return entry(Role::RelativeBias) ? converted(weightView(Role::RelativeBias, noBlock)) : at::Tensor();
}

std::int64_t WeightReader::ffnParameters() const {
    std::int64_t count = 0;
    for (const Role role : {Role::Gate, Role::Up, Role::GateUp, Role::Down}) {
        if (!present(role, 0))
            continue;
        count += weightView(role, 0).elements();
        if (const auto* bias = m_checkpoint.find(partName(*entry(role), 0, "bias"));
            bias && entry(role)->bias != Bias::Never)
            count += bias->elements();
    }
    return count;
}

std::int64_t WeightReader::modelParameters() const {
    std::set<const checkpoint::TensorView*> counted;  // two roles may share a tensor
    for (const TensorEntry* entry : m_entries) {
        if (!entry || (entry->role == Role::OutputProjection && m_architecture.tiedOutput))
            continue;
        for (std::int64_t block = 0; block < (entry->inBlocks() ? m_architecture.blocks : 1); ++block)
            for (const char* part : {"weight", "bias"})
                if (const auto* view = m_checkpoint.find(partName(*entry, block, part)))
                    counted.insert(view);
    }
    std::int64_t count = 0;
    for (const auto* view : counted)
        count += view->elements();
    return count;
}

Role WeightReader::outputRole() const {
    return m_architecture.tiedOutput ? Role::TokenEmbedding : Role::OutputProjection;
}

std::string WeightReader::whyNoPredictions() const {
    if (!m_architecture.family->causal)
        return "a masked model predicts no next tokens";
    return present(outputRole(), noBlock) ? "" : "the model has no language-model head";
}

Site WeightReader::site() const {
    return {entry(Role::FfnNorm) != nullptr, entry(Role::FfnOutNorm) != nullptr,
            entry(Role::FfnSumNorm) != nullptr, m_architecture.parallelResidual};
}

Linear WeightReader::outputProjection(std::int64_t firstRow, std::int64_t count) const {
    const auto& view = weightView(outputRole(), noBlock);
    Linear out{at::empty({count, m_architecture.width}, at::kFloat), {}};
    convert(view, firstRow, count, out.weight.mutable_data_ptr<float>());
    if (const TensorEntry* head = entry(Role::OutputProjection); head && head->bias == Bias::Always)
        out.bias =
            converted(m_checkpoint.tensor(partName(*head, noBlock, "bias"), {m_architecture.vocabulary}))
                .narrow(0, firstRow, count);
    return out;
}

}  // namespace straightedge::model
