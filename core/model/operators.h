// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "kernels.h"
#include "weights.h"

// What happens between the matrix products, in torch's own operators: they run on every device and can be
// differentiated. kernels.h does the same faster on the processor.
namespace straightedge::model {

// The norm of each last-dimension vector of `in`; `in` itself where there is none.
at::Tensor normed(const at::Tensor& in, const Norm& norm, NormKind kind, double eps);

// heads [..., seqLen, headDim], turned by position.
at::Tensor rotated(const at::Tensor& heads, const RotaryTable& table, RotaryPairs pairs);

at::Tensor activated(const at::Tensor& in, Activation activation);

// act(middle), or act(gate) * up for middle [n, 2 f] that holds the gate before up.
at::Tensor activated(const at::Tensor& middle, Activation activation, bool gated);

// Takes logits [n, words] into n running log-sum-exps, as kernels.h does one: largest [n] float32, sum [n]
// float64.
void addToLogSums(const at::Tensor& logits, const at::Tensor& largest, const at::Tensor& sum);

}  // namespace straightedge::model
