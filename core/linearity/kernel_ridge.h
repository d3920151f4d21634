// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <optional>

#include "cholesky.h"

namespace straightedge::linearity {

struct RowRange {
    std::int64_t first = 0, count = 0;
    std::int64_t end() const { return first + count; }
};

// Ridge regression in the feature space of the kernel (1 + <z, z'> / d)^degree, on targets without intercept.
// Holds the rows z [n, d] and targets [n, e], float64; only the first `head` are ever trained on.
class KernelRidge {
  public:
    virtual ~KernelRidge() = default;

    // What is left of the targets of `held` when those of `train` are fitted: [held.count, e]. The ridge is
    // relative to the mean diagonal of the kernel of `train`. Undefined where the system is singular in
    // float64.
    virtual at::Tensor leftOver(RowRange train, RowRange held, double ridge) = 0;
    // The flops of that, about. With `known`: the last call had the same rows to train on.
    virtual double work(RowRange train, RowRange held, bool known) const = 0;
    // Those of making it.
    virtual double setUpWork() const = 0;
    virtual void setUp() = 0;
    // 0: none, it is exact.
    virtual std::int64_t landmarks() const = 0;
};

struct KernelRows {
    at::Tensor z;        // [n, d]
    at::Tensor targets;  // [n, e]
    std::int64_t head = 0;
    int degree = 2;
};

// Exact: the kernel matrix of the head and the factor of what is trained on share head^2 doubles.
std::unique_ptr<KernelRidge> exactKernelRidge(KernelRows rows, Worked worked);

// Nystroem's approximation, for heads whose kernel matrix is too large: the kernel is replaced by
// K_nm K_mm^-1 K_mn with m landmarks, drawn evenly from the head without replacement (Williams and Seeger
// 2001; error bounds in Rudi, Camoriano and Rosasco 2015). Its features Phi = K_nm L^-T, L L^T = K_mm, make
// that ridge regression on m columns, whose normal equations (Phi^T Phi + ridge I) are well conditioned as
// they need no K_mm any more. 2 m^2 doubles.
std::unique_ptr<KernelRidge> nystroemKernelRidge(KernelRows rows, std::int64_t landmarks, std::uint64_t seed,
                                                 Worked worked);

}  // namespace straightedge::linearity
