// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "block.h"
#include "language_head.h"

// The decoder once more in operations that torch can differentiate: for the gradient of the language-model
// loss with respect to the residual stream. Slower than Block's own passes and with the same numbers within
// 1e-5. The weights must not be made in inference mode, in which autograd cannot keep them.
namespace straightedge::model {

// The residual stream behind `block`: [n, d] for hidden [n, d].
at::Tensor differentiableBlock(const Block& block, const at::Tensor& hidden);

// Its last step alone: the residual stream when y [n, d] has joined it.
at::Tensor differentiableAdd(const Block& block, const at::Tensor& y, const at::Tensor& hidden);

// Mean next-token cross-entropy, a scalar, for hidden [n, d] behind the last block, the tokens that follow
// [n] int64, and the whole output projection.
at::Tensor differentiableLoss(const at::Tensor& hidden, const at::Tensor& targets, const Norm& finalNorm,
                              const Linear& projection, const Architecture& architecture);

}  // namespace straightedge::model
