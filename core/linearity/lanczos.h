// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <functional>

namespace straightedge::linearity {

// Largest eigenvalue of a symmetric positive matrix [d, d] that is known by its products with vectors [d]
// float64 only; within `tolerance` of its size. By Lanczos's recurrence, every vector kept orthogonal to all
// before it; it stops when the residual bounds the error (Golub and Van Loan, Matrix Computations, 10.1).
double largestEigenvalue(std::int64_t d, const std::function<at::Tensor(const at::Tensor&)>& times,
                         double tolerance = 1e-6);

}  // namespace straightedge::linearity
