// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels.h"

namespace straightedge::model {

// What a block's attention is told of positions, for windows of one length.
struct Positions {
    RotaryPairs pairs = RotaryPairs::Halves;
    RotaryTable rotary;  // undefined: queries and keys are not turned
    at::Tensor bias;  // added to the scores, [1 or heads, seqLen, seqLen], minus infinity where a token does
                      // not see another; undefined: nothing but the order of the tokens counts
};
// `relativeBias` [buckets, heads] or undefined.
Positions positionsOf(const Architecture& architecture, std::int64_t block, std::int64_t seqLen,
                      const at::Tensor& relativeBias);

// Softmax attention: query [windows, heads, seqLen, headDim], key and value with kvHeads; the values mixed,
// as the query is laid out. Torch can differentiate it.
at::Tensor attention(const at::Tensor& query, const at::Tensor& key, const at::Tensor& value,
                     const Architecture& architecture, const at::Tensor& bias);

}  // namespace straightedge::model
