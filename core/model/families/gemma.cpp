// SPDX-License-Identifier: GPL-3.0-or-later
#include "kin.h"

namespace straightedge::model {

namespace {

const Keys keys = {.width = {{"hidden_size"}, "embedding_length"},
                   .blocks = {{"num_hidden_layers"}, "block_count"},
                   .heads = {{"num_attention_heads"}, "attention.head_count"},
                   .kvHeads = {{"num_key_value_heads"}, "attention.head_count_kv"},
                   .headDim = {{"head_dim"}, "attention.key_length"},
                   .ffnWidth = {{"intermediate_size"}, "feed_forward_length"},
                   .positions = {{"max_position_embeddings"}, "context_length"},
                   .normEps = {{"rms_norm_eps"}, "attention.layer_norm_rms_epsilon"}};

using Tensors = std::vector<TensorEntry>;

const Tensors common = {
    {Role::TokenEmbedding, "embed_tokens", "token_embd"},
    {Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm"},
    {Role::Query, "layers.{}.self_attn.q_proj", "blk.{}.attn_q", Bias::IfPresent},
    {Role::Key, "layers.{}.self_attn.k_proj", "blk.{}.attn_k", Bias::IfPresent},
    {Role::Value, "layers.{}.self_attn.v_proj", "blk.{}.attn_v", Bias::IfPresent},
    {Role::AttentionOutput, "layers.{}.self_attn.o_proj", "blk.{}.attn_output", Bias::IfPresent},
    {Role::Gate, "layers.{}.mlp.gate_proj", "blk.{}.ffn_gate"},
    {Role::Up, "layers.{}.mlp.up_proj", "blk.{}.ffn_up"},
    {Role::Down, "layers.{}.mlp.down_proj", "blk.{}.ffn_down"},
    {Role::FinalNorm, "norm", "output_norm"},
    {Role::OutputProjection, "lm_head", "output"}};
// Around attention and FFN, where Llama's name for the norm before the FFN is that of the one behind the
// attention.
const Tensors around = {
    {Role::AttentionOutNorm, "layers.{}.post_attention_layernorm", "blk.{}.post_attention_norm"},
    {Role::FfnNorm, "layers.{}.pre_feedforward_layernorm", "blk.{}.ffn_norm"},
    {Role::FfnOutNorm, "layers.{}.post_feedforward_layernorm", "blk.{}.post_ffw_norm"}};

}  // namespace

std::vector<Family> gemmaFamilies() {
    return {
        {
            .name = "gemma",
            .gguf = "gemma",
            .title = "Gemma",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .normAddsOne = true,
            .scalesEmbedding = true,
            .activation = "gelu_pytorch_tanh",
            .gated = true,
            .tiedOutput = true,
            .tensors = joined(
                common, Tensors{{Role::FfnNorm, "layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"}}),
        },
        {
            .name = "gemma2",
            .gguf = "gemma2",
            .title = "Gemma 2",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .normAddsOne = true,
            .scalesEmbedding = true,
            .sliding = Sliding{.window = {{"sliding_window"}, "attention.sliding_window"}, .globalEvery = 2},
            .ggufWideScaleAt = 46,
            .activation = "gelu_pytorch_tanh",
            .gated = true,
            .tiedOutput = true,
            .tensors = joined(common, around),
        },
        {
            .name = "gemma3_text",
            .gguf = "gemma3",
            .title = "Gemma 3 (text)",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .normAddsOne = true,
            .scalesEmbedding = true,
            .sliding = Sliding{.window = {{"sliding_window"}, "attention.sliding_window"},
                               .globalEvery = 6,
                               .rotaryBase = 10'000,
                               .rotaryBaseKey = "rope_local_base_freq"},
            .ggufWideScaleAt = 62,
            .activation = "gelu_pytorch_tanh",
            .gated = true,
            .tiedOutput = true,
            .conditions = {{"use_bidirectional_attention", "false"}},
            .tensors = joined(joined(common, around),
                              Tensors{{Role::QueryNorm, "layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"},
                                      {Role::KeyNorm, "layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"}}),
        },
    };
}

}  // namespace straightedge::model
