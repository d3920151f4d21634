// SPDX-License-Identifier: GPL-3.0-or-later
#include "folds.h"

#include <algorithm>
#include <cmath>

#include "error.h"

namespace straightedge::linearity {

namespace {

// The first row of fold k of `folds`; half to even, as Python rounds.
std::int64_t edge(std::int64_t k, std::int64_t n, std::int64_t folds) {
    return std::llrint(static_cast<double>(k * n) / static_cast<double>(folds));
}

void summarise(Folds& folds) {
    double sum = 0, squares = 0;
    const auto count = static_cast<double>(folds.r2Centred.size());
    for (const std::optional<double>& r2 : folds.r2Centred) {
        if (!r2)
            return;
        sum += *r2;
    }
    folds.mean = sum / count;
    for (const std::optional<double>& r2 : folds.r2Centred)
        squares += (*r2 - *folds.mean) * (*r2 - *folds.mean);
    folds.deviation = std::sqrt(squares / (count - 1));
}

}  // namespace

Folds blockedFolds(const LinearProfile& profile, const at::Tensor& x, const at::Tensor& y, std::int64_t folds,
                   const Tick& tick) {
    const Ranks& ranks = *profile.ranks;
    const std::int64_t n = profile.allRows;
    if (folds < 2 || folds > n)
        throw Error({.what = "rows cannot be divided into folds",
                     .expected = "from 2 to " + std::to_string(n) + " folds",
                     .found = std::to_string(folds)});
    const auto done = [&](std::int64_t step) {
        if (tick)
            tick(static_cast<double>(step) / static_cast<double>(2 * folds));
    };

    // This rank's rows of a fold.
    const auto part = [&](std::int64_t k) {
        const auto here = [&](std::int64_t row) {
            return std::clamp<std::int64_t>(row - profile.before, 0, profile.rows);
        };
        const std::int64_t first = here(edge(k, n, folds));
        return std::pair(first, here(edge(k + 1, n, folds)) - first);
    };

    const Moments none(profile.moments->shiftX(), profile.moments->shiftY());
    std::vector<Moments> each(static_cast<std::size_t>(folds), none);
    for (std::int64_t k = 0; k < folds; ++k) {
        const auto [first, rows] = part(k);
        Moments moments(none.shiftX(), none.shiftY());  // a copy of `none` would share its tensors
        moments.add(x.narrow(0, first, rows), y.narrow(0, first, rows));
        moments.sumOver(ranks);
        each[static_cast<std::size_t>(k)] = std::move(moments);
        done(k + 1);
    }

    Folds result;
    for (std::int64_t k = 0; k < folds; ++k) {
        const auto [first, rows] = part(k);
        Moments others = none;
        for (std::int64_t other = 0; other < folds; ++other)
            if (other != k)
                others = others + each[static_cast<std::size_t>(other)];
        at::Tensor weights = at::ones({profile.rows}, at::kDouble);
        weights.narrow(0, first, rows).zero_();
        const AffineFit fit = solveAffine(others, x, y, weights, ranks).fit;
        const auto predict = [&](const at::Tensor& some) { return fit.predict(some); };
        result.r2Centred.push_back(
            score(x.narrow(0, first, rows), y.narrow(0, first, rows), none.shiftY(), predict, ranks)
                .r2Centred);
        done(folds + k + 1);
    }
    summarise(result);
    return result;
}

}  // namespace straightedge::linearity
