// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <functional>
#include <optional>

#include "ranks.h"

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

// Sums up scores over rows that come in parts.
class Scorer {
  public:
    // about [e] float64: something near y's mean, about which sums are taken, so that a large mean does not
    // eat their digits. The same on all ranks.
    explicit Scorer(at::Tensor about);
    // y, predicted [n, e] float32 or float64, contiguous.
    void add(const at::Tensor& y, const at::Tensor& predicted);
    // Of the rows of all ranks.
    Scores scores(const Ranks& ranks = Ranks::alone()) const;

  private:
    at::Tensor m_about;
    at::Tensor m_sums;    // [3, e]: (y - predicted)^2, y - about, (y - about)^2
    at::Tensor m_range;   // [1, 2, e]: lowest and highest y
    at::Tensor m_totals;  // [3]: rows, y^2, cosines
};

// Of rows y [n, e] whose predictions are made some at a time from x [n, d].
using Predict = std::function<at::Tensor(const at::Tensor& x)>;
Scores score(const at::Tensor& x, const at::Tensor& y, const at::Tensor& about, const Predict& predict,
             const Ranks& ranks = Ranks::alone());

// Of rows that are all here.
Scores score(const at::Tensor& y, const at::Tensor& predicted);

}  // namespace straightedge::linearity
