// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <optional>

namespace straightedge::linearity {

// Rows in which a few attention sinks hold most of the output energy (PROTOCOL "What one R2 hides", 2): with
// c the head's per-feature median and e_i = ||y_i - c||^2, a row is massive when e_i > 100 times the head's
// median e.
struct MassiveRows {
    at::Tensor energy;        // e, [n] float64
    double medianEnergy = 0;  // over the head
    at::Tensor massive;       // [n] bool
    std::int64_t count = 0;
    std::optional<double> share;  // of the sum of e; undefined where that is zero
};

// y [n, d] float32, contiguous; the first `head` rows train.
MassiveRows findMassiveRows(const at::Tensor& y, std::int64_t head);

}  // namespace straightedge::linearity
