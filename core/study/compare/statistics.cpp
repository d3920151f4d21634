// SPDX-License-Identifier: GPL-3.0-or-later
#include "statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace straightedge::study {

namespace {

double mean(std::span<const double> values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// 1 for the smallest; equal values share the mean of theirs.
std::vector<double> ranksOf(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return values[i]; });
    std::vector<double> ranks(values.size());
    for (std::size_t first = 0; first < order.size();) {
        std::size_t last = first;
        while (last + 1 < order.size() && values[order[last + 1]] == values[order[first]])
            ++last;
        for (std::size_t i = first; i <= last; ++i)
            ranks[order[i]] = 1 + static_cast<double>(first + last) / 2;
        first = last + 1;
    }
    return ranks;
}

}  // namespace

Correlation pearson(std::span<const double> a, std::span<const double> b) {
    const auto n = static_cast<std::int64_t>(std::min(a.size(), b.size()));
    Correlation result{.pairs = n, .r = {}, .low = {}, .high = {}};
    if (n < 2)
        return result;
    const double meanA = mean(a), meanB = mean(b);
    double ab = 0, aa = 0, bb = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
        ab += (a[i] - meanA) * (b[i] - meanB);
        aa += (a[i] - meanA) * (a[i] - meanA);
        bb += (b[i] - meanB) * (b[i] - meanB);
    }
    if (!(aa > 0) || !(bb > 0))
        return result;
    result.r = std::clamp(ab / std::sqrt(aa * bb), -1.0, 1.0);
    if (n >= 4) {
        constexpr double normal975 = 1.959963984540054;  // 97.5 % quantile of the normal distribution
        const double z = std::atanh(*result.r), wide = normal975 / std::sqrt(static_cast<double>(n - 3));
        result.low = std::tanh(z - wide);
        result.high = std::tanh(z + wide);
    }
    return result;
}

std::optional<double> spearman(std::span<const double> a, std::span<const double> b) {
    return pearson(ranksOf(a), ranksOf(b)).r;
}

}  // namespace straightedge::study
