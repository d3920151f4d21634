// SPDX-License-Identifier: GPL-3.0-or-later
#include "affine_fit.h"

#include <algorithm>
#include <limits>

#include "error.h"

namespace straightedge::linearity {

namespace {

// Below this reciprocal condition of the covariance its rounding errors, a few parts in 1e16 of the largest
// eigenvalue, could show in the fourth digit of a score; the rows themselves have only the root of that
// condition.
constexpr double safeReciprocalCondition = 1e-11;

// With features scaled to one size, the smallest eigenvalue of their covariance from which on single products
// are enough. Entries off by e of that size put a score off by at most about d e^2 / smallest^2: with e =
// 5e-9, d = 1,000 by 3e-6 as a bound, and by some hundredths of that as errors add up by chance.
constexpr double safeForSingle = 1e-4;

// Rows with the same least-squares problems as these: their triangular factor, where it is smaller.
at::Tensor triangular(const at::Tensor& rows) {
    return rows.size(0) > rows.size(1) ? std::get<1>(at::linalg_qr(rows, "r")) : rows;
}

// [m, d + e], m at most about d + e: rows of the same least-squares problems as the centred rows of x beside
// those of y, each times the root of its weight. Made by triangular factors of parts, and of those together
// ("TSQR", Demmel, Grigori, Hoemmen, Langou, SIAM J. Sci. Comput. 34, 2012), so that memory does not grow
// with the rows and ranks exchange no more than their factors. `kept` is the number of rows of positive
// weight.
at::Tensor reducedRows(const Moments& moments, const at::Tensor& x, const at::Tensor& y,
                       const at::Tensor& weights, const Ranks& ranks, std::int64_t& kept) {
    const at::Tensor meanX = moments.meanX(), meanY = moments.meanY();
    const std::int64_t width = x.size(1) + y.size(1), together = std::max<std::int64_t>(4096, width);
    at::Tensor reduced = at::empty({0, width}, at::kDouble);
    std::int64_t rows = 0;
    for (std::int64_t first = 0; first < x.size(0); first += together) {
        const std::int64_t count = std::min(together, x.size(0) - first);
        at::Tensor part = at::cat({x.narrow(0, first, count).to(at::kDouble) - meanX,
                                   y.narrow(0, first, count).to(at::kDouble) - meanY},
                                  1);
        if (weights.defined()) {
            const at::Tensor some = weights.narrow(0, first, count).to(at::kDouble);
            const at::Tensor positive = (some > 0).nonzero().squeeze(1);
            part = part.index_select(0, positive) * some.index_select(0, positive).sqrt().unsqueeze(1);
        }
        rows += part.size(0);
        reduced = reduced.size(0) > 0 ? triangular(at::cat({reduced, part})) : part;
    }
    kept = ranks.total(rows);
    return ranks.count() > 1 ? triangular(ranks.gather(triangular(reduced))) : reduced;
}

void solveFromRows(AffineFit& fit, const Moments& moments, const at::Tensor& x, const at::Tensor& y,
                   const at::Tensor& weights, const Ranks& ranks) {
    std::int64_t kept = 0;
    const at::Tensor rows = reducedRows(moments, x, y, weights, ranks, kept);
    const at::Tensor xs = rows.narrow(1, 0, x.size(1)), ys = rows.narrow(1, x.size(1), y.size(1));
    // Behind a LayerNorm one direction of x is constant but for float32 rounding. That counts as zero: a fit
    // by it would explain nothing but chance.
    const double cutoff =
        x.scalar_type() == at::kFloat
            ? static_cast<double>(std::numeric_limits<float>::epsilon())
            : std::numeric_limits<double>::epsilon() * static_cast<double>(std::max(kept, xs.size(1)));
    const auto [left, singular, right] = at::linalg_svd(xs, false);
    const double* sizes = singular.const_data_ptr<double>();  // descending
    fit.fromRows = true;
    while (fit.rank < singular.size(0) && sizes[fit.rank] > cutoff * sizes[0])
        ++fit.rank;
    const at::Tensor turned =
        left.narrow(1, 0, fit.rank).t().mm(ys) / singular.narrow(0, 0, fit.rank).unsqueeze(1);
    fit.weight = right.narrow(0, 0, fit.rank).t().mm(turned);
    if (fit.rank > 0) {
        const double ratio = sizes[0] / sizes[fit.rank - 1];
        fit.condition = ratio * ratio;
    }
}

void requireFinite(const at::Tensor& a, const at::Tensor& b) {
    if (!at::isfinite(a).all().item<bool>() || !at::isfinite(b).all().item<bool>())
        throw Error({.what = "values are not finite",
                     .expected = "finite FFN inputs and outputs",
                     .advice = "the weights may be damaged, or overflow float32"});
}

}  // namespace

at::Tensor AffineFit::predict(const at::Tensor& x) const {
    return at::addmm(bias, x.to(at::kDouble), weight);
}

at::Tensor AffineFit::predictFast(const at::Tensor& x) const {
    if (!single || x.scalar_type() != at::kFloat)
        return predict(x);
    const at::Tensor middle = at::addmv(bias, weight.t(), centre);
    return at::addmm(middle.to(at::kFloat), x - centre.to(at::kFloat), weight.to(at::kFloat));
}

bool momentsTell(double smallest, double largest) {
    return smallest > safeReciprocalCondition * largest;  // not where one is not a number
}

AffineSolution solveAffine(const Moments& moments, const at::Tensor& x, const at::Tensor& y,
                           const at::Tensor& weights, const Ranks& ranks) {
    if (!(moments.weight() > 0))
        throw Error({.what = "no rows are left to fit"});
    AffineSolution solution{.fit = {}, .moments = moments, .factored = {}};
    AffineFit& fit = solution.fit;
    fit.centre = moments.meanX();
    requireFinite(fit.centre, moments.meanY());
    if (moments.weight() > static_cast<double>(x.size(1))) {  // moments of fewer rows are singular
        const at::Tensor products = moments.covarianceXY();
        at::Tensor covariance = moments.covarianceX();
        requireFinite(covariance, products);
        solution.factored = FactoredCovariance::of(std::move(covariance));
        // Whether moments of single products serve, and float32 for products with the solution.
        const bool single = x.scalar_type() == at::kFloat && solution.factored &&
                            solution.factored->smallestScaled() > safeForSingle;
        if (moments.products() == Products::Single && !single) {
            Moments exact(moments.shiftX(), moments.shiftY());
            exact.add(x, y, weights);
            exact.sumOver(ranks);
            return solveAffine(exact, x, y, weights, ranks);
        }
        fit.single = single && moments.products() == Products::Single;
        if (solution.factored) {
            const double smallest = solution.factored->smallest(), largest = solution.factored->largest();
            if (momentsTell(smallest, largest)) {
                fit.weight = solution.factored->solve(products);
                fit.rank = products.size(0);
                fit.condition = largest / smallest;
            } else {
                solution.factored.reset();
            }
        }
    }
    if (!solution.factored)
        solveFromRows(fit, moments, x, y, weights, ranks);
    fit.bias = moments.meanY() - at::mv(fit.weight.t(), fit.centre);
    return solution;
}

}  // namespace straightedge::linearity
