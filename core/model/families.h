// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/checkpoint.h"

namespace straightedge::model {

enum class NormKind { Layer, Rms };
enum class PositionKind { Learned, Rotary };

// How the two coordinates of a rotated pair lie in a head: {i, i + dims / 2} or {2 i, 2 i + 1}.
enum class RotaryPairs { Halves, Neighbours };

// What a tensor is for, whatever the file calls it.
enum class Role {
    TokenEmbedding,     // [vocabulary, d]
    PositionEmbedding,  // [positions, d]
    AttentionNorm,      // [d]
    Query,              // [heads * headDim, d]
    Key,                // [kvHeads * headDim, d]
    Value,              // [kvHeads * headDim, d]
    QueryKeyValue,      // all three in one, see Fused
    AttentionOutput,    // [d, heads * headDim]
    FfnNorm,            // [d]
    Gate,               // [f, d]
    Up,                 // [f, d]
    Down,               // [d, f]
    FinalNorm,          // [d]
    OutputProjection,   // [vocabulary, d]; missing or tied: the token embedding
};

enum class Bias { Never, Always, IfPresent };

// How q, k and v lie along the output dimension of one matrix: all q, all k, all v; or a head's q, k, v, then
// the next's.
enum class Fused { Concatenated, HeadByHead };

// One tensor of a family. Names are patterns: "{}" is the block's number; ".weight" and ".bias" are appended.
struct TensorEntry {
    Role role;
    std::string_view huggingFace;
    std::string_view gguf;
    Bias bias = Bias::Never;
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

// Everything that sets one family apart from another. A new family that needs no new idea is one more entry
// in families.cpp.
struct Family {
    std::string_view name;   // Hugging Face's model_type
    std::string_view gguf;   // GGUF's general.architecture; empty: not known there
    std::string_view title;  // "GPT-2", for the reader
    std::string_view site;   // what x and y are
    std::vector<std::string_view>
        prefixes;  // of all Hugging Face names but the output projection; one of them fits
    Keys keys;
    NormKind norm = NormKind::Layer;
    PositionKind position = PositionKind::Rotary;
    RotaryPairs ggufPairs =
        RotaryPairs::Halves;           // GGUF files of some families have q and k rows in another order
    std::string_view activation = {};  // when the description does not say (GGUF never does)
    bool gated = false;
    bool parallelResidual = false;  // when the description does not say
    bool transposedLinear = false;  // Hugging Face's weights of this family are [in, out]
    bool tiedOutput = false;        // when config.json does not say
    double rotaryFraction = 1;      // of a head's dimensions, when the description does not say
    Fused huggingFaceFused = Fused::Concatenated;
    std::vector<TensorEntry> tensors;

    const TensorEntry* find(Role role) const;
};

std::span<const Family> families();

// The family of a checkpoint. Throws Error naming an unknown one and listing those known.
const Family& familyOf(const checkpoint::Checkpoint& checkpoint);

}  // namespace straightedge::model
