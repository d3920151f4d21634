// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"

#include <algorithm>

#include "error.h"

namespace straightedge::model {

namespace {

constexpr std::string_view plainSite =
    "x: output of the norm before the FFN; y: the FFN's output, added to the residual stream as it is";

const std::vector<Family> table = {
    {
        .name = "gpt2",
        .gguf = "gpt2",
        .title = "GPT-2",
        .site = plainSite,
        .prefixes = {"transformer.", ""},
        .keys = {.width = {{"n_embd", "hidden_size"}, "embedding_length"},
                 .blocks = {{"n_layer", "num_hidden_layers"}, "block_count"},
                 .heads = {{"n_head", "num_attention_heads"}, "attention.head_count"},
                 .kvHeads = {},
                 .headDim = {},
                 .ffnWidth = {{"n_inner"}, "feed_forward_length"},
                 .positions = {{"n_positions", "n_ctx", "max_position_embeddings"}, "context_length"},
                 .normEps = {{"layer_norm_epsilon"}, "attention.layer_norm_epsilon"}},
        .norm = NormKind::Layer,
        .position = PositionKind::Learned,
        .activation = "gelu_new",
        .transposedLinear = true,
        .tiedOutput = true,
        .tensors = {{Role::TokenEmbedding, "wte", "token_embd"},
                    {Role::PositionEmbedding, "wpe", "position_embd"},
                    {Role::AttentionNorm, "h.{}.ln_1", "blk.{}.attn_norm", Bias::Always},
                    {Role::QueryKeyValue, "h.{}.attn.c_attn", "blk.{}.attn_qkv", Bias::Always},
                    {Role::AttentionOutput, "h.{}.attn.c_proj", "blk.{}.attn_output", Bias::Always},
                    {Role::FfnNorm, "h.{}.ln_2", "blk.{}.ffn_norm", Bias::Always},
                    {Role::Up, "h.{}.mlp.c_fc", "blk.{}.ffn_up", Bias::Always},
                    {Role::Down, "h.{}.mlp.c_proj", "blk.{}.ffn_down", Bias::Always},
                    {Role::FinalNorm, "ln_f", "output_norm", Bias::Always},
                    {Role::OutputProjection, "lm_head", "output"}},
    },
    {
        .name = "gpt_neox",
        .gguf = "gptneox",
        .title = "GPT-NeoX (Pythia)",
        .site = plainSite,
        .prefixes = {"gpt_neox.", ""},
        .keys = {.width = {{"hidden_size"}, "embedding_length"},
                 .blocks = {{"num_hidden_layers"}, "block_count"},
                 .heads = {{"num_attention_heads"}, "attention.head_count"},
                 .kvHeads = {},
                 .headDim = {},
                 .ffnWidth = {{"intermediate_size"}, "feed_forward_length"},
                 .positions = {{"max_position_embeddings"}, "context_length"},
                 .normEps = {{"layer_norm_eps"}, "attention.layer_norm_epsilon"}},
        .norm = NormKind::Layer,
        .activation = "gelu",
        .parallelResidual = true,
        .rotaryFraction = 0.25,
        .huggingFaceFused = Fused::HeadByHead,
        .tensors = {{Role::TokenEmbedding, "embed_in", "token_embd"},
                    {Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm", Bias::Always},
                    {Role::QueryKeyValue, "layers.{}.attention.query_key_value", "blk.{}.attn_qkv",
                     Bias::IfPresent},
                    {Role::AttentionOutput, "layers.{}.attention.dense", "blk.{}.attn_output",
                     Bias::IfPresent},
                    {Role::FfnNorm, "layers.{}.post_attention_layernorm", "blk.{}.ffn_norm", Bias::Always},
                    {Role::Up, "layers.{}.mlp.dense_h_to_4h", "blk.{}.ffn_up", Bias::Always},
                    {Role::Down, "layers.{}.mlp.dense_4h_to_h", "blk.{}.ffn_down", Bias::Always},
                    {Role::FinalNorm, "final_layer_norm", "output_norm", Bias::Always},
                    {Role::OutputProjection, "embed_out", "output"}},
    },
    {
        .name = "llama",
        .gguf = "llama",
        .title = "Llama",
        .site = plainSite,
        .prefixes = {"model.", ""},
        .keys = {.width = {{"hidden_size"}, "embedding_length"},
                 .blocks = {{"num_hidden_layers"}, "block_count"},
                 .heads = {{"num_attention_heads"}, "attention.head_count"},
                 .kvHeads = {{"num_key_value_heads"}, "attention.head_count_kv"},
                 .headDim = {{"head_dim"}, "attention.key_length"},
                 .ffnWidth = {{"intermediate_size"}, "feed_forward_length"},
                 .positions = {{"max_position_embeddings"}, "context_length"},
                 .normEps = {{"rms_norm_eps"}, "attention.layer_norm_rms_epsilon"}},
        .norm = NormKind::Rms,
        .ggufPairs = RotaryPairs::Neighbours,
        .activation = "silu",
        .gated = true,
        .tensors = {{Role::TokenEmbedding, "embed_tokens", "token_embd"},
                    {Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm"},
                    {Role::Query, "layers.{}.self_attn.q_proj", "blk.{}.attn_q", Bias::IfPresent},
                    {Role::Key, "layers.{}.self_attn.k_proj", "blk.{}.attn_k", Bias::IfPresent},
                    {Role::Value, "layers.{}.self_attn.v_proj", "blk.{}.attn_v", Bias::IfPresent},
                    {Role::AttentionOutput, "layers.{}.self_attn.o_proj", "blk.{}.attn_output",
                     Bias::IfPresent},
                    {Role::FfnNorm, "layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"},
                    {Role::Gate, "layers.{}.mlp.gate_proj", "blk.{}.ffn_gate", Bias::IfPresent},
                    {Role::Up, "layers.{}.mlp.up_proj", "blk.{}.ffn_up", Bias::IfPresent},
                    {Role::Down, "layers.{}.mlp.down_proj", "blk.{}.ffn_down", Bias::IfPresent},
                    {Role::FinalNorm, "norm", "output_norm"},
                    {Role::OutputProjection, "lm_head", "output"}},
    },
};

std::string knownFamilies() {
    std::string list;
    for (const Family& family : table)
        list += (list.empty() ? "" : ", ") + std::string(family.name);
    return list;
}

}  // namespace

const TensorEntry* Family::find(Role role) const {
    const auto found = std::ranges::find(tensors, role, &TensorEntry::role);
    return found == tensors.end() ? nullptr : &*found;
}

std::span<const Family> families() {
    return table;
}

const Family& familyOf(const checkpoint::Checkpoint& checkpoint) {
    const bool gguf = checkpoint.format() == checkpoint::Format::Gguf;
    const char* key = gguf ? "general.architecture" : "model_type";
    const auto& metadata = checkpoint.metadata();
    const auto entry = metadata.find(key);
    if (entry == metadata.end() || !entry->is_string())
        throw Error({.what = std::string("the model's family is not named: ") + key + " is missing",
                     .where = checkpoint.location().string(),
                     .expected = "one of " + knownFamilies(),
                     .advice = "check that the folder or file holds a language model"});
    const auto name = entry->get<std::string>();
    const auto found = std::ranges::find(table, name, gguf ? &Family::gguf : &Family::name);
    if (found == table.end())
        throw Error({.what = "model family is not supported",
                     .where = checkpoint.location().string(),
                     .expected = "one of " + knownFamilies(),
                     .found = name,
                     .advice = "choose a model of one of these families"});
    return *found;
}

}  // namespace straightedge::model
