// SPDX-License-Identifier: GPL-3.0-or-later
#include "closed_forms.h"

#include "linearity/chunks.h"
#include "linearity/typical_and_all.h"

namespace straightedge::replacement {

namespace {

double item(const at::Tensor& scalar) {
    return scalar.item<double>();
}

}  // namespace

linearity::AffineFit balancedFit(const linearity::LinearProfile& profile, const at::Tensor& x,
                                 const at::Tensor& y, double power) {
    const linearity::Ranks& ranks = *profile.ranks;
    const at::Tensor xHead = x.narrow(0, 0, profile.head), yHead = y.narrow(0, 0, profile.head);
    const at::Tensor massive = profile.massive.massive.narrow(0, 0, profile.head);
    // Only the weights' ratios count.
    const at::Tensor weights =
        (profile.massive.energy.narrow(0, 0, profile.head) / profile.massive.medianEnergy + 1).pow(-power);
    return fitTypicalAndAll(xHead, yHead, weights, massive, profile.moments->shiftX(),
                            profile.moments->shiftY(), ranks)
        .all;
}

std::unique_ptr<SwitchedLayer> switchedFit(const linearity::LinearProfile& profile, const at::Tensor& x,
                                           const at::Tensor& y) {
    if (profile.massive.inHead == 0)
        return nullptr;
    const linearity::Ranks& ranks = *profile.ranks;
    const at::Tensor mask = profile.massive.massive.narrow(0, 0, profile.head);
    const at::Tensor massive = mask.nonzero().squeeze(1);
    const auto massiveRows = [&](const at::Tensor& rows) {
        return ranks.gather(rows.index_select(0, massive)).to(at::kDouble);
    };
    const at::Tensor xMassive = massiveRows(x);
    const auto count = static_cast<double>(profile.allHead);
    at::Tensor covariance = profile.moments->covarianceX() / count;
    covariance.diagonal().add_(1e-3 * covariance.diagonal().mean());
    // The typical rows' mean is what the mean of all leaves when the massive ones' is taken off.
    const at::Tensor massiveMean = xMassive.mean(0);
    const at::Tensor typicalMean = (profile.moments->meanX() * count - xMassive.sum(0)) /
                                   (count - static_cast<double>(profile.massive.inHead));
    const at::Tensor direction = at::linalg_solve(covariance, massiveMean - typicalMean);

    const at::Tensor high = at::mv(xMassive, direction);
    at::Tensor all = at::empty({profile.head}, at::kDouble);
    linearity::inChunks(profile.head, [&](std::int64_t first, std::int64_t rows) {
        at::Tensor some = all.narrow(0, first, rows);
        at::mv_out(some, x.narrow(0, first, rows).to(at::kDouble), direction);
    });
    const at::Tensor low = ranks.gather(all.masked_select(mask.logical_not()));
    const double bottom = item(at::quantile(high, 0.02)), top = item(low.max());
    const double threshold =
        bottom > top ? (bottom + top) / 2 : (item(high.median()) + item(low.median())) / 2;
    return std::make_unique<SwitchedLayer>(profile.typicalFit, direction, threshold, massiveRows(y).mean(0));
}

}  // namespace straightedge::replacement
