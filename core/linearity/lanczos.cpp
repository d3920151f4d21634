// SPDX-License-Identifier: GPL-3.0-or-later
#include "lanczos.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace straightedge::linearity {

namespace {

// Largest eigenvalue of the tridiagonal matrix, and the last entry of its vector.
std::pair<double, double> largestOf(const std::vector<double>& diagonal, const std::vector<double>& beside) {
    const auto k = std::ssize(diagonal);
    const at::Tensor matrix = at::zeros({k, k}, at::kDouble);
    auto entry = matrix.accessor<double, 2>();
    for (std::int64_t i = 0; i < k; ++i) {
        entry[i][i] = diagonal[static_cast<std::size_t>(i)];
        if (i + 1 < k)
            entry[i + 1][i] = entry[i][i + 1] = beside[static_cast<std::size_t>(i)];
    }
    const auto [values, vectors] = at::linalg_eigh(matrix);  // ascending
    return {values[-1].item<double>(), vectors[-1][-1].item<double>()};
}

}  // namespace

double largestEigenvalue(std::int64_t d, const std::function<at::Tensor(const at::Tensor&)>& times,
                         double tolerance) {
    constexpr std::int64_t every = 4, most = 400;  // looked at; a spectrum that needs more has no clear end
    const std::int64_t steps = std::min(d, most);
    at::Tensor basis = at::empty({steps, d}, at::kDouble);
    std::vector<double> diagonal, beside;
    at::Tensor next = at::randn({d}, at::make_generator<at::CPUGeneratorImpl>(1), at::kDouble);
    double value = 0;
    for (std::int64_t k = 0; k < steps; ++k) {
        basis.select(0, k).copy_(next / next.norm());
        const at::Tensor vector = basis.select(0, k), so = basis.narrow(0, 0, k + 1);
        next = times(vector);
        diagonal.push_back(at::dot(next, vector).item<double>());
        for (int twice = 0; twice < 2; ++twice)
            next = next - at::mv(so.t(), at::mv(so, next));
        beside.push_back(next.norm().item<double>());
        const bool ends = k + 1 == steps || !(beside.back() > 1e-14 * std::abs(diagonal.front()));
        if (!ends && (k + 1) % every != 0)
            continue;
        const auto [largest, last] = largestOf(diagonal, beside);
        value = largest;
        if (ends || std::abs(beside.back() * last) <= tolerance * value)
            break;
    }
    return value;
}

}  // namespace straightedge::linearity
