// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <span>

#include "architecture.h"

// The passes over rows between the matrix products, each one trip through memory. Rows on another device than
// the processor go through operators.h instead.
namespace straightedge::model {

// out [rows, d] = norm of in [rows, d]; both contiguous, they may be the same. weight [d], bias [d] or
// undefined.
void normRows(const at::Tensor& in, const at::Tensor& weight, const at::Tensor& bias, NormKind kind,
              double eps, at::Tensor& out);

// Norms `parts` vectors of each row in place, from column `from` on, each as long as the weight. RMS.
void normParts(at::Tensor& rows, std::int64_t from, std::int64_t parts, const at::Tensor& weight, double eps);

// Cosines and sines of all rotated angles, [positions, dims / 2] each.
struct RotaryTable {
    at::Tensor cosines, sines;
};
RotaryTable rotaryTable(const Rotary& rotary, std::int64_t positions);

// Turns the first `heads` heads of each row in place. rows [n, >= heads * headDim], contiguous; row i stands
// at position i % seqLen.
void rotateRows(at::Tensor& rows, std::int64_t heads, std::int64_t headDim, std::int64_t seqLen,
                RotaryPairs pairs, const RotaryTable& table);

// What the FFN's middle layer becomes: out [n, f] = act(up) for gateUp [n, f], or act(gate) * up for gateUp
// [n, 2 f] that holds both. Both contiguous; without a gate they may be the same.
void activateRows(const at::Tensor& gateUp, Activation activation, bool gated, at::Tensor& out);

// Takes more logits into a running log-sum-exp, on the processor: `sum` is that of exp(logit - largest) over
// all so far. Starts at largest = -infinity, sum = 0. Logits that are not finite make the sum so.
void addToLogSum(std::span<const float> logits, float& largest, double& sum);

}  // namespace straightedge::model
