// SPDX-License-Identifier: GPL-3.0-or-later
#include "closed_forms.h"

namespace straightedge::replacement {

namespace {

double item(const at::Tensor& scalar) {
    return scalar.item<double>();
}

}  // namespace

linearity::AffineFit balancedFit(const linearity::LinearProfile& profile, const at::Tensor& x,
                                 const at::Tensor& y, double power) {
    const at::Tensor xHead = x.narrow(0, 0, profile.head), yHead = y.narrow(0, 0, profile.head);
    at::Tensor weights =
        (profile.massive.energy.narrow(0, 0, profile.head) + profile.massive.medianEnergy).pow(-power);
    weights = weights / weights.mean();  // only their ratios count; this keeps the moments' scale
    linearity::Moments moments(profile.moments->shiftX(), profile.moments->shiftY());
    moments.add(xHead, yHead, weights);
    return solveAffine(moments, xHead, yHead, weights);
}

std::unique_ptr<SwitchedLayer> switchedFit(const linearity::LinearProfile& profile, const at::Tensor& x,
                                           const at::Tensor& y) {
    const at::Tensor mask = profile.massive.massive.narrow(0, 0, profile.head);
    const at::Tensor massive = mask.nonzero().squeeze(1), typical = mask.logical_not().nonzero().squeeze(1);
    if (massive.size(0) == 0)
        return nullptr;
    const at::Tensor xHead = x.narrow(0, 0, profile.head);
    const at::Tensor xMassive = xHead.index_select(0, massive).to(at::kDouble);
    const auto count = static_cast<double>(profile.head);
    at::Tensor covariance = profile.moments->covarianceX() / count;
    covariance.diagonal().add_(1e-3 * covariance.diagonal().mean());
    // The typical rows' mean is what the mean of all leaves when the massive ones' is taken off.
    const at::Tensor massiveMean = xMassive.mean(0);
    const at::Tensor typicalMean =
        (profile.moments->meanX() * count - xMassive.sum(0)) / static_cast<double>(typical.size(0));
    const at::Tensor direction = at::linalg_solve(covariance, massiveMean - typicalMean);

    const at::Tensor high = at::mv(xMassive, direction);
    const at::Tensor low = at::mv(xHead.to(at::kDouble), direction).index_select(0, typical);
    const double bottom = item(at::quantile(high, 0.02)), top = item(low.max());
    const double threshold =
        bottom > top ? (bottom + top) / 2 : (item(high.median()) + item(low.median())) / 2;
    const at::Tensor constant = y.narrow(0, 0, profile.head).index_select(0, massive).to(at::kDouble).mean(0);
    return std::make_unique<SwitchedLayer>(profile.typicalFit, direction, threshold, constant);
}

}  // namespace straightedge::replacement
