// SPDX-License-Identifier: GPL-3.0-or-later
#include "factored_covariance.h"

#include "lanczos.h"

namespace straightedge::linearity {

std::optional<FactoredCovariance> FactoredCovariance::of(at::Tensor covariance) {
    at::Tensor scale = covariance.diagonal().rsqrt();
    if (!at::isfinite(scale).all().item<bool>())
        return {};  // a constant feature
    const auto [factor, failure] = at::linalg_cholesky_ex(covariance * scale * scale.unsqueeze(1));
    if (failure.item<int>() != 0)
        return {};
    return FactoredCovariance(std::move(covariance), std::move(scale), factor);
}

at::Tensor FactoredCovariance::half(const at::Tensor& b) const {
    return at::linalg_solve_triangular(m_factor, m_scale.unsqueeze(1) * b, /*upper=*/false);
}

at::Tensor FactoredCovariance::fromHalf(const at::Tensor& b) const {
    return m_scale.unsqueeze(1) * at::linalg_solve_triangular(m_factor.t(), b, /*upper=*/true);
}

double FactoredCovariance::largest() const {
    return largestEigenvalue(width(), [&](const at::Tensor& v) { return at::mv(m_covariance, v); });
}

double FactoredCovariance::smallest() const {
    return 1 /
           largestEigenvalue(width(), [&](const at::Tensor& v) { return solve(v.unsqueeze(1)).squeeze(1); });
}

double FactoredCovariance::smallestScaled() const {
    constexpr double roughly = 0.01;
    return 1 / largestEigenvalue(
                   width(),
                   [&](const at::Tensor& v) {
                       return at::linalg_solve_triangular(
                                  m_factor.t(), at::linalg_solve_triangular(m_factor, v.unsqueeze(1), false),
                                  true)
                           .squeeze(1);
                   },
                   roughly);
}

}  // namespace straightedge::linearity
