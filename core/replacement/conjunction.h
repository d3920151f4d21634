// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer.h"

namespace straightedge::replacement {

// How far a layer's mean output over a row needs both halves of its input features at once (PROTOCOL
// "Conjunction index"): 0 for an additive map, 1 where one half alone takes all away. Over the first 256 rows
// of x [n, d] float32.
double conjunctionIndex(const Layer& layer, const at::Tensor& x);

}  // namespace straightedge::replacement
