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

Keys withEps(Key eps) {
    Keys changed = keys;
    changed.normEps = std::move(eps);
    return changed;
}

using Tensors = std::vector<TensorEntry>;

const Tensors ends = {{Role::TokenEmbedding, "embed_tokens", "token_embd"},
                      {Role::FinalNorm, "norm", "output_norm"},
                      {Role::OutputProjection, "lm_head", "output"}};
const Tensors norms = {{Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm"},
                       {Role::FfnNorm, "layers.{}.post_attention_layernorm", "blk.{}.ffn_norm"}};
const Tensors queryKeyValue = {{Role::Query, "layers.{}.self_attn.q_proj", "blk.{}.attn_q", Bias::IfPresent},
                               {Role::Key, "layers.{}.self_attn.k_proj", "blk.{}.attn_k", Bias::IfPresent},
                               {Role::Value, "layers.{}.self_attn.v_proj", "blk.{}.attn_v", Bias::IfPresent}};
const Tensors attentionOutput = {
    {Role::AttentionOutput, "layers.{}.self_attn.o_proj", "blk.{}.attn_output", Bias::IfPresent}};
const Tensors headNorms = {{Role::QueryNorm, "layers.{}.self_attn.q_norm", "blk.{}.attn_q_norm"},
                           {Role::KeyNorm, "layers.{}.self_attn.k_norm", "blk.{}.attn_k_norm"}};
const Tensors ffn = {{Role::Gate, "layers.{}.mlp.gate_proj", "blk.{}.ffn_gate", Bias::IfPresent},
                     {Role::Up, "layers.{}.mlp.up_proj", "blk.{}.ffn_up", Bias::IfPresent},
                     {Role::Down, "layers.{}.mlp.down_proj", "blk.{}.ffn_down", Bias::IfPresent}};

const Tensors tensors = joined(joined(joined(joined(ends, norms), queryKeyValue), attentionOutput), ffn);

}  // namespace

