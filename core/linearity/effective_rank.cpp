// SPDX-License-Identifier: GPL-3.0-or-later
#include "effective_rank.h"

#include <algorithm>

#include "chunks.h"

namespace straightedge::linearity {

namespace {

std::optional<std::int64_t> firstReaching(const std::vector<double>& curve, double wanted) {
    const auto found = std::find_if(curve.begin(), curve.end(), [=](double r2) { return r2 >= wanted; });
    return std::min<std::int64_t>(found - curve.begin() + 1, std::ssize(curve));
}

}  // namespace

EffectiveRank effectiveRank(const LinearProfile& profile, const at::Tensor& x, const at::Tensor& y) {
    EffectiveRank result;
    if (!profile.published.r2)
        return result;
    const AffineFit& fit = profile.fit;
    const at::Tensor fitted = fit.weight.t().mm(profile.moments->covarianceX()).mm(fit.weight);
    const at::Tensor directions = std::get<1>(at::linalg_eigh(fitted)).flip(1);  // largest first

    const std::int64_t tail = profile.rows - profile.head, e = fit.bias.size(0);
    const at::Tensor mean =
        profile.moments->meanY();  // of the fitted outputs too, since the fit has an intercept
    // Each direction takes its own share off the squared error that the mean alone leaves.
    const at::Tensor gain = at::zeros({e}, at::kDouble);
    // About the mean of each feature: squares; about that of all: rows, values and squares.
    const at::Tensor squares = at::zeros({1}, at::kDouble), all = at::zeros({3}, at::kDouble);
    inChunks(tail, [&](std::int64_t first, std::int64_t count) {
        const at::Tensor target = y.narrow(0, profile.head + first, count).to(at::kDouble);
        const at::Tensor off = target - mean, offAll = target - mean.mean();
        const at::Tensor held = (fit.predict(x.narrow(0, profile.head + first, count)) - mean).mm(directions);
        gain.add_((held * (2 * off.mm(directions) - held)).sum(0));
        squares.add_(off.square().sum());
        all.add_(at::stack(
            {at::full({}, static_cast<double>(count), at::kDouble), offAll.sum(), offAll.square().sum()}));
    });
    profile.ranks->sum({gain, squares, all});
    const at::Tensor total = all[2] - all[1].square() / (all[0] * static_cast<double>(e));
    const at::Tensor r2 = 1 - (squares - gain.cumsum(0)) / total;
    const double* values = r2.const_data_ptr<double>();
    result.curve.assign(values, values + r2.size(0));
    if (const double full = *profile.published.r2; full > 0) {
        result.rank90 = firstReaching(result.curve, 0.90 * full);
        result.rank95 = firstReaching(result.curve, 0.95 * full);
    }
    return result;
}

}  // namespace straightedge::linearity
