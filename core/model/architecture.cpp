// SPDX-License-Identifier: GPL-3.0-or-later
#include "architecture.h"

#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include "error.h"

namespace straightedge::model {

namespace {

using nlohmann::json;

constexpr std::int64_t largestSize = std::int64_t{1}
                                     << 30;  // of any one dimension; keeps products inside 64 bits

// Typed, checked look-ups in a checkpoint's description.
class Description {
  public:
    explicit Description(const checkpoint::Checkpoint& checkpoint, const Family& family)
        : m_metadata(checkpoint.metadata()),
          m_where(checkpoint.location().string()),
          m_gguf(checkpoint.format() == checkpoint::Format::Gguf),
          m_ggufPrefix(std::string(family.gguf) + ".") {}

    bool isGguf() const { return m_gguf; }
    const std::string& where() const { return m_where; }

    // The value under a name, null where it is not there or is null.
    const json* value(std::string_view name) const {
        const auto found = m_metadata.find(name);
        return found == m_metadata.end() || found->is_null() ? nullptr : &*found;
    }

    std::string ggufName(std::string_view name) const { return m_ggufPrefix + std::string(name); }

    std::optional<std::int64_t> size(const Key& key) const {
        const auto [name, found] = find(key);
        if (!found)
            return std::nullopt;
        const json* entry = found;
        if (entry->is_array() && !entry->empty()) {  // GGUF gives some sizes a block; they must agree
            for (const json& other : *entry)
                if (other != entry->front())
                    throw Error({.what = "blocks of different sizes are not supported",
                                 .where = m_where,
                                 .found = name});
            entry = &entry->front();
        }
        if (!entry->is_number_integer() || *entry < 1 || *entry > largestSize)
            refuse(name, "a whole number from 1 to " + std::to_string(largestSize), *entry);
        return entry->get<std::int64_t>();
    }

    std::int64_t required(const Key& key) const {
        if (const auto found = size(key))
            return *found;
        throw Error({.what = "the model's description lacks " + nameOf(key),
                     .where = m_where,
                     .advice = "the checkpoint is incomplete: fetch it again"});
    }

    std::optional<double> real(const Key& key) const {
        const auto [name, found] = find(key);
        if (!found)
            return std::nullopt;
        if (!found->is_number() || !std::isfinite(found->get<double>()))
            refuse(name, "a number", *found);
        return found->get<double>();
    }

    bool flag(std::string_view name, bool otherwise) const {
        const json* found = value(name);
        if (!found)
            return otherwise;
        if (!found->is_boolean())
            refuse(std::string(name), "true or false", *found);
        return found->get<bool>();
    }

    std::optional<std::string> text(std::string_view name) const {
        const json* found = value(name);
        if (!found)
            return std::nullopt;
        if (!found->is_string())
            refuse(std::string(name), "a text", *found);
        return found->get<std::string>();
    }

    [[noreturn]] void refuse(const std::string& name, const std::string& expected, const json& found) const {
        throw Error({.what = name + " cannot be used",
                     .where = m_where,
                     .expected = expected,
                     .found = found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80)});
    }

  private:
    std::string nameOf(const Key& key) const {
        if (m_gguf)
            return ggufName(key.gguf);
        return key.huggingFace.empty() ? std::string("a size") : std::string(key.huggingFace.front());
    }

    std::pair<std::string, const json*> find(const Key& key) const {
        if (m_gguf) {
            if (key.gguf.empty())
                return {};
            const std::string name = ggufName(key.gguf);
            return {name, value(name)};
        }
        for (const std::string_view name : key.huggingFace)
            if (const json* found = value(name))
                return {std::string(name), found};
        return {};
    }

