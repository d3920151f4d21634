// SPDX-License-Identifier: GPL-3.0-or-later
#include "kin.h"

namespace straightedge::model {

namespace {

const Keys keys = {.width = {{"hidden_size"}, ""},
                   .blocks = {{"num_hidden_layers"}, ""},
                   .heads = {{"num_attention_heads"}, ""},
                   .kvHeads = {},
                   .headDim = {},
                   .ffnWidth = {{"intermediate_size"}, ""},
                   .positions = {{"max_position_embeddings"}, ""},
                   .normEps = {{"layer_norm_eps"}, ""}};

using Tensors = std::vector<TensorEntry>;

const Tensors embeddings = {{Role::TokenEmbedding, "embeddings.word_embeddings", ""},
                            {Role::PositionEmbedding, "embeddings.position_embeddings", ""},
                            {Role::EmbeddingNorm, "embeddings.LayerNorm", "", Bias::Always}};
const Tensors ffn = {{Role::Up, "encoder.layer.{}.intermediate.dense", "", Bias::Always},
                     {Role::Down, "encoder.layer.{}.output.dense", "", Bias::Always},
                     {Role::FfnSumNorm, "encoder.layer.{}.output.LayerNorm", "", Bias::Always}};

const Tensors bert =
    joined(joined(embeddings, ffn),
           {{Role::TokenTypeEmbedding, "embeddings.token_type_embeddings", ""},
            {Role::Query, "encoder.layer.{}.attention.self.query", "", Bias::Always},
            {Role::Key, "encoder.layer.{}.attention.self.key", "", Bias::Always},
            {Role::Value, "encoder.layer.{}.attention.self.value", "", Bias::Always},
            {Role::AttentionOutput, "encoder.layer.{}.attention.output.dense", "", Bias::Always},
            {Role::AttentionSumNorm, "encoder.layer.{}.attention.output.LayerNorm", "", Bias::Always}});

const std::vector<Condition> plain = {{"position_embedding_type", "\"absolute\""}, {"is_decoder", "false"}};

}  // namespace

std::vector<Family> encoderFamilies() {
    return {
        {
            .name = "bert",
            .gguf = "",
            .title = "BERT",
            .prefixes = {"bert.", ""},
            .keys = keys,
            .causal = false,
            .position = PositionKind::Learned,
            .activation = "gelu",
            .conditions = plain,
            .tensors = bert,
        },
        {
            .name = "roberta",
            .gguf = "",
            .title = "RoBERTa",
            .prefixes = {"roberta.", ""},
            .keys = keys,
            .causal = false,
            .position = PositionKind::Learned,
            .positionOffset = 2,
            .countsOffset = true,
            .activation = "gelu",
            .conditions = plain,
            .tensors = bert,
        },
        {
            .name = "xlm-roberta",
            .gguf = "",
            .title = "XLM-RoBERTa",
            .prefixes = {"roberta.", ""},
            .keys = keys,
            .causal = false,
            .position = PositionKind::Learned,
            .positionOffset = 2,
            .countsOffset = true,
            .activation = "gelu",
            .conditions = plain,
            .tensors = bert,
        },
        {
            .name = "distilbert",
            .gguf = "",
            .title = "DistilBERT",
            .prefixes = {"distilbert.", ""},
            .keys = {.width = {{"dim"}, ""},
                     .blocks = {{"n_layers"}, ""},
                     .heads = {{"n_heads"}, ""},
                     .kvHeads = {},
                     .headDim = {},
                     .ffnWidth = {{"hidden_dim"}, ""},
                     .positions = {{"max_position_embeddings"}, ""},
                     .normEps = {}},
            .normEps = 1e-12,
            .causal = false,
            .position = PositionKind::Learned,
            .activation = "gelu",
            .tensors =
                joined(embeddings,
                       {{Role::Query, "transformer.layer.{}.attention.q_lin", "", Bias::Always},
                        {Role::Key, "transformer.layer.{}.attention.k_lin", "", Bias::Always},
                        {Role::Value, "transformer.layer.{}.attention.v_lin", "", Bias::Always},
                        {Role::AttentionOutput, "transformer.layer.{}.attention.out_lin", "", Bias::Always},
                        {Role::AttentionSumNorm, "transformer.layer.{}.sa_layer_norm", "", Bias::Always},
                        {Role::Up, "transformer.layer.{}.ffn.lin1", "", Bias::Always},
                        {Role::Down, "transformer.layer.{}.ffn.lin2", "", Bias::Always},
                        {Role::FfnSumNorm, "transformer.layer.{}.output_layer_norm", "", Bias::Always}}),
        },
        {
            .name = "mpnet",
            .gguf = "",
            .title = "MPNet",
            .prefixes = {"mpnet.", ""},
            .keys = keys,
            .causal = false,
            .position = PositionKind::Learned,
            .positionOffset = 2,
            .countsOffset = true,
            .activation = "gelu",
            .conditions = {{"relative_attention_num_buckets", "32"}},
            .tensors =
                joined(joined(embeddings, ffn),
                       {{Role::RelativeBias, "encoder.relative_attention_bias", ""},
                        {Role::Query, "encoder.layer.{}.attention.attn.q", "", Bias::Always},
                        {Role::Key, "encoder.layer.{}.attention.attn.k", "", Bias::Always},
                        {Role::Value, "encoder.layer.{}.attention.attn.v", "", Bias::Always},
                        {Role::AttentionOutput, "encoder.layer.{}.attention.attn.o", "", Bias::Always},
                        {Role::AttentionSumNorm, "encoder.layer.{}.attention.LayerNorm", "", Bias::Always}}),
        },
    };
}

}  // namespace straightedge::model
