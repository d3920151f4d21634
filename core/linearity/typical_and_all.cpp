// SPDX-License-Identifier: GPL-3.0-or-later
#include "typical_and_all.h"

#include "lanczos.h"

namespace straightedge::linearity {

namespace {

// Features from which on moments are what a fit costs, and worth the quicker products.
constexpr std::int64_t wide = 256;

// The massive rows of all ranks, float64.
struct FarRows {
    at::Tensor x, y, weights;  // [k, d], [k, e], [k]
};

// The typical rows' solution with rows that were not among them; false where that is not to be trusted.
bool addRows(AffineFit& fit, const AffineSolution& typical, const Moments& all, const FarRows& far) {
    if (!typical.factored)
        return false;
    // About the mean of all rows the typical ones' squares and products are those about their own mean and
    // those of one row more.
    const at::Tensor meanX = all.meanX(), meanY = all.meanY();
    const double root = std::sqrt(typical.moments.weight());
    const at::Tensor roots = far.weights.sqrt().unsqueeze(1);
    const at::Tensor x =
        at::cat({(typical.moments.meanX() - meanX).unsqueeze(0) * root, (far.x - meanX) * roots});
    const at::Tensor y =
        at::cat({(typical.moments.meanY() - meanY).unsqueeze(0) * root, (far.y - meanY) * roots});

    // (S + x^T x)^-1 = S^-1 - S^-1 x^T (I + x S^-1 x^T)^-1 x S^-1, the inner inverse by a factor R of the
    // rows themselves: R^T R = I + half^T half.
    const FactoredCovariance& s = *typical.factored;
    const at::Tensor half = s.half(x.t());  // [d, k + 1]
    const at::Tensor factor =
        std::get<1>(at::linalg_qr(at::cat({half, at::eye(x.size(0), at::kDouble)}), "r"));
    const auto inner = [&](const at::Tensor& b) {
        return at::linalg_solve_triangular(factor,
                                           at::linalg_solve_triangular(factor.t(), b, /*upper=*/false),
                                           /*upper=*/true);
    };
    const at::Tensor covariance = all.covarianceX();
    const double largest =
        largestEigenvalue(s.width(), [&](const at::Tensor& v) { return at::mv(covariance, v); });
    const double smallest = 1 / largestEigenvalue(s.width(), [&](const at::Tensor& v) {
                                const at::Tensor b = s.half(v.unsqueeze(1));
                                return s.fromHalf(b - half.mm(inner(half.t().mm(b)))).squeeze(1);
                            });
    if (!momentsTell(smallest, largest))
        return false;
    fit = typical.fit;
    fit.weight = typical.fit.weight + s.fromHalf(half.mm(inner(y - x.mm(typical.fit.weight))));
    fit.bias = meanY - at::mv(fit.weight.t(), meanX);
    fit.condition = largest / smallest;
    return true;
}

}  // namespace

TypicalAndAll fitTypicalAndAll(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights,
                               const at::Tensor& massive, const at::Tensor& shiftX, const at::Tensor& shiftY,
                               const Ranks& ranks) {
    const at::Tensor rows = massive.nonzero().squeeze(1);
    const std::int64_t count = ranks.total(rows.size(0));
    at::Tensor typicalWeights = weights;
    if (count > 0)
        typicalWeights =
            weights.defined() ? weights.masked_fill(massive, 0) : massive.logical_not().to(at::kDouble);

    Moments moments(shiftX, shiftY, x.size(1) >= wide ? Products::Single : Products::Double);
    moments.add(x, y, typicalWeights);
    moments.sumOver(ranks);
    const AffineSolution typical = solveAffine(moments, x, y, typicalWeights, ranks);
    if (count == 0)
        return {.typical = typical.fit, .all = typical.fit, .moments = typical.moments};

    const auto ofFar = [&](const at::Tensor& each) { return each.index_select(0, rows); };
    const FarRows here{.x = ofFar(x),
                       .y = ofFar(y),
                       .weights = weights.defined() ? ofFar(weights) : at::ones({rows.size(0)}, at::kDouble)};
    Moments farMoments(shiftX, shiftY);
    farMoments.add(here.x, here.y, here.weights);
    farMoments.sumOver(ranks);
    TypicalAndAll fits{.typical = typical.fit, .all = {}, .moments = typical.moments + farMoments};
    // As many rows as features determine a fit of their own.
    const bool few = count < x.size(1);
    if (!few || !addRows(fits.all, typical, fits.moments,
                         {.x = ranks.gather(here.x).to(at::kDouble),
                          .y = ranks.gather(here.y).to(at::kDouble),
                          .weights = ranks.gather(here.weights)}))
        fits.all = solveAffine(fits.moments, x, y, weights, ranks).fit;
    return fits;
}

}  // namespace straightedge::linearity
