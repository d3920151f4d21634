// SPDX-License-Identifier: GPL-3.0-or-later
#include "cholesky.h"

namespace straightedge::linearity {

namespace {

constexpr std::int64_t panel =
    384;  // columns at a time; nearly all work is in products with this inner size or more

double real(std::int64_t count) {
    return static_cast<double>(count);
}

// The part of `a` whose rows start at `row` and columns at `column`.
at::Tensor part(const at::Tensor& a, std::int64_t row, std::int64_t rows, std::int64_t column,
                std::int64_t columns) {
    return a.narrow(0, row, rows).narrow(1, column, columns);
}

}  // namespace

double factorWork(std::int64_t n) {
    return real(n) * real(n) * real(n) / 3;
}

double solveWork(std::int64_t n, std::int64_t e) {
    return 2 * real(n) * real(n) * real(e);
}

bool factorBelow(const at::Tensor& a, const at::Tensor& diagonal, const Worked& worked) {
    const std::int64_t n = a.size(0);
    for (std::int64_t j = 0; j < n; j += panel) {
        const std::int64_t width = std::min(panel, n - j), next = j + width, rest = n - next;
        const at::Tensor above = at::triu(part(a, j, width, j, width), 1);
        at::Tensor corner = above + above.t();
        corner.diagonal().copy_(diagonal.narrow(0, j, width));
        at::Tensor below = part(a, next, rest, j, width);
        below.copy_(part(a, j, width, next, rest).t());
        if (j > 0) {
            const at::Tensor left = part(a, j, width, 0, j);
            corner.addmm_(left, left.t(), 1, -1);
            below.addmm_(part(a, next, rest, 0, j), left.t(), 1, -1);
        }
        const auto [factor, failure] = at::linalg_cholesky_ex(corner);
        if (failure.item<int>() != 0)
            return false;
        part(a, j, width, j, width).copy_(above.add_(factor));
        if (rest > 0)
            below.copy_(at::linalg_solve_triangular(factor.t(), below, /*upper=*/true, /*left=*/false));
        worked(factorWork(n - j) - factorWork(n - next));
    }
    return true;
}

void solveBelow(const at::Tensor& a, const at::Tensor& b, const Worked& worked) {
    const std::int64_t n = a.size(0), e = b.size(1);
    const auto solve = [&](std::int64_t j, std::int64_t width, bool transposed) {
        const at::Tensor corner = at::tril(part(a, j, width, j, width));
        at::Tensor rows = b.narrow(0, j, width);
        rows.copy_(at::linalg_solve_triangular(transposed ? corner.t() : corner, rows, /*upper=*/transposed));
        worked(solveWork(n, e) / 2 * real(width) / real(n));
    };
    for (std::int64_t j = 0; j < n; j += panel) {
        const std::int64_t width = std::min(panel, n - j);
        if (j > 0)
            b.narrow(0, j, width).addmm_(part(a, j, width, 0, j), b.narrow(0, 0, j), 1, -1);
        solve(j, width, false);
    }
    for (std::int64_t j = (n - 1) / panel * panel; j >= 0; j -= panel) {
        const std::int64_t width = std::min(panel, n - j), next = j + width, rest = n - next;
        if (rest > 0)
            b.narrow(0, j, width).addmm_(part(a, next, rest, j, width).t(), b.narrow(0, next, rest), 1, -1);
        solve(j, width, true);
    }
}

}  // namespace straightedge::linearity
