// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace straightedge::model {

enum class NormKind { Layer, Rms };

// Learned: a table of rows added to the embeddings. Alibi: the score of a key falls with its distance, by a
// slope for each head.
enum class PositionKind { Learned, Rotary, Alibi };

// How the two coordinates of a rotated pair lie in a head: {i, i + dims / 2} or {2 i, 2 i + 1}.
enum class RotaryPairs { Halves, Neighbours };

// What a tensor is for, whatever the file calls it. Where a norm stands is said by its role alone; all but
// the final one may be missing.
enum class Role {
    TokenEmbedding,      // [vocabulary, d]
    PositionEmbedding,   // [positions + offset, d]
    TokenTypeEmbedding,  // [types, d]; every token is of type 0
    EmbeddingNorm,       // [d], on what the first block gets
    AttentionNorm,       // [d], on the residual stream, for the attention
    Query,               // [heads * headDim, d]
    Key,                 // [kvHeads * headDim, d]
    Value,               // [kvHeads * headDim, d]
    QueryKeyValue,       // all three in one, see Fused
    QueryNorm,           // [headDim], or of all heads together
    KeyNorm,             // the same
    RelativeBias,        // [32 buckets, heads], of all blocks: what a distance adds to a score
    AttentionOutput,     // [d, heads * headDim]
    AttentionOutNorm,    // [d], on the attention's output, before it joins the residual stream
    AttentionSumNorm,    // [d], on the residual stream, after the attention's output has joined it
    FfnNorm,             // [d], on the residual stream, for the FFN
    Gate,                // [f, d]
    Up,                  // [f, d]
    GateUp,              // [2 f, d], gate above up
    Down,                // [d, f]
    FfnOutNorm,          // [d], on the FFN's output, before it joins the residual stream
    FfnSumNorm,          // [d], on the residual stream, after the FFN's output has joined it
    FinalNorm,           // [d]
    OutputProjection,    // [vocabulary, d]; missing or tied: the token embedding
};

enum class Bias { Never, Always, IfPresent };
enum class Presence { Required, Optional };

// How q, k and v lie along the output dimension of one matrix: all q, all k, all v; or a group's queries, its
// key and its value, then the next group's. A group is the heads that share a key.
enum class Fused { Concatenated, GroupByGroup };

// One tensor of a family. Names are patterns: "{}" is the block's number; ".weight" and ".bias" are appended.
// Several entries of one role are alternatives, the first that the file holds counts. A norm without a name
// is one without weights.
struct TensorEntry {
    Role role;
    std::string_view huggingFace;
    std::string_view gguf;
    Bias bias = Bias::Never;
    Presence presence = Presence::Required;

    bool inBlocks() const { return huggingFace.find("{}") != std::string_view::npos; }
};

// Names under which a number stands in the description, the first that is there counts. Hugging Face's keys
// are in config.json; GGUF's get the architecture's name and a full stop in front ("llama.embedding_length").
struct Key {
    std::vector<std::string_view> huggingFace;
    std::string_view gguf;
};

struct Keys {
    Key width, blocks, heads, kvHeads, headDim, ffnWidth, positions, normEps;
};

// Attention that reaches back no further than a window, in some blocks. What the description lists block by
// block
// ("layer_types") goes before these rules.
struct Sliding {
    Key window = {};                    // tokens that one sees, itself counted; not there: no such attention
    std::string_view onlyIf = {};       // a flag of config.json that must be set for it
    std::int64_t globalEvery = 0;       // every so-manyth block sees everything; 0: none does
    std::string_view globalFirst = {};  // config.json's number of first blocks that see everything
    double rotaryBase = 0;              // of these blocks, where it is another than that of the rest
    std::string_view rotaryBaseKey = {};
};

// An option of config.json that must have this value (as JSON) where it is given: the other one is a
// computation that is not done here.
struct Condition {
    std::string_view option;
    std::string_view value;
};

// Everything that sets one family apart from another. A new family that needs no new idea is one more entry
// in families/*.cpp.
struct Family {
    std::string_view name;   // Hugging Face's model_type
    std::string_view gguf;   // GGUF's general.architecture; empty: not known there
    std::string_view title;  // "GPT-2", for the reader
    std::vector<std::string_view>
        prefixes;  // of all Hugging Face names but the output projection; one of them fits
    Keys keys;
    NormKind norm = NormKind::Layer;
    double normEps = 0;            // when the description does not say; 0: 1e-5 of a LayerNorm, else 1e-6
    bool normAddsOne = false;      // Hugging Face's weights of this family's norms lack 1
    bool normsAllHeads = false;    // QueryNorm and KeyNorm go over all heads together, not over each
    bool causal = true;            // false: tokens see all of their window; no next-token predictions
    bool scalesEmbedding = false;  // by the root of the width
    PositionKind position = PositionKind::Rotary;
    std::int64_t positionOffset = 0;  // rows of the learned positions before position 0
    bool countsOffset = false;        // config.json's number of positions counts them
    RotaryPairs huggingFacePairs = RotaryPairs::Halves;
    RotaryPairs ggufPairs =
        RotaryPairs::Halves;    // GGUF files of some families have q and k rows in another order
    double rotaryFraction = 1;  // of a head's dimensions, when the description does not say
    std::int64_t rotarylessEvery =
        0;  // every so-manyth block has no positions, when config.json does not say
    std::optional<Sliding> sliding = {};  // none: every block sees everything
    double attentionScale = 0;            // of scores; 0: 1 / sqrt(headDim), or what the description says
    std::int64_t ggufWideScaleAt = 0;  // GGUF: models of so many blocks divide by sqrt(width / heads) instead
    std::string_view activation = {};  // when the description does not say (GGUF never does)
    bool gated = false;
    bool parallelResidual = false;          // when the description does not say
    std::string_view parallelKey = {};      // config.json's name for it
    std::string_view oneKvHeadIf = {};      // a flag of config.json for one key and value head ...
    std::string_view oneKvHeadUnless = {};  // ... unless this one is set
    bool transposedLinear = false;          // Hugging Face's weights of this family are [in, out]
    bool tiedOutput = false;                // when config.json does not say
    Fused huggingFaceFused = Fused::Concatenated;
    std::vector<Condition> conditions = {};
    std::vector<TensorEntry> tensors;

    // The first entry of a role, nullptr where there is none.
    const TensorEntry* find(Role role) const;
};

// What x and y are, for whoever reads a result: which norms stand around the FFN.
struct Site {
    bool ffnNorm, ffnOutNorm, ffnSumNorm, parallelResidual;
    std::string text() const;
};
// As the table has it; a checkpoint may lack an optional norm.
Site siteOf(const Family& family);

std::span<const Family> families();

// The family of a checkpoint. Throws Error naming an unknown one and listing those known, or saying why one
// is of a kind that cannot be measured.
const Family& familyOf(const checkpoint::Checkpoint& checkpoint);

}  // namespace straightedge::model
