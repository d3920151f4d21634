// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <vector>

#include "run.h"

namespace straightedge::study {

// Whether this is one of the one-matrix maps among which the loss on the capture text's tail chooses.
bool choosable(ReplacementKind kind);

// Fills in what each of the run's swaps costs, which one-matrix map of a block is kept, and the blocks'
// columns of it. Losses [windows] of a SwappedWalk each: the base first, then every replacement (the original
// only where it is healed), each followed by what healing made of it, in the run's order; `tail` of the
// choosable ones only, or empty where nothing is to be chosen. run.basePpl is known.
void setSwapCosts(Run& run, const std::vector<at::Tensor>& evaluation, const std::vector<at::Tensor>& tail);

}  // namespace straightedge::study
