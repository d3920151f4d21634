// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "linear_profile.h"
#include "tick.h"

namespace straightedge::linearity {

// Blocked k-fold: contiguous folds in row order, each predicted by the fit on all others.
struct Folds {
    std::vector<std::optional<double>> r2Centred;  // of each fold, in row order
    // Over the folds, the deviation that of a sample; undefined where a fold's score is.
    std::optional<double> mean, deviation;
};

// x [n, d], y [n, e]: all rows, as linearProfile() had them. The rows are summed up once, a fold's fit is the
// sum of the other folds' moments. Throws Error where there are fewer rows than folds, or fewer than two
// folds.
Folds blockedFolds(const LinearProfile& profile, const at::Tensor& x, const at::Tensor& y,
                   std::int64_t folds = 5, const Tick& tick = {});

}  // namespace straightedge::linearity
