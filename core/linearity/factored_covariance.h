// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <optional>

namespace straightedge::linearity {

// A symmetric positive definite matrix S [d, d], float64, as F F^T (Cholesky) after its features are scaled
// to one size: D S D = F F^T, D the inverse roots of its diagonal.
class FactoredCovariance {
  public:
    // Empty where S is not positive definite to the last digit.
    static std::optional<FactoredCovariance> of(at::Tensor covariance);

    std::int64_t width() const { return m_scale.size(0); }
    // b [d, e]: S^-1 b.
    at::Tensor solve(const at::Tensor& b) const { return fromHalf(half(b)); }
    // The two halves of it: half(b)^T half(c) = b^T S^-1 c, and S^-1 b = fromHalf(half(b)).
    at::Tensor half(const at::Tensor& b) const;
    at::Tensor fromHalf(const at::Tensor& b) const;
    // Eigenvalues of S, to a millionth.
    double largest() const;
    double smallest() const;
    // Of D S D, to a hundredth.
    double smallestScaled() const;

  private:
    FactoredCovariance(at::Tensor covariance, at::Tensor scale, at::Tensor factor)
        : m_covariance(std::move(covariance)), m_scale(std::move(scale)), m_factor(std::move(factor)) {}

    at::Tensor m_covariance, m_scale, m_factor;
};

}  // namespace straightedge::linearity
