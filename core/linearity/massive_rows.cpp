// SPDX-License-Identifier: GPL-3.0-or-later
#include "massive_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "wide.h"

namespace straightedge::linearity {

namespace {

STRAIGHTEDGE_WIDE double squaredDistance(const float* a, const float* b, std::int64_t count) {
    double sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::int64_t j = 0; j < count; ++j) {
        const double off = static_cast<double>(a[j]) - static_cast<double>(b[j]);
        sum += off * off;
    }
    return sum;
}

// Bits that are in the order of the values.
std::uint32_t orderOf(float value) {
    const auto bits = std::bit_cast<std::uint32_t>(value);
    return bits ^ ((bits >> 31) != 0 ? 0xFFFFFFFFU : 0x80000000U);
}

float valueOf(std::uint32_t order) {
    return std::bit_cast<float>(order ^ ((order >> 31) != 0 ? 0x80000000U : 0xFFFFFFFFU));
}

STRAIGHTEDGE_WIDE std::int32_t countBelow(const float* values, std::int64_t count, float limit) {
    std::int32_t below = 0;
#pragma omp simd reduction(+ : below)
    for (std::int64_t i = 0; i < count; ++i)
        below += values[i] < limit ? 1 : 0;
    return below;
}

// Two values between which a column's median lies, most probably.
struct Bracket {
    float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();
};

// Of each column, three standard deviations of the median's place in a sample of all ranks' rows; open where
// the rows are few (Floyd and Rivest, Communications of the ACM 18, 1975).
std::vector<Bracket> bracketsOf(const at::Tensor& rows, const Ranks& ranks) {
    constexpr std::int64_t sampled = 512;
    const std::int64_t d = rows.size(1);
    std::vector<Bracket> brackets(static_cast<std::size_t>(d));
    const auto [before, total] = ranks.place(rows.size(0));
    const std::int64_t every = total / sampled;
    if (every < 2)
        return brackets;
    const std::int64_t first = std::min((every - before % every) % every, rows.size(0));
    const at::Tensor columns =
        ranks.gather(rows.slice(0, first, rows.size(0), every).contiguous()).t().contiguous();
    const std::int64_t m = columns.size(1), middle = m / 2;
    const auto margin = static_cast<std::int64_t>(1.5 * std::sqrt(static_cast<double>(m))) + 1;
    float* data = columns.mutable_data_ptr<float>();
    at::parallel_for(0, d, 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t j = begin; j < end; ++j) {
            float *from = data + j * m, *to = from + m, *low = from + (middle - margin),
                  *high = from + (middle + margin);
            std::nth_element(from, low, to);
            std::nth_element(low + 1, high, to);
            brackets[static_cast<std::size_t>(j)] = {*low, *high};
        }
    });
    return brackets;
}

// The values of a column that may be its median.
struct Candidates {
    std::vector<float> values;
    std::int64_t below = 0;  // values that are less
};

// Of this rank's rows. Columns are gathered a few at a time, so that each line of memory is read once.
std::vector<Candidates> candidatesOf(const at::Tensor& rows, const std::vector<Bracket>& brackets) {
    constexpr std::int64_t together = 16, ahead = 24;  // rows to fetch early: no one stride is guessed for us
    const std::int64_t n = rows.size(0), d = rows.size(1);
    const float* data = rows.const_data_ptr<float>();
    std::vector<Candidates> all(static_cast<std::size_t>(d));
    at::parallel_for(0, (d + together - 1) / together, 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> columns(static_cast<std::size_t>(together * n)),
            within(static_cast<std::size_t>(n));
        for (std::int64_t group = begin; group < end; ++group) {
            const std::int64_t first = group * together, width = std::min(together, d - first);
            for (std::int64_t row = 0; row < n; ++row) {
                __builtin_prefetch(data + std::min(row + ahead, n - 1) * d + first);
                for (std::int64_t j = 0; j < width; ++j)
                    columns[static_cast<std::size_t>(j * n + row)] = data[row * d + first + j];
            }
            for (std::int64_t j = 0; j < width; ++j) {
                const float* values = columns.data() + j * n;
                const auto [low, high] = brackets[static_cast<std::size_t>(first + j)];
                std::size_t count = 0;
                for (std::int64_t i = 0; i < n; ++i) {
                    within[count] = values[i];
                    count += static_cast<std::size_t>(values[i] >= low) &
                             static_cast<std::size_t>(values[i] <= high);
                }
                Candidates& found = all[static_cast<std::size_t>(first + j)];
                found.values.assign(within.begin(), within.begin() + static_cast<std::ptrdiff_t>(count));
                found.below = countBelow(values, n, low);
            }
        }
    });
    return all;
}