std::vector<Family> llamaFamilies() {
    return {
        {
            .name = "llama",
            .gguf = "llama",
            .title = "Llama (SmolLM2, TinyLlama)",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .ggufPairs = RotaryPairs::Neighbours,
            .activation = "silu",
            .gated = true,
            .tensors = tensors,
        },
        {
            .name = "mistral",
            .gguf = "llama",
            .title = "Mistral",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .ggufPairs = RotaryPairs::Neighbours,
            .sliding = Sliding{.window = {{"sliding_window"}, ""}},
            .activation = "silu",
            .gated = true,
            .tensors = tensors,
        },
        {
            .name = "qwen2",
            .gguf = "qwen2",
            .title = "Qwen2, Qwen2.5",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .sliding = Sliding{.window = {{"sliding_window"}, ""},
                               .onlyIf = "use_sliding_window",
                               .globalFirst = "max_window_layers"},
            .activation = "silu",
            .gated = true,
            .tensors = tensors,
        },
        {
            .name = "qwen3",
            .gguf = "qwen3",
            .title = "Qwen3",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .sliding = Sliding{.window = {{"sliding_window"}, ""},
                               .onlyIf = "use_sliding_window",
                               .globalFirst = "max_window_layers"},
            .activation = "silu",
            .gated = true,
            .tensors = joined(tensors, headNorms),
        },
        {
            .name = "smollm3",
            .gguf = "smollm3",
            .title = "SmolLM3",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .ggufPairs = RotaryPairs::Neighbours,
            .rotarylessEvery = 4,
            .sliding = Sliding{.window = {{"sliding_window"}, ""}, .onlyIf = "use_sliding_window"},
            .activation = "silu",
            .gated = true,
            .tiedOutput = true,
            .tensors = tensors,
        },
        {
            .name = "phi3",
            .gguf = "phi3",
            .title = "Phi-3, Phi-3.5 mini, Phi-4",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .sliding = Sliding{.window = {{"sliding_window"}, "attention.sliding_window"}},
            .activation = "silu",
            .gated = true,
            .tensors =
                joined(joined(ends, norms),
                       Tensors{{Role::QueryKeyValue, "layers.{}.self_attn.qkv_proj", "blk.{}.attn_qkv"},
                               {Role::AttentionOutput, "layers.{}.self_attn.o_proj", "blk.{}.attn_output"},
                               {Role::GateUp, "layers.{}.mlp.gate_up_proj", "blk.{}.ffn_up"},
                               {Role::Down, "layers.{}.mlp.down_proj", "blk.{}.ffn_down"}}),
        },
        {
            .name = "olmo",
            .gguf = "olmo",
            .title = "OLMo",
            .prefixes = {"model.", ""},
            .keys = withEps({{}, "attention.layer_norm_epsilon"}),
            .ggufPairs = RotaryPairs::Neighbours,
            .activation = "silu",
            .gated = true,
            .tensors = joined(joined(joined(queryKeyValue, attentionOutput), ffn),
                              Tensors{{Role::TokenEmbedding, "embed_tokens", "token_embd"},
                                      {Role::AttentionNorm, "", ""},
                                      {Role::FfnNorm, "", ""},
                                      {Role::FinalNorm, "", ""},
                                      {Role::OutputProjection, "lm_head", "output"}}),
        },
        {
            .name = "olmo2",
            .gguf = "olmo2",
            .title = "OLMo 2",
            .prefixes = {"model.", ""},
            .keys = keys,
            .norm = NormKind::Rms,
            .normsAllHeads = true,
            .activation = "silu",
            .gated = true,
            .tensors = joined(
                joined(joined(joined(ends, queryKeyValue), attentionOutput), joined(headNorms, ffn)),
                Tensors{{Role::AttentionOutNorm, "layers.{}.post_attention_layernorm",
                         "blk.{}.post_attention_norm"},
                        {Role::FfnOutNorm, "layers.{}.post_feedforward_layernorm", "blk.{}.post_ffw_norm"}}),
        },
        {
            .name = "stablelm",
            .gguf = "stablelm",
            .title = "StableLM",
            .prefixes = {"model.", ""},
            .keys = withEps({{"layer_norm_eps"}, "attention.layer_norm_epsilon"}),
            .rotaryFraction = 0.25,
            .activation = "silu",
            .gated = true,
            .parallelKey = "use_parallel_residual",
            .conditions = {{"qk_layernorm", "false"}},
            .tensors = joined(
                joined(joined(queryKeyValue, attentionOutput), ffn),
                Tensors{{Role::TokenEmbedding, "embed_tokens", "token_embd"},
                        {Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm", Bias::Always},
                        {Role::FfnNorm, "layers.{}.post_attention_layernorm", "blk.{}.ffn_norm", Bias::Always,
                         Presence::Optional},
                        {Role::FinalNorm, "norm", "output_norm", Bias::Always},
                        {Role::OutputProjection, "lm_head", "output"}}),
        },
        {
            .name = "starcoder2",
            .gguf = "starcoder2",
            .title = "StarCoder2",
            .prefixes = {"model.", ""},
            .keys = withEps({{"norm_epsilon"}, "attention.layer_norm_epsilon"}),
            .sliding = Sliding{.window = {{"sliding_window"}, ""}},
            .activation = "gelu_pytorch_tanh",
            .tiedOutput = true,
            .tensors = joined(
                joined(queryKeyValue, attentionOutput),
                Tensors{
                    {Role::TokenEmbedding, "embed_tokens", "token_embd"},
                    {Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm", Bias::Always},
                    {Role::FfnNorm, "layers.{}.post_attention_layernorm", "blk.{}.ffn_norm", Bias::Always},
                    {Role::Up, "layers.{}.mlp.c_fc", "blk.{}.ffn_up", Bias::IfPresent},
                    {Role::Down, "layers.{}.mlp.c_proj", "blk.{}.ffn_down", Bias::IfPresent},
                    {Role::FinalNorm, "norm", "output_norm", Bias::Always},
                    {Role::OutputProjection, "lm_head", "output"}}),
        },
        {
            .name = "phi",
            .gguf = "phi2",
            .title = "Phi-1, Phi-1.5, Phi-2",
            .prefixes = {"model.", ""},
            .keys = withEps({{"layer_norm_eps"}, "attention.layer_norm_epsilon"}),
            .rotaryFraction = 0.5,
            .activation = "gelu_new",
            .parallelResidual = true,
            .conditions = {{"qk_layernorm", "false"}},
            .tensors = joined(
                queryKeyValue,
                Tensors{
                    {Role::TokenEmbedding, "embed_tokens", "token_embd"},
                    {Role::AttentionNorm, "layers.{}.input_layernorm", "blk.{}.attn_norm", Bias::Always},
                    {Role::AttentionOutput, "layers.{}.self_attn.dense", "blk.{}.attn_output", Bias::Always},
                    {Role::Up, "layers.{}.mlp.fc1", "blk.{}.ffn_up", Bias::Always},
                    {Role::Down, "layers.{}.mlp.fc2", "blk.{}.ffn_down", Bias::Always},
                    {Role::FinalNorm, "final_layernorm", "output_norm", Bias::Always},
                    {Role::OutputProjection, "lm_head", "output", Bias::Always}}),
        },
    };
}

}  // namespace straightedge::model
