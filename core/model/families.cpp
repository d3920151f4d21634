// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"

#include <algorithm>
#include <iterator>

#include "error.h"
#include "families/kin.h"

namespace straightedge::model {

namespace {

// Models of another kind, by Hugging Face's and GGUF's names: known, so that their refusal can say why.
struct OtherKind {
    std::string_view why;
    std::vector<std::string_view> names;
};

const std::vector<OtherKind> otherKinds = {
    {"mixture-of-experts models are not supported: they have no single FFN a block",
     {"mixtral",      "qwen2_moe",   "qwen3_moe",      "qwen3_next", "olmoe",
      "phimoe",       "deepseek_v2", "deepseek_v3",    "dbrx",       "grok-1",
      "grok",         "jamba",       "jetmoe",         "granitemoe", "granitemoeshared",
      "gpt_oss",      "llama4",      "llama4_text",    "minimax",    "arctic",
      "ernie4_5_moe", "glm4_moe",    "hunyuan_v1_moe", "dots1",      "qwen2moe",
      "qwen3moe",     "deepseek2",   "gpt-oss",        "glm4moe",    "afmoe",
      "bailingmoe",   "ernie4_5-moe"}},
    {"encoder-decoder models are not supported",
     {"t5",
      "mt5",
      "umt5",
      "longt5",
      "t5encoder",
      "switch_transformers",
      "bart",
      "mbart",
      "plbart",
      "pegasus",
      "pegasus_x",
      "bigbird_pegasus",
      "marian",
      "m2m_100",
      "nllb-moe",
      "led",
      "blenderbot",
      "blenderbot-small",
      "prophetnet",
      "fsmt",
      "whisper",
      "speech_to_text",
      "encoder-decoder",
      "t5gemma"}},
    {"multimodal models are not supported; the text model alone, or a GGUF file of it, may be",
     {"gemma3", "gemma3n", "llava", "llava_next", "qwen2_vl", "qwen2_5_vl", "qwen3_vl", "mllama", "idefics3",
      "smolvlm", "mistral3", "phi4_multimodal", "internvl", "paligemma", "clip", "siglip"}},
    {"models without a feed-forward block of their own in every block are not supported",
     {"mamba", "mamba2", "falcon_mamba", "rwkv", "rwkv6", "rwkv7", "recurrent_gemma", "zamba", "zamba2",
      "bamba"}},
};

std::string knownFamilies() {
    std::string list;
    for (const Family& family : families())
        list += (list.empty() ? "" : ", ") + std::string(family.name);
    return list;
}

}  // namespace

const TensorEntry* Family::find(Role role) const {
    const auto found = std::ranges::find(tensors, role, &TensorEntry::role);
    return found == tensors.end() ? nullptr : &*found;
}

std::string Site::text() const {
    std::string x = "output of the norm before the FFN", y = "added to the residual stream as it is";
    if (!ffnNorm && parallelResidual)
        x = "output of the norm that attention and FFN share";
    else if (!ffnNorm)
        x = ffnSumNorm ? "the residual stream behind the attention and its norm"
                       : "the residual stream behind the attention; no norm stands before the FFN";
    if (ffnOutNorm)
        y = "before the norm that stands between it and the residual stream";
    else if (ffnSumNorm)
        y = "before it is added to the residual stream and normed with it";
    return "x: " + x + "; y: the FFN's output, " + y;
}

Site siteOf(const Family& family) {
    const auto required = [&](Role role) {
        const TensorEntry* entry = family.find(role);
        return entry && (entry->presence == Presence::Required || !family.parallelResidual);
    };
    return {required(Role::FfnNorm), required(Role::FfnOutNorm), required(Role::FfnSumNorm),
            family.parallelResidual};
}

std::span<const Family> families() {
    static const std::vector<Family> table = [] {
        std::vector<Family> all;
        for (auto kin : {llamaFamilies, gemmaFamilies, gptFamilies, encoderFamilies})
            std::ranges::move(kin(), std::back_inserter(all));
        return all;
    }();
    return table;
}

const Family& familyOf(const checkpoint::Checkpoint& checkpoint) {
    const bool gguf = checkpoint.format() == checkpoint::Format::Gguf;
    const char* key = gguf ? "general.architecture" : "model_type";
    const auto& metadata = checkpoint.metadata();
    const auto entry = metadata.find(key);
    if (entry == metadata.end() || !entry->is_string() || entry->get_ref<const std::string&>().empty())
        throw Error({.what = std::string("the model's family is not named: ") + key + " is missing",
                     .where = checkpoint.location().string(),
                     .expected = "one of " + knownFamilies(),
                     .advice = "check that the folder or file holds a language model"});
    const auto name = entry->get<std::string>();
    const auto found = std::ranges::find(families(), name, gguf ? &Family::gguf : &Family::name);
    if (found != families().end())
        return *found;
    for (const OtherKind& kind : otherKinds)
        if (std::ranges::find(kind.names, name) != kind.names.end())
            throw Error({.what = std::string(kind.why),
                         .where = checkpoint.location().string(),
                         .found = name,
                         .advice = "choose a model of one of these families: " + knownFamilies()});
    throw Error({.what = "model family is not supported",
                 .where = checkpoint.location().string(),
                 .expected = "one of " + knownFamilies(),
                 .found = name,
                 .advice = "choose a model of one of these families"});
}

}  // namespace straightedge::model
