// SPDX-License-Identifier: GPL-3.0-or-later
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <vector>

#include "chunks.h"

namespace straightedge::linearity {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// What one thread sums up, of each feature and of all.
struct Sums {
    explicit Sums(std::size_t features)
        : error(features),
          offset(features),
          square(features),
          lowest(features, infinity),
          highest(features, -infinity) {}

    std::vector<double> error;           // (y - predicted)^2
    std::vector<double> offset, square;  // y - about, (y - about)^2
    std::vector<double> lowest, highest;
    double energy = 0;  // y^2, of all features
    double cosine = 0;  // of all rows
};

template <typename Value, typename Guess>
void sumRows(const Value* y, const Guess* predicted, const double* about, std::int64_t begin,
             std::int64_t end, std::int64_t features, Sums& part) {
    for (std::int64_t row = begin; row < end; ++row) {
        const Value* want = y + row * features;
        const Guess* got = predicted + row * features;
        double dot = 0, wantSquare = 0, gotSquare = 0;
#pragma omp simd reduction(+ : dot, wantSquare, gotSquare)
        for (std::size_t j = 0; j < static_cast<std::size_t>(features); ++j) {
            const auto v = static_cast<double>(want[j]), guess = static_cast<double>(got[j]);
            const double off = v - about[j], error = v - guess;
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
        part.cosine += dot / (std::max(std::sqrt(wantSquare), least) * std::max(std::sqrt(gotSquare), least));
        part.energy += wantSquare;
    }
}

// Of an even number the lower of the two in the middle, as torch.median gives.
double median(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

}  // namespace

Scorer::Scorer(at::Tensor about)
    : m_about(about.contiguous()),
      m_sums(at::zeros({3, m_about.size(0)}, at::kDouble)),
      m_range(at::full({1, 2, m_about.size(0)}, infinity, at::kDouble)),
      m_totals(at::zeros({3}, at::kDouble)) {
    m_range.select(1, 1).neg_();
}

void Scorer::add(const at::Tensor& y, const at::Tensor& predicted) {
    const std::int64_t n = y.size(0), e = y.size(1);
    const double* about = m_about.const_data_ptr<double>();
    double* sums = m_sums.mutable_data_ptr<double>();
    double* range = m_range.mutable_data_ptr<double>();
    double* totals = m_totals.mutable_data_ptr<double>();
    totals[0] += static_cast<double>(n);
    std::mutex mutex;
    const auto sum = [&](const auto* rows, const auto* guesses) {
        at::parallel_for(0, n,
                         std::max<std::int64_t>(1, (n + at::get_num_threads() - 1) / at::get_num_threads()),
                         [&](std::int64_t begin, std::int64_t end) {
                             Sums part(static_cast<std::size_t>(e));
                             sumRows(rows, guesses, about, begin, end, e, part);
                             const std::lock_guard lock(mutex);
                             for (std::int64_t j = 0; j < e; ++j) {
                                 const auto i = static_cast<std::size_t>(j);
                                 sums[j] += part.error[i];
                                 sums[e + j] += part.offset[i];
                                 sums[2 * e + j] += part.square[i];
                                 range[j] = std::min(range[j], part.lowest[i]);
                                 range[e + j] = std::max(range[e + j], part.highest[i]);
                             }
                             totals[1] += part.energy;
                             totals[2] += part.cosine;
                         });
    };
    const auto sumWith = [&](const auto* guesses) {
        if (y.scalar_type() == at::kFloat)
            sum(y.const_data_ptr<float>(), guesses);
        else
            sum(y.const_data_ptr<double>(), guesses);
    };
    if (predicted.scalar_type() == at::kFloat)
        sumWith(predicted.const_data_ptr<float>());
    else
        sumWith(predicted.const_data_ptr<double>());
}

Scores Scorer::scores(const Ranks& ranks) const {
    const at::Tensor sums = m_sums.clone(), totals = m_totals.clone();
    ranks.sum({sums, totals});
    const at::Tensor ranges = ranks.gather(m_range);
    const at::Tensor lowest = ranges.select(1, 0).amin(0), highest = ranges.select(1, 1).amax(0);

    Scores scores;
    const std::int64_t e = m_about.size(0);
    const auto width = static_cast<double>(e);
    const double *about = m_about.const_data_ptr<double>(), *error = sums.const_data_ptr<double>(),
                 *offset = error + e, *square = offset + e, *low = lowest.const_data_ptr<double>(),
                 *high = highest.const_data_ptr<double>(), *total = totals.const_data_ptr<double>();
    const double count = total[0], energy = total[1], cosines = total[2];
    if (count == 0)
        return scores;
    double sse = 0, within = 0, mean = 0;
    std::vector<double> each;  // R2 of the features that vary
    for (std::int64_t j = 0; j < e; ++j) {
        sse += error[j];
        mean += (about[j] + offset[j] / count) / width;
        if (low[j] == high[j])
            continue;
        const double spread = square[j] - offset[j] * offset[j] / count;
        within += spread;
        each.push_back(1 - error[j] / spread);
    }
    // The total about one mean is what is within the features and what their means differ by.
    double between = 0;
    for (std::int64_t j = 0; j < e; ++j) {
        const double off = about[j] + offset[j] / count - mean;
        between += count * off * off;
    }
    scores.constantFeatures = e - std::ssize(each);
    if (lowest.min().item<double>() != highest.max().item<double>())
        scores.r2 = 1 - sse / (within + between);
    if (!each.empty()) {
        scores.r2Centred = 1 - sse / within;
        double sum = 0;
        for (const double value : each)
            sum += value;
        scores.featureMean = sum / static_cast<double>(each.size());
        scores.featureMedian = median(each);
    }
    scores.rmse = std::sqrt(sse / (count * width));
    if (energy > 0)
        scores.relMse = sse / energy;
    scores.cosine = cosines / count;
    return scores;
}

Scores score(const at::Tensor& x, const at::Tensor& y, const at::Tensor& about, const Predict& predict,
             const Ranks& ranks) {
    Scorer scorer(about);
    inChunks(y.size(0), [&](std::int64_t first, std::int64_t count) {
        scorer.add(y.narrow(0, first, count).contiguous(), predict(x.narrow(0, first, count)).contiguous());
    });
    return scorer.scores(ranks);
}

Scores score(const at::Tensor& y, const at::Tensor& predicted) {
    if (y.size(0) == 0)
        return {};
    Scorer scorer(y[0].to(at::kDouble));
    scorer.add(y.contiguous(), predicted.contiguous());
    return scorer.scores();
}

}  // namespace straightedge::linearity
