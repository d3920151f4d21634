// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "factored_covariance.h"
#include "moments.h"

namespace straightedge::linearity {

// The affine map y = x W + b that minimises the squared error, in float64, and how sure it is.
struct AffineFit {
    at::Tensor weight;      // [d, e]: input to output
    at::Tensor bias;        // [e]
    std::int64_t rank = 0;  // numerical rank of the centred inputs
    double condition = 0;   // of their covariance: largest eigenvalue over the smallest of the rank
    bool fromRows = false;  // solved from the rows themselves, since their moments were too ill-conditioned
    bool single = false;    // so well-conditioned that float32 serves for its products
    at::Tensor centre;      // [d]: where most inputs lie, about which float32 products are taken

    // [n, e] float64 for x [n, d] of either precision.
    at::Tensor predict(const at::Tensor& x) const;
    // For scores: in float32 where that costs them nothing in the eighth digit, else the same.
    at::Tensor predictFast(const at::Tensor& x) const;
};

// A fit and what it was solved from.
struct AffineSolution {
    AffineFit fit;
    Moments moments;                             // taken again where the given ones did not serve
    std::optional<FactoredCovariance> factored;  // of the inputs; empty where it was solved from the rows
};

// Whether sums of squares and products in float64 tell a covariance with these eigenvalues well enough.
bool momentsTell(double smallest, double largest);

// Ordinary least squares with intercept over the rows that `moments` sums up. Well-conditioned moments are
// solved by Cholesky; else the centred rows x [n, d], y [n, e] with their weights (as given to Moments::add)
// by a singular value decomposition with the minimum-norm solution (as LAPACK's gelsd, which is
// slow for many outputs). Singular values below the rounding of x count as zero: below float32's epsilon
// times the largest for x in float32, below float64's epsilon times max(n, d) times the largest for x in
// float64. Moments of single products that could cost the score its seventh digit are taken again in float64,
// from x, y and weights. Throws Error when values are not finite or no row is left.
//
// `moments` are those of all ranks; x, y, weights are this rank's. The fit is the same on all.
AffineSolution solveAffine(const Moments& moments, const at::Tensor& x, const at::Tensor& y,
                           const at::Tensor& weights = {}, const Ranks& ranks = Ranks::alone());

}  // namespace straightedge::linearity
