// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "families.h"

namespace straightedge::model {

enum class Activation { Gelu, GeluTanh, Relu, Silu };

struct Rotary {
    RotaryPairs pairs = RotaryPairs::Halves;
    std::vector<float>
        inverseFrequencies;  // [dims / 2]; dims <= headDim are rotated, the first ones of a head
    float scale = 1;         // of both coordinates after turning (longrope)
    // Windows of more tokens than `shortUpTo` turn by the long frequencies (longrope); 0: there are none.
    std::int64_t shortUpTo = 0;
    std::vector<float> longInverseFrequencies = {};
};

// How far one block's attention reaches, and by what it tells positions.
struct BlockReach {
    std::int64_t window = 0;  // tokens that one sees, itself counted; 0: no limit
    int rotary = -1;          // in Architecture::rotaries; -1: none
};

// One model's sizes and choices, checked: what the decoder needs to know and nothing of the file they came
// from.
struct Architecture {
    const Family* family = nullptr;
    std::int64_t width = 0;  // d
    std::int64_t blocks = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t headDim = 0;
    std::int64_t ffnWidth = 0;  // f
    std::int64_t vocabulary = 0;
    std::int64_t maxPositions = 0;  // 0: the description does not say
    double normEps = 0;
    Activation activation = Activation::Gelu;
    bool gated = false;
    bool parallelResidual = false;
    bool tiedOutput = false;
    double attentionScale = 0;        // of the scores
    double attentionCap = 0;          // c: scores become c tanh(score / c); 0: they stay
    double logitCap = 0;              // the same for logits
    double queryKeyValueClip = 0;     // entries are kept within plus and minus this; 0: they stay
    std::vector<Rotary> rotaries;     // of a family with rotary positions
    std::vector<BlockReach> reaches;  // [blocks]
    std::vector<std::string> notes;   // what was read and not honoured

    // "gelu", "gelu-tanh", "relu", "silu", with "-gated" behind where a gate multiplies.
    std::string activationName() const;
};

// Reads and checks the description. Throws Error for an unknown family, a missing or absurd size, an
// activation, rope scaling or option that is not supported.
Architecture readArchitecture(const checkpoint::Checkpoint& checkpoint);

}  // namespace straightedge::model
