// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <optional>

namespace straightedge::linearity {

// How well predictions fit held-out rows (PROTOCOL "Closed form and held-out score"). Undefined values are
// empty: an R2 whose total is zero, a mean over nothing.
struct Scores {
    std::optional<double> r2;         // around one scalar mean, as published
    std::optional<double> r2Centred;  // around each feature's mean
    std::optional<double> rmse;
    std::optional<double> relMse;                      // mean squared error / mean of y^2
    std::optional<double> cosine;                      // mean over rows
    std::optional<double> featureMedian, featureMean;  // of each feature's own R2, constant ones left out
    std::int64_t constantFeatures = 0;
};

// y, predicted [n, e] float32 or float64; predicted is contiguous.
Scores score(const at::Tensor& y, const at::Tensor& predicted);

}  // namespace straightedge::linearity
