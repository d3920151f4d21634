// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include "compensated_sum.h"

namespace straightedge::linearity {

// Single: products of a thousand rows of float32 are summed in float32, and those sums in float64; two to
// three times as fast. Each entry is then good to a few parts in 1e9 of what its two features' sizes allow,
// which is enough while no feature is nearly a combination of the others: solveAffine sees to that.
enum class Products { Double, Single };

// First and second moments of rows x [n, d] and y [n, e], all a least-squares fit needs, around a fixed shift
// (near the mean), so that large means do not eat digits. Products of some rows at a time are added up so
// that their order leaves no trace, not on one rank and not on many.
class Moments {
  public:
    // shiftX [d], shiftY [e], float64. Single products are of float32 rows only; others are taken in float64
    // all the same.
    Moments(at::Tensor shiftX, at::Tensor shiftY, Products products = Products::Double);

    // Adds the rows of x [n, d], y [n, e] (float32 or float64) with a weight each [n]; undefined: all 1. Rows
    // of weight 0 leave no trace, not even of values that are not finite.
    void add(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights = {});
    // Makes them the moments of all ranks' rows; shifts must be the same on all.
    void sumOver(const Ranks& ranks);
    // Of the rows of both, which must have the same shift.
    friend Moments operator+(const Moments& a, const Moments& b);

    Products products() const { return m_products; }
    const at::Tensor& shiftX() const { return m_shiftX; }
    const at::Tensor& shiftY() const { return m_shiftY; }
    double weight() const { return m_weight.value().item<double>(); }  // sum of weights: the number of rows
    at::Tensor meanX() const;                                          // [d]
    at::Tensor meanY() const;                                          // [e]
    at::Tensor covarianceX() const;   // [d, d], sums of products about the mean, not divided by n
    at::Tensor covarianceXY() const;  // [d, e]

  private:
    void addDouble(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights);
    void addSingle(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights);
    void addProducts(const at::Tensor& plainX, const at::Tensor& heavyX, const at::Tensor& heavyY,
                     at::Tensor& buffer);

    at::Tensor m_shiftX, m_shiftY;
    Products m_products;
    CompensatedSum m_weight;
    CompensatedSum m_sumX, m_sumY;  // about the shift
    CompensatedSum m_xx, m_xy;      // about the shift; of m_xx only the upper panels are kept up
};

}  // namespace straightedge::linearity