    const json& m_metadata;
    std::string m_where;
    bool m_gguf;
    std::string m_ggufPrefix;
};

Activation activationOf(const Description& description, const Family& family) {
    std::string name(family.activation);
    if (!description.isGguf())
        for (const char* key : {"hidden_act", "activation_function", "hidden_activation"})
            if (const auto found = description.text(key)) {
                name = *found;
                break;
            }
    if (name == "gelu" || name == "gelu_python")
        return Activation::Gelu;
    if (name == "gelu_new" || name == "gelu_fast" || name == "gelu_pytorch_tanh")
        return Activation::GeluTanh;
    if (name == "silu" || name == "swish")
        return Activation::Silu;
    if (name == "relu")
        return Activation::Relu;
    throw Error({.what = "activation is not supported",
                 .where = description.where(),
                 .expected = "gelu, gelu_new, gelu_fast, gelu_pytorch_tanh, silu or relu",
                 .found = name});
}

// Llama 3.1's scaling: long waves are slowed by the factor, short ones kept, those between blended.
// Source: transformers, modeling_rope_utils, rope_type "llama3".
void scaleLikeLlama3(std::vector<float>& frequencies, const Description& description, const json& scaling) {
    const auto number = [&](const char* name) {
        const auto found = scaling.find(name);
        if (found == scaling.end() || !found->is_number() || !(found->get<double>() > 0))
            throw Error({.what = std::string("rope scaling llama3 lacks a positive ") + name,
                         .where = description.where()});
        return found->get<double>();
    };
    const double factor = number("factor"), low = number("low_freq_factor"),
                 high = number("high_freq_factor");
    const double original = number("original_max_position_embeddings");
    if (!(high > low))
        throw Error({.what = "rope scaling llama3: high_freq_factor must exceed low_freq_factor",
                     .where = description.where()});
    for (float& frequency : frequencies) {
        const double wavelength = 2 * std::numbers::pi / frequency;
        if (wavelength < original / high)
            continue;
        if (wavelength > original / low) {
            frequency = static_cast<float>(frequency / factor);
            continue;
        }
        const double smooth = (original / wavelength - low) / (high - low);
        frequency = static_cast<float>((1 - smooth) * frequency / factor + smooth * frequency);
    }
}

void divide(std::vector<float>& frequencies, double factor) {
    for (float& frequency : frequencies)
        frequency = static_cast<float>(frequency / factor);
}

void scaleByConfig(std::vector<float>& frequencies, const Description& description, const json& scaling,
                   std::vector<std::string>& notes) {
    if (!scaling.is_object())
        description.refuse("rope_scaling", "an object", scaling);
    const auto entry = scaling.contains("rope_type") ? scaling.find("rope_type") : scaling.find("type");
    if (entry == scaling.end() || !entry->is_string())
        return;  // rope_parameters with nothing but the base
    const auto kind = entry->get<std::string>();
    if (kind == "default")
        return;
    if (kind == "linear") {
        const auto factor = scaling.find("factor");
        if (factor == scaling.end() || !factor->is_number() || !(factor->get<double>() > 0))
            description.refuse("rope_scaling", "a positive factor", scaling);
        divide(frequencies, factor->get<double>());
    } else if (kind == "llama3") {
        scaleLikeLlama3(frequencies, description, scaling);
    } else if (kind == "dynamic") {
        notes.push_back("rope scaling \"dynamic\" is ignored: it changes nothing inside the trained length");
    } else {
        throw Error({.what = "rope scaling is not supported",
                     .where = description.where(),
                     .expected = "default, linear, dynamic or llama3",
                     .found = kind});
    }
}

void scaleByGguf(std::vector<float>& frequencies, const Description& description,
                 const checkpoint::Checkpoint& checkpoint) {
    const auto kind = description.text(description.ggufName("rope.scaling.type"));
    const Key factorKey{{}, "rope.scaling.factor"};
    if (kind && *kind != "none") {
        if (*kind != "linear")
            throw Error({.what = "rope scaling is not supported",
                         .where = description.where(),
                         .expected = "none or linear",
                         .found = *kind});
        const double factor = description.real(factorKey).value_or(0);
        if (!(factor > 0))
            throw Error(
                {.what = "rope scaling linear lacks a positive factor", .where = description.where()});
        divide(frequencies, factor);
    }
    if (checkpoint.find("rope_freqs.weight")) {  // Llama 3.1's factors, worked out by the converter
        const auto& factors =
            checkpoint.tensor("rope_freqs.weight", {static_cast<std::int64_t>(frequencies.size())});
        std::vector<float> by(frequencies.size());
        toFloat32(factors, 0, factors.rows(), by);
        for (std::size_t i = 0; i < by.size(); ++i)
            frequencies[i] /= by[i];
    }
}

Rotary rotaryOf(const Description& description, const checkpoint::Checkpoint& checkpoint,
                Architecture& architecture) {
    const Family& family = *architecture.family;
    Rotary rotary;
    rotary.pairs = description.isGguf() ? family.ggufPairs : RotaryPairs::Halves;

    const json* parameters = description.isGguf() ? nullptr : description.value("rope_parameters");
    const auto inParameters = [&](const char* name) -> std::optional<double> {
        if (!parameters || !parameters->is_object() || !parameters->contains(name) ||
            !(*parameters)[name].is_number())
            return std::nullopt;
        return (*parameters)[name].get<double>();
    };

    double base = 10'000;
    double fraction = family.rotaryFraction;
    if (const auto found = description.real({{"rope_theta", "rotary_emb_base"}, "rope.freq_base"}))
        base = *found;
    else if (const auto inside = inParameters("rope_theta"))
        base = *inside;
    if (const auto found = description.real({{"rotary_pct", "partial_rotary_factor"}, ""}))
        fraction = *found;
    else if (const auto inside = inParameters("partial_rotary_factor"))
        fraction = *inside;

    auto dims = static_cast<std::int64_t>(static_cast<double>(architecture.headDim) * fraction);
    if (const auto found = description.size({{}, "rope.dimension_count"}))
        dims = *found;
    if (dims < 2 || dims % 2 != 0 || dims > architecture.headDim || !(base > 0))
        throw Error(
            {.what = "rotary dimensions cannot be used",
             .where = description.where(),
             .expected = "an even number up to the head size, " + std::to_string(architecture.headDim),
             .found = std::to_string(dims)});

    rotary.inverseFrequencies.resize(static_cast<std::size_t>(dims / 2));
    for (std::size_t i = 0; i < rotary.inverseFrequencies.size(); ++i)
        rotary.inverseFrequencies[i] =
            1.0f / static_cast<float>(std::pow(base, static_cast<double>(2 * i) / static_cast<double>(dims)));

    if (description.isGguf())
        scaleByGguf(rotary.inverseFrequencies, description, checkpoint);
    else if (const json* scaling = description.value("rope_scaling"))
        scaleByConfig(rotary.inverseFrequencies, description, *scaling, architecture.notes);
    else if (parameters)
        scaleByConfig(rotary.inverseFrequencies, description, *parameters, architecture.notes);
    return rotary;
}

// From the token embedding itself: descriptions of padded vocabularies do not agree on what to count.
std::int64_t vocabularyOf(const Description& description, const checkpoint::Checkpoint& checkpoint,
                          const Family& family) {
    const TensorEntry& entry = *family.find(Role::TokenEmbedding);
    std::vector<std::string> names;
    if (description.isGguf())
        names.push_back(std::string(entry.gguf) + ".weight");
    else
        for (const std::string_view prefix : family.prefixes)
            names.push_back(std::string(prefix) + std::string(entry.huggingFace) + ".weight");
    for (const std::string& name : names)
        if (const auto* embedding = checkpoint.find(name); embedding && embedding->shape.size() == 2)
            return embedding->shape[0];
    throw Error({.what = "tensor " + names.front() + " is missing or is not a matrix",
                 .where = description.where(),
                 .expected = "the token embedding",
                 .advice = "the checkpoint is incomplete: fetch it again"});
}

void refuseOptions(const Description& description) {
    // Options that change the computation and that nothing here honours.
    for (const char* name : {"scale_attn_by_inverse_layer_idx", "use_sliding_window"})
        if (description.flag(name, false))
            throw Error({.what = std::string("the option ") + name + " is not supported",
                         .where = description.where()});
    if (const auto experts = description.value(description.ggufName("expert_count"));
        description.isGguf() && experts && *experts != 0)
        throw Error({.what = "mixture-of-experts models are not supported: they have no single FFN a block",
                     .where = description.where(),
                     .found = experts->dump() + " experts"});
}

}  // namespace

