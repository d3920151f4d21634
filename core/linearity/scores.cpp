// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

namespace straightedge::linearity {

Scores score(const at::Tensor& y, const at::Tensor& predicted)
{
    Scores scores;
    if (y.size(0) == 0)
        return scores;
    const at::Tensor squares = (y - predicted).square().sum(0);                 // [e]
    const at::Tensor totals = (y - y.mean(0, /*keepdim=*/true)).square().sum(0);  // [e]
    const double sse = squares.sum().item<double>();
    const double energy = y.square().sum().item<double>();

    // Constancy is asked of the values themselves: a rounded mean leaves totals a little above zero.
    const at::Tensor lowest = y.amin(0), highest = y.amax(0);
    const at::Tensor varying = (lowest != highest).nonzero().squeeze(1);
    scores.constantFeatures = y.size(1) - varying.size(0);

    if (lowest.min().item<double>() != highest.max().item<double>())
        scores.r2 = 1 - sse / (y - y.mean()).square().sum().item<double>();
    if (varying.size(0) > 0) {
        scores.r2Centred = 1 - sse / totals.sum().item<double>();
        const at::Tensor each = 1 - squares.index_select(0, varying) / totals.index_select(0, varying);
        scores.featureMedian = each.median().item<double>();
        scores.featureMean = each.mean().item<double>();
    }
    scores.rmse = std::sqrt(sse / static_cast<double>(y.numel()));
    if (energy > 0)
        scores.relMse = sse / energy;
    scores.cosine = at::cosine_similarity(y, predicted, 1).mean().item<double>();
    return scores;
}

}  // namespace straightedge::linearity
