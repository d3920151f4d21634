// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <optional>

#include "ranks.h"

namespace straightedge::linearity {

// Rows in which a few attention sinks hold most of the output energy (PROTOCOL "What one R2 hides", 2): with
// c the head's per-feature median and e_i = ||y_i - c||^2, a row is massive when e_i > 100 times the head's
// median e.
struct MassiveRows {
    at::Tensor energy;            // e, [n] float64, of this rank's rows
    double medianEnergy = 0;      // over the head
    at::Tensor massive;           // [n] bool, of this rank's rows
    std::int64_t count = 0;       // of all rows
    std::int64_t inHead = 0;      // of all the head's
    std::optional<double> share;  // of the sum of e; undefined where that is zero
};

// y [n, d] float32, contiguous: this rank's rows, of which the first `head` train.
MassiveRows findMassiveRows(const at::Tensor& y, std::int64_t head, const Ranks& ranks = Ranks::alone());

}  // namespace straightedge::linearity
