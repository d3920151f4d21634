// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "layer.h"
#include "linearity/linear_profile.h"

// Closed forms beside the published one (PROTOCOL "Perplexity"): fits that a few massive rows do not own.
namespace straightedge::replacement {

// The least-squares map of the head with row weights (e_i + median e)^-power. x, y: all rows, as
// linearProfile() had them.
linearity::AffineFit balancedFit(const linearity::LinearProfile& profile, const at::Tensor& x,
                                 const at::Tensor& y, double power);

// The typical rows' map, and past a threshold along one direction the massive rows' mean output. With S the
// covariance of the head's x: u = (S + 1e-3 mean(diag S) I)^-1 (mean x of the massive - mean x of the typical
// rows); t midway between the massive projections' 2 % quantile and the typical ones' maximum where they
// separate, else midway between the medians. nullptr where the head has no massive rows.
std::unique_ptr<SwitchedLayer> switchedFit(const linearity::LinearProfile& profile, const at::Tensor& x,
                                           const at::Tensor& y);

}  // namespace straightedge::replacement
