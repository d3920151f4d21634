// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

namespace straightedge::linearity {

// First and second moments of rows x [n, d] and y [n, e], all a least-squares fit needs, summed in float64
// around a fixed shift (near the mean), so that large means do not eat digits.
class Moments {
  public:
    // shiftX [d], shiftY [e], float64.
    Moments(at::Tensor shiftX, at::Tensor shiftY);

    // Adds the rows of x [n, d], y [n, e] (float32 or float64) with a weight each [n]; undefined: all 1. Rows
    // of weight 0 leave no trace, not even of values that are not finite.
    void add(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights = {});
    // Of the rows of both, which must have the same shift.
    friend Moments operator+(const Moments& a, const Moments& b);

    const at::Tensor& shiftX() const { return m_shiftX; }
    const at::Tensor& shiftY() const { return m_shiftY; }
    double weight() const { return m_weight; }  // sum of the weights: the number of rows
    at::Tensor meanX() const;                   // [d]
    at::Tensor meanY() const;                   // [e]
    at::Tensor covarianceX() const;             // [d, d], sums of products about the mean, not divided by n
    at::Tensor covarianceXY() const;            // [d, e]

  private:
    at::Tensor m_shiftX, m_shiftY;
    double m_weight = 0;
    at::Tensor m_sumX, m_sumY;  // about the shift
    at::Tensor m_xx, m_xy;      // about the shift; of m_xx only the upper panels are kept up
};

}  // namespace straightedge::linearity
