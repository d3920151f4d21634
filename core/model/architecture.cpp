// SPDX-License-Identifier: GPL-3.0-or-later
#include "architecture.h"

#include <cmath>

#include "description.h"
#include "error.h"
#include "rotary.h"

namespace straightedge::model {

namespace {

using nlohmann::json;

Activation activationOf(const Description& description, const Family& family) {
    std::string name(family.activation);
    if (!description.isGguf())
        for (const char* key : {"hidden_act", "activation_function", "hidden_activation", "activation"})
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

// Options that change the computation and that nothing here honours.
void refuseOptions(const Description& description, const Family& family) {
    if (description.isGguf()) {
        if (const json* experts = description.value(description.ggufName("expert_count"));
            experts && *experts != 0)
            throw Error(
                {.what = "mixture-of-experts models are not supported: they have no single FFN a block",
                 .where = description.where(),
                 .found = experts->dump() + " experts"});
        return;
    }
    for (const auto& [option, value] : family.conditions)
        if (const json* found = description.value(option); found && found->dump() != value)
            description.refuse("the option " + std::string(option), std::string(value), *found);
    if (!family.sliding && description.flag("use_sliding_window", false))
        throw Error({.what = "the option use_sliding_window is not supported", .where = description.where()});
}

// config.json's list of one entry a block, null where there is none.
const json* listOfBlocks(const Description& description, const char* name, std::int64_t blocks) {
    const json* list = description.isGguf() ? nullptr : description.value(name);
    if (list && (!list->is_array() || list->size() != static_cast<std::size_t>(blocks)))
        description.refuse(name, "a list of " + std::to_string(blocks), *list);
    return list;
}

// GPT-Neo's older way to say it: [[["global", "local"], 12]], a pattern and how often it is repeated.
std::vector<std::string> expandedPatterns(const Description& description, std::int64_t blocks) {
    std::vector<std::string> kinds;
    const json* patterns = description.isGguf() ? nullptr : description.value("attention_types");
    if (!patterns || !patterns->is_array())
        return kinds;
    for (const json& pattern : *patterns) {
        if (!pattern.is_array() || pattern.size() != 2 || !pattern[0].is_array() || pattern[0].empty() ||
            !pattern[1].is_number_unsigned())
            description.refuse("attention_types", "patterns and how often each is repeated", *patterns);
        for (std::uint64_t i = 0; i < pattern[1] && kinds.size() < static_cast<std::size_t>(blocks); ++i)
            for (const json& kind : pattern[0])
                kinds.push_back(kind.is_string() ? kind.get<std::string>() : kind.dump());
    }
    if (kinds.size() != static_cast<std::size_t>(blocks))
        description.refuse("attention_types", std::to_string(blocks) + " blocks", *patterns);
    return kinds;
}

// Which blocks have a sliding window: as listed, else by the family's rule.
std::vector<bool> slidingBlocks(const Description& description, const Architecture& model,
                                const Sliding& sliding) {
    std::vector<std::string> kinds = expandedPatterns(description, model.blocks);
    for (const char* name : {"layer_types", "attention_layers"})
        if (const json* list = listOfBlocks(description, name, model.blocks)) {
            kinds.clear();
            for (const json& kind : *list)
                kinds.push_back(kind.is_string() ? kind.get<std::string>() : kind.dump());
            break;
        }
    std::vector<bool> slides(static_cast<std::size_t>(model.blocks));
    if (!kinds.empty()) {
        for (std::size_t i = 0; i < slides.size(); ++i) {
            slides[i] = kinds[i] == "sliding_attention" || kinds[i] == "local";
            if (!slides[i] && kinds[i] != "full_attention" && kinds[i] != "global")
                throw Error({.what = "a kind of attention is not supported",
                             .where = description.where(),
                             .expected = "full_attention, sliding_attention, global or local",
                             .found = kinds[i]});
        }
        return slides;
    }
    const std::int64_t every =
        description.size({{"sliding_window_pattern"}, ""}).value_or(sliding.globalEvery);
    std::int64_t first = 0;
    if (!sliding.globalFirst.empty())
        first = description.size({{sliding.globalFirst}, ""}).value_or(0);
    for (std::int64_t i = 0; i < model.blocks; ++i)
        slides[static_cast<std::size_t>(i)] = i >= first && (every == 0 || (i + 1) % every != 0);
    return slides;
}

// Which blocks have rotary positions at all.
std::vector<bool> rotaryBlocks(const Description& description, const Architecture& model) {
    std::vector<bool> turns(static_cast<std::size_t>(model.blocks), true);
    if (model.family->rotarylessEvery == 0)
        return turns;
    if (const json* list = listOfBlocks(description, "no_rope_layers", model.blocks)) {  // 0: without
        for (std::size_t i = 0; i < turns.size(); ++i)
            turns[i] = (*list)[i] != 0;
        return turns;
    }
    const std::int64_t every =
        description.size({{"no_rope_layer_interval"}, ""}).value_or(model.family->rotarylessEvery);
    for (std::int64_t i = 0; i < model.blocks; ++i)
        turns[static_cast<std::size_t>(i)] = (i + 1) % every != 0;
    return turns;
}

void readReaches(const Description& description, const checkpoint::Checkpoint& checkpoint,
                 Architecture& model) {
    const Family& family = *model.family;
    const bool rotary = family.position == PositionKind::Rotary;
    if (rotary)
        model.rotaries.push_back(readRotary(description, checkpoint, model));
    const std::vector<bool> turns = rotaryBlocks(description, model);
    for (const bool turned : turns)
        model.reaches.push_back({.window = 0, .rotary = rotary && turned ? 0 : -1});
    const auto& sliding = family.sliding;
    if (!sliding || (!sliding->onlyIf.empty() && !description.flag(sliding->onlyIf, false)))
        return;
    const auto window = description.size(sliding->window);
    if (!window)
        return;
    if (sliding->rotaryBase > 0)
        model.rotaries.push_back(readSlidingRotary(description, model, *sliding));
    const std::vector<bool> slides = slidingBlocks(description, model, *sliding);
    for (std::size_t i = 0; i < slides.size(); ++i)
        if (slides[i])
            model.reaches[i] = {.window = *window,
                                .rotary = sliding->rotaryBase > 0 ? 1 : model.reaches[i].rotary};
}

double attentionScaleOf(const Description& description, const Architecture& model) {
    if (model.family->attentionScale > 0)
        return model.family->attentionScale;
    double divisor = static_cast<double>(model.headDim);
    if (const auto found = description.real({{"query_pre_attn_scalar"}, ""}); found && *found > 0)
        divisor = *found;
    if (description.isGguf() && model.blocks == model.family->ggufWideScaleAt)
        divisor = static_cast<double>(model.width / model.heads);
    return 1 / std::sqrt(divisor);
}

double positiveOrNone(const Description& description, const Key& key) {
    return std::max(0.0, description.real(key).value_or(0));
}

std::int64_t keyValueHeads(const Description& description, const Family& family, std::int64_t heads) {
    if (!description.isGguf() && !family.oneKvHeadIf.empty() && description.flag(family.oneKvHeadIf, true) &&
        !description.flag(family.oneKvHeadUnless, false))
        return 1;
    return description.size(family.keys.kvHeads).value_or(heads);
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
    refuseOptions(description, family);

    Architecture model;
    model.family = &family;
    model.width = description.required(family.keys.width);
    model.blocks = description.required(family.keys.blocks);
    if (static_cast<std::size_t>(model.blocks) > checkpoint.tensors().size())
        throw Error({.what = "the description has more blocks than the checkpoint has tensors",
                     .where = description.where(),
                     .found = std::to_string(model.blocks) + " blocks, " +
                              std::to_string(checkpoint.tensors().size()) + " tensors",
                     .advice = "the checkpoint is incomplete: fetch it again"});
    model.heads = description.required(family.keys.heads);
    model.kvHeads = keyValueHeads(description, family, model.heads);
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
    if (family.countsOffset)
        model.maxPositions = std::max<std::int64_t>(0, model.maxPositions - family.positionOffset);
    const double usualEps = family.norm == NormKind::Layer ? 1e-5 : 1e-6;
    model.normEps =
        description.real(family.keys.normEps).value_or(family.normEps > 0 ? family.normEps : usualEps);
    model.activation = activationOf(description, family);
    model.gated = family.gated;
    model.parallelResidual = family.parallelResidual;
    if (description.isGguf()) {
        model.parallelResidual =
            description.flag(description.ggufName("use_parallel_residual"), family.parallelResidual);
        model.tiedOutput = checkpoint.find("output.weight") == nullptr;
    } else {
        if (!family.parallelKey.empty())
            model.parallelResidual = description.flag(family.parallelKey, family.parallelResidual);
        model.tiedOutput = description.flag("tie_word_embeddings", family.tiedOutput);
    }
    model.vocabulary = vocabularyOf(description, checkpoint, family);
    model.attentionScale = attentionScaleOf(description, model);
    model.attentionCap = positiveOrNone(description, {{"attn_logit_softcapping"}, "attn_logit_softcapping"});
    model.logitCap = positiveOrNone(description, {{"final_logit_softcapping"}, "final_logit_softcapping"});
    model.queryKeyValueClip = positiveOrNone(description, {{"clip_qkv"}, "attention.clamp_kqv"});
    readReaches(description, checkpoint, model);
    return model;
}

}  // namespace straightedge::model