std::string Architecture::activationName() const {
    std::string name;
    switch (activation) {
        case Activation::Gelu:
            name = "gelu";
            break;
        case Activation::GeluTanh:
            name = "gelu-tanh";
            break;
        case Activation::Relu:
            name = "relu";
            break;
        case Activation::Silu:
            name = "silu";
            break;
    }
    return gated ? name + "-gated" : name;
}

Architecture readArchitecture(const checkpoint::Checkpoint& checkpoint) {
    const Family& family = familyOf(checkpoint);
    const Description description(checkpoint, family);
    refuseOptions(description);

    Architecture model;
    model.family = &family;
    model.width = description.required(family.keys.width);
    model.blocks = description.required(family.keys.blocks);
    model.heads = description.required(family.keys.heads);
    model.kvHeads = description.size(family.keys.kvHeads).value_or(model.heads);
    if (model.heads % model.kvHeads != 0)
        throw Error({.what = "heads do not fall into groups",
                     .where = description.where(),
                     .expected = "a number of heads that the number of key and value heads divides",
                     .found = std::to_string(model.heads) + " and " + std::to_string(model.kvHeads)});
    if (const auto headDim = description.size(family.keys.headDim)) {
        model.headDim = *headDim;
    } else {
        if (model.width % model.heads != 0)
            throw Error({.what = "the width is not a multiple of the number of heads",
                         .where = description.where(),
                         .found = std::to_string(model.width) + " and " + std::to_string(model.heads)});
        model.headDim = model.width / model.heads;
    }
    model.ffnWidth = description.size(family.keys.ffnWidth).value_or(4 * model.width);
    model.maxPositions = description.size(family.keys.positions).value_or(0);
    model.normEps =
        description.real(family.keys.normEps).value_or(family.norm == NormKind::Layer ? 1e-5 : 1e-6);
    model.activation = activationOf(description, family);
    model.gated = family.gated;
    model.parallelResidual = family.parallelResidual;
    if (description.isGguf()) {
        model.parallelResidual =
            description.flag(description.ggufName("use_parallel_residual"), family.parallelResidual);
        model.tiedOutput = checkpoint.find("output.weight") == nullptr;
    } else {
        model.parallelResidual = description.flag("use_parallel_residual", family.parallelResidual);
        model.tiedOutput = description.flag("tie_word_embeddings", family.tiedOutput);
    }
    model.vocabulary = vocabularyOf(description, checkpoint, family);
    if (family.position == PositionKind::Rotary)
        model.rotary = rotaryOf(description, checkpoint, model);
    return model;
}

}  // namespace straightedge::model
