// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

namespace straightedge::linearity {

namespace {

// Sums over rows, one trip through y and predicted. Sums of y are taken about its first row, so that a large
// mean does not eat their digits.
struct Sums {
    explicit Sums(std::size_t features)
        : error(features),
          offset(features),
          square(features),
          lowest(features, infinity),
          highest(features, -infinity) {}

    void add(const Sums& other) {
        for (std::size_t j = 0; j < error.size(); ++j) {
            error[j] += other.error[j];
            offset[j] += other.offset[j];
            square[j] += other.square[j];
            lowest[j] = std::min(lowest[j], other.lowest[j]);
            highest[j] = std::max(highest[j], other.highest[j]);
        }
        energy += other.energy;
        cosine += other.cosine;
    }

    static constexpr double infinity = std::numeric_limits<double>::infinity();
    std::vector<double> error;           // (y - predicted)^2
    std::vector<double> offset, square;  // y - first, (y - first)^2
    std::vector<double> lowest, highest;
    double energy = 0;  // y^2, of all features
    double cosine = 0;  // of all rows
};

template <typename Value, typename Guess>
Sums sumRows(const Value* y, const Guess* predicted, std::int64_t rows, std::int64_t features) {
    const auto e = static_cast<std::size_t>(features);
    Sums total(e);
    std::mutex mutex;
    at::parallel_for(
        0, rows, std::max<std::int64_t>(1, (rows + at::get_num_threads() - 1) / at::get_num_threads()),
        [&](std::int64_t begin, std::int64_t end) {
            Sums part(e);
            for (std::int64_t row = begin; row < end; ++row) {
                const Value* want = y + row * features;
                const Guess* got = predicted + row * features;
                double dot = 0, wantSquare = 0, gotSquare = 0;
#pragma omp simd reduction(+ : dot, wantSquare, gotSquare)
                for (std::size_t j = 0; j < e; ++j) {
                    const auto v = static_cast<double>(want[j]), guess = static_cast<double>(got[j]);
                    const double off = v - static_cast<double>(y[j]), error = v - guess;
                    part.error[j] += error * error;
                    part.offset[j] += off;
                    part.square[j] += off * off;
                    part.lowest[j] = std::min(part.lowest[j], v);
                    part.highest[j] = std::max(part.highest[j], v);
                    dot += v * guess;
                    wantSquare += v * v;
                    gotSquare += guess * guess;
                }
                // As torch.nn.functional.cosine_similarity guards against rows of zeros.
                constexpr double least = 1e-8;
                part.cosine +=
                    dot / (std::max(std::sqrt(wantSquare), least) * std::max(std::sqrt(gotSquare), least));
                part.energy += wantSquare;
            }
            const std::lock_guard lock(mutex);
            total.add(part);
        });
    return total;
}

// Of an even number the lower of the two in the middle, as torch.median gives.
double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

Scores score(const at::Tensor& y, const at::Tensor& predicted) {
    Scores scores;
    const std::int64_t n = y.size(0), e = y.size(1);
    if (n == 0)
        return scores;
    const at::Tensor rows = y.contiguous();
    const bool single = rows.scalar_type() == at::kFloat;
    const auto sumWith = [&](const auto* guess) {
        return single ? sumRows(rows.const_data_ptr<float>(), guess, n, e)
                      : sumRows(rows.const_data_ptr<double>(), guess, n, e);
    };
    const Sums sums = predicted.scalar_type() == at::kFloat ? sumWith(predicted.const_data_ptr<float>())
                                                            : sumWith(predicted.const_data_ptr<double>());
    const auto first = [&](std::size_t j) {
        return single ? static_cast<double>(rows.const_data_ptr<float>()[j])
                      : rows.const_data_ptr<double>()[j];
    };

    const auto count = static_cast<double>(n);
    double sse = 0, within = 0, mean = 0, low = Sums::infinity, high = -Sums::infinity;
    std::vector<double> each;  // R2 of the features that vary
    for (std::size_t j = 0; j < sums.error.size(); ++j) {
        sse += sums.error[j];
        mean += (first(j) + sums.offset[j] / count) / static_cast<double>(e);
        low = std::min(low, sums.lowest[j]);
        high = std::max(high, sums.highest[j]);
        if (sums.lowest[j] == sums.highest[j])
            continue;
        const double total = sums.square[j] - sums.offset[j] * sums.offset[j] / count;
        within += total;
        each.push_back(1 - sums.error[j] / total);
    }
    // The total about one mean is what is within the features and what their means differ by.
    double between = 0;
    for (std::size_t j = 0; j < sums.error.size(); ++j) {
        const double off = first(j) + sums.offset[j] / count - mean;
        between += count * off * off;
    }
    scores.constantFeatures = e - static_cast<std::int64_t>(each.size());
    if (low != high)
        scores.r2 = 1 - sse / (within + between);
    if (!each.empty()) {
        scores.r2Centred = 1 - sse / within;
        double sum = 0;
        for (const double value : each)
            sum += value;
        scores.featureMean = sum / static_cast<double>(each.size());
        scores.featureMedian = median(each);
    }
    scores.rmse = std::sqrt(sse / (count * static_cast<double>(e)));
    if (sums.energy > 0)
        scores.relMse = sse / sums.energy;
    scores.cosine = sums.cosine / count;
    return scores;
}

}  // namespace straightedge::linearity
