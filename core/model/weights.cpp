// SPDX-License-Identifier: GPL-3.0-or-later
#include "weights.h"

#include <algorithm>

#include "error.h"

namespace straightedge::model {

namespace {

constexpr std::int64_t noBlock = -1;

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
    if (checkpoint.format() == checkpoint::Format::Gguf)
        return;
    const std::string embedding = std::string(family.find(Role::TokenEmbedding)->huggingFace) + ".weight";
    const auto fits = std::ranges::find_if(family.prefixes, [&](std::string_view prefix) {
        return checkpoint.find(std::string(prefix) + embedding) != nullptr;
    });
    m_prefix = fits == family.prefixes.end() ? family.prefixes.front() : *fits;
}

std::string WeightReader::name(Role role, std::int64_t block) const {
    const TensorEntry& entry = *m_architecture.family->find(role);
    const bool gguf = m_checkpoint.format() == checkpoint::Format::Gguf;
    std::string text(gguf ? entry.gguf : entry.huggingFace);
    if (const auto gap = text.find("{}"); gap != std::string::npos)
        text.replace(gap, 2, std::to_string(block));
    return role == Role::OutputProjection ? text : m_prefix + text;
}

bool WeightReader::present(Role role, std::int64_t block) const {
    return m_architecture.family->find(role) && m_checkpoint.find(name(role, block) + ".weight");
}

std::vector<std::int64_t> WeightReader::shapeOf(Role role) const {
    const Architecture& m = m_architecture;
    const std::int64_t q = m.heads * m.headDim, kv = m.kvHeads * m.headDim;
    switch (role) {
        case Role::TokenEmbedding:
        case Role::OutputProjection:
            return {m.vocabulary, m.width};
        case Role::PositionEmbedding:
            return {m.maxPositions, m.width};
        case Role::AttentionNorm:
        case Role::FfnNorm:
        case Role::FinalNorm:
            return {m.width};
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
        case Role::Down:
            return {m.width, m.ffnWidth};
    }
    return {};
}

const checkpoint::TensorView& WeightReader::weightView(Role role, std::int64_t block) const {
    std::vector<std::int64_t> shape = shapeOf(role);
    const bool embeds =
        role == Role::TokenEmbedding || role == Role::PositionEmbedding || role == Role::OutputProjection;
    if (shape.size() == 2 && !embeds && m_architecture.family->transposedLinear &&
        m_checkpoint.format() == checkpoint::Format::HuggingFace)
        std::swap(shape[0], shape[1]);
    return m_checkpoint.tensor(name(role, block) + ".weight", shape);
}

Norm WeightReader::norm(Role role, std::int64_t block) const {
    Norm norm{converted(weightView(role, block)), {}};
    if (m_architecture.family->find(role)->bias == Bias::Always)
        norm.bias = converted(m_checkpoint.tensor(name(role, block) + ".bias", shapeOf(role)));
    return norm;
}

// The parts' rows one under the other, as one matrix: one product instead of several.
Linear WeightReader::linear(std::initializer_list<Role> parts, std::int64_t block) const {
    const Family& family = *m_architecture.family;
    const bool transposed =
        family.transposedLinear && m_checkpoint.format() == checkpoint::Format::HuggingFace;
    std::int64_t rows = 0;
    for (const Role role : parts)
        rows += shapeOf(role)[0];
    const std::int64_t columns = shapeOf(*parts.begin())[1];

    Linear whole{at::empty({rows, columns}, at::kFloat), {}};
    std::int64_t row = 0;
    for (const Role role : parts) {
        const auto& view = weightView(role, block);
        const std::int64_t count = shapeOf(role)[0];
        if (transposed)
            whole.weight.narrow(0, row, count).copy_(converted(view).t());
        else
            convert(view, 0, count, whole.weight.mutable_data_ptr<float>() + row * columns);

        const std::string biasName = name(role, block) + ".bias";
        const Bias bias = family.find(role)->bias;
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
    if (m.family->find(Role::QueryKeyValue)) {
        block.queryKeyValue = linear({Role::QueryKeyValue}, index);
        if (m.family->huggingFaceFused == Fused::HeadByHead &&
            m_checkpoint.format() == checkpoint::Format::HuggingFace) {
            const auto apart =
                [&](const at::Tensor& t) {  // [heads, 3, headDim, ...] to [3, heads, headDim, ...]
                    const std::vector<std::int64_t> shape = t.sizes().vec();
                    return t.reshape({m.heads, 3, m.headDim, -1}).transpose(0, 1).reshape(shape).contiguous();
                };
            block.queryKeyValue.weight = apart(block.queryKeyValue.weight);
            if (block.queryKeyValue.bias.defined())
                block.queryKeyValue.bias = apart(block.queryKeyValue.bias);
        }
    } else {
        block.queryKeyValue = linear({Role::Query, Role::Key, Role::Value}, index);
    }
    block.attentionOutput = linear({Role::AttentionOutput}, index);
    block.ffnNorm = norm(Role::FfnNorm, index);
    block.gateUp = m.gated ? linear({Role::Gate, Role::Up}, index) : linear({Role::Up}, index);
    block.down = linear({Role::Down}, index);
    return block;
}

void WeightReader::checkAll() const {
    for (std::int64_t index = 0; index < m_architecture.blocks; ++index)
        for (const TensorEntry& entry : m_architecture.family->tensors) {
            if (entry.huggingFace.find("{}") == std::string_view::npos)
                continue;
            weightView(entry.role, index);
            if (entry.bias == Bias::Always)
                m_checkpoint.tensor(name(entry.role, index) + ".bias", {shapeOf(entry.role)[0]});
        }
    weightView(Role::TokenEmbedding, noBlock);
    if (m_architecture.family->position == PositionKind::Learned)
        weightView(Role::PositionEmbedding, noBlock);
}

void WeightReader::forgetBlock(std::int64_t index) const {
    for (const TensorEntry& entry : m_architecture.family->tensors)
        if (entry.huggingFace.find("{}") != std::string_view::npos)
            if (const auto* view = m_checkpoint.find(name(entry.role, index) + ".weight"))
                m_checkpoint.forget(*view);
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
    convert(view, 0, count, out.mutable_data_ptr<float>());
    return out;
}

std::int64_t WeightReader::ffnParameters() const {
    std::int64_t count = 0;
    for (const Role role : {Role::Gate, Role::Up, Role::Down}) {
        if (!present(role, 0))
            continue;
        count += weightView(role, 0).elements();
        if (const auto* bias = m_checkpoint.find(name(role, 0) + ".bias");
            bias && m_architecture.family->find(role)->bias != Bias::Never)
            count += bias->elements();
    }
    return count;
}

std::int64_t WeightReader::modelParameters() const {
    std::int64_t count = 0;
    for (const TensorEntry& entry : m_architecture.family->tensors) {
        if (entry.role == Role::OutputProjection && m_architecture.tiedOutput)
            continue;
        const bool inBlocks = entry.huggingFace.find("{}") != std::string_view::npos;
        for (std::int64_t block = 0; block < (inBlocks ? m_architecture.blocks : 1); ++block)
            for (const char* part : {".weight", ".bias"})
                if (const auto* view = m_checkpoint.find(name(entry.role, block) + part))
                    count += view->elements();
    }
    return count;
}

Role WeightReader::outputRole() const {
    return m_architecture.tiedOutput ? Role::TokenEmbedding : Role::OutputProjection;
}

bool WeightReader::hasOutputProjection() const {
    return present(outputRole(), noBlock);
}

at::Tensor WeightReader::outputProjection(std::int64_t firstRow, std::int64_t count) const {
    const auto& view = weightView(outputRole(), noBlock);
    at::Tensor out = at::empty({count, m_architecture.width}, at::kFloat);
    convert(view, firstRow, count, out.mutable_data_ptr<float>());
    return out;
}

}  // namespace straightedge::model
