// SPDX-License-Identifier: GPL-3.0-or-later
#include "affine_fit.h"

#include <limits>

#include "error.h"

namespace straightedge::linearity {

namespace {

// Below this reciprocal condition of the covariance its rounding errors, a few parts in 1e16 of the largest
// eigenvalue, could show in the fourth digit of a score; the rows themselves have only the root of that
// condition.
constexpr double safeReciprocalCondition = 1e-11;

void solveFromRows(AffineFit& fit, const Moments& moments, const at::Tensor& x, const at::Tensor& y,
                   const at::Tensor& weights) {
    at::Tensor xs = x.to(at::kDouble) - moments.meanX();
    at::Tensor ys = y.to(at::kDouble) - moments.meanY();
    if (weights.defined()) {
        const at::Tensor kept = (weights > 0).nonzero().squeeze(1);
        const at::Tensor roots = weights.index_select(0, kept).to(at::kDouble).sqrt().unsqueeze(1);
        xs = xs.index_select(0, kept) * roots;
        ys = ys.index_select(0, kept) * roots;
    }
    // Behind a LayerNorm one direction of x is constant but for float32 rounding. That counts as zero: a fit
    // by it would explain nothing but chance.
    const double cutoff =
        x.scalar_type() == at::kFloat
            ? static_cast<double>(std::numeric_limits<float>::epsilon())
            : std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(xs.size(0), xs.size(1)));
    const auto [solution, residuals, rank, singular] = at::linalg_lstsq(xs, ys, cutoff, "gelsd");
    fit.weight = solution;
    fit.rank = rank.item<std::int64_t>();
    fit.fromRows = true;
    if (fit.rank > 0) {
        const double ratio = singular[0].item<double>() / singular[fit.rank - 1].item<double>();
        fit.condition = ratio * ratio;
    }
}

}  // namespace

at::Tensor AffineFit::predict(const at::Tensor& x) const {
    return at::addmm(bias, x.to(at::kDouble), weight);
}

AffineFit solveAffine(const Moments& moments, const at::Tensor& x, const at::Tensor& y,
                      const at::Tensor& weights) {
    if (!(moments.weight() > 0))
        throw Error({.what = "no rows are left to fit"});
    const at::Tensor covariance = moments.covarianceX();
    const at::Tensor products = moments.covarianceXY();
    if (!at::isfinite(covariance).all().item<bool>() || !at::isfinite(products).all().item<bool>())
        throw Error({.what = "values are not finite",
                     .expected = "finite FFN inputs and outputs",
                     .advice = "the weights may be damaged, or overflow float32"});

    AffineFit fit;
    const at::Tensor eigenvalues = at::linalg_eigvalsh(covariance);  // ascending
    const double smallest = eigenvalues[0].item<double>(), largest = eigenvalues[-1].item<double>();
    bool solved = false;
    if (moments.weight() > static_cast<double>(covariance.size(0)) &&
        smallest > safeReciprocalCondition * largest) {
        const auto [factor, failure] = at::linalg_cholesky_ex(covariance);
        if (failure.item<int>() == 0) {
            fit.weight = at::cholesky_solve(products, factor);
            fit.rank = covariance.size(0);
            fit.condition = largest / smallest;
            solved = true;
        }
    }
    if (!solved)
        solveFromRows(fit, moments, x, y, weights);
    fit.bias = moments.meanY() - at::mv(fit.weight.t(), moments.meanX());
    return fit;
}

}  // namespace straightedge::linearity
