// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace straightedge::study {

// Pearson's r of pairs, and its 95 % interval by Fisher's z transformation (tanh(atanh r ± 1.96 / sqrt(n -
// 3)); Fisher 1921).
struct Correlation {
    std::int64_t pairs = 0;
    std::optional<double> r;          // undefined below two pairs, or where one side is constant
    std::optional<double> low, high;  // undefined below four pairs
};
Correlation pearson(std::span<const double> a, std::span<const double> b);

// Pearson's r of the ranks; equal values share the mean of their ranks.
std::optional<double> spearman(std::span<const double> a, std::span<const double> b);

}  // namespace straightedge::study
