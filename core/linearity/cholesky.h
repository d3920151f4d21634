// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <functional>

// A symmetric matrix and its factor in the memory of one. The matrix lies above the diagonal of a [n, n]
// float64, a view of rows that may be longer, with its diagonal apart; the factor goes below and on it. So
// the matrix is there still when another diagonal is to be tried.
namespace straightedge::linearity {

// Called with the multiplications and additions done since the last call; may throw to stop.
using Worked = std::function<void(double flops)>;

// Factors (what lies above the diagonal of `a`, and its mirror, with `diagonal` [n]) = L L^T. False where
// that is not positive definite in float64; what lies above the diagonal stays whole all the same.
bool factorBelow(const at::Tensor& a, const at::Tensor& diagonal, const Worked& worked);

// Overwrites b [n, e] with the solution of L L^T x = b.
void solveBelow(const at::Tensor& a, const at::Tensor& b, const Worked& worked);

// About the flops of both.
double factorWork(std::int64_t n);
double solveWork(std::int64_t n, std::int64_t e);

}  // namespace straightedge::linearity