// The value of each column that has `below` others of all ranks' candidates before it: eight bits of it at a
// time, from the highest; the candidates that share the bits found so far are counted by their next ones.
at::Tensor selected(const std::vector<Candidates>& candidates, std::vector<std::int64_t> below,
                    const Ranks& ranks) {
    constexpr int digit = 8;
    constexpr std::int64_t values = 1 << digit;
    const auto d = std::ssize(candidates);
    std::vector<std::uint32_t> found(candidates.size());
    for (int shift = 32 - digit; shift >= 0; shift -= digit) {
        const at::Tensor counts = at::zeros({d, values}, at::kLong);
        auto* total = counts.mutable_data_ptr<std::int64_t>();
        at::parallel_for(0, d, 16, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t j = begin; j < end; ++j)
                for (const float value : candidates[static_cast<std::size_t>(j)].values) {
                    const std::uint32_t order = orderOf(value) >> shift;
                    total[j * values + (order & (values - 1))] +=
                        (order >> digit) == found[static_cast<std::size_t>(j)] ? 1 : 0;
                }
        });
        ranks.sum({counts});
        for (std::size_t j = 0; j < found.size(); ++j) {
            const std::int64_t* of = total + static_cast<std::int64_t>(j) * values;
            std::uint32_t next = 0;
            while (next + 1 < values && below[j] >= of[next])
                below[j] -= of[next++];
            found[j] = found[j] << digit | next;
        }
    }
    at::Tensor result = at::empty({d}, at::kFloat);
    std::transform(found.begin(), found.end(), result.mutable_data_ptr<float>(), valueOf);
    return result;
}

// Median of each column over all ranks' rows, [d] float32; of an even number the lower of the two in the
// middle, as torch.median gives.
at::Tensor columnMedians(const at::Tensor& rows, const Ranks& ranks) {
    const std::int64_t wanted = (ranks.total(rows.size(0)) - 1) / 2, d = rows.size(1);
    std::vector<Bracket> brackets = bracketsOf(rows, ranks);
    for (;;) {
        const std::vector<Candidates> candidates = candidatesOf(rows, brackets);
        const at::Tensor counts = at::empty({d, 2}, at::kLong);  // below, within
        auto count = counts.accessor<std::int64_t, 2>();
        for (std::int64_t j = 0; j < d; ++j) {
            count[j][0] = candidates[static_cast<std::size_t>(j)].below;
            count[j][1] = std::ssize(candidates[static_cast<std::size_t>(j)].values);
        }
        ranks.sum({counts});
        std::vector<std::int64_t> below;
        bool all = true;
        for (std::int64_t j = 0; j < d; ++j) {
            below.push_back(wanted - count[j][0]);
            if (below.back() < 0 || below.back() >= count[j][1]) {  // the sample has misled
                brackets[static_cast<std::size_t>(j)] = {};
                all = false;
            }
        }
        if (all)
            return selected(candidates, std::move(below), ranks);
    }
}

}  // namespace

MassiveRows findMassiveRows(const at::Tensor& y, std::int64_t head, const Ranks& ranks) {
    const std::int64_t n = y.size(0), d = y.size(1);
    const at::Tensor centre = columnMedians(y.narrow(0, 0, head), ranks);

    MassiveRows found;
    found.energy = at::empty({n}, at::kDouble);
    const float* data = y.const_data_ptr<float>();
    const float* c = centre.const_data_ptr<float>();
    double* energy = found.energy.mutable_data_ptr<double>();
    at::parallel_for(0, n, 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            energy[row] = squaredDistance(data + row * d, c, d);
    });
    found.medianEnergy = ranks.gather(found.energy.narrow(0, 0, head)).median().item<double>();
    found.massive = found.energy > 100 * found.medianEnergy;
    const at::Tensor counts =
        at::stack({found.massive.sum(), found.massive.narrow(0, 0, head).sum()});  // int64
    const at::Tensor energies =
        at::stack({found.energy.masked_select(found.massive).sum(), found.energy.sum()});
    ranks.sum({counts, energies});
    found.count = counts[0].item<std::int64_t>();
    found.inHead = counts[1].item<std::int64_t>();
    if (const double total = energies[1].item<double>(); total > 0)
        found.share = energies[0].item<double>() / total;
    return found;
}

}  // namespace straightedge::linearity
