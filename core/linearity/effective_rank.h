// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "linear_profile.h"

namespace straightedge::linearity {

// Reduced-rank regression: how few directions of the fitted output carry the fit.
struct EffectiveRank {
    std::vector<double> curve;  // held-out R2 of rank 1, 2, ..., e; empty where the score is undefined
    // The fewest directions that reach 90 % (95 %) of the full fit's R2; undefined where that is not
    // positive.
    std::optional<std::int64_t> rank90, rank95;
};

// Of the published fit; x [n, d], y [n, e]: all rows, as linearProfile() had them. Directions are the right
// singular vectors of the centred fitted head outputs, that is the eigenvectors of W^T S W with S the
// covariance of the head's x.
EffectiveRank effectiveRank(const LinearProfile& profile, const at::Tensor& x, const at::Tensor& y);

}  // namespace straightedge::linearity
