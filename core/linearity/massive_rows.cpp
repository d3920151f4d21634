// SPDX-License-Identifier: GPL-3.0-or-later
#include "massive_rows.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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

// Median of each column over all ranks' rows, [d] float32; of an even number the lower of the two in the
// middle, as torch.median gives. Eight bits at a time, from the highest: the values that share the bits found
// so far are counted by their next ones.
at::Tensor columnMedians(const at::Tensor& rows, const Ranks& ranks) {
    constexpr int digit = 8;
    constexpr std::int64_t values = 1 << digit, strip = 64;
    const std::int64_t n = rows.size(0), d = rows.size(1);
    const float* data = rows.const_data_ptr<float>();
    std::vector<std::uint32_t> found(static_cast<std::size_t>(d));  // the highest bits of the median
    std::vector<std::int64_t> below(static_cast<std::size_t>(d), (ranks.total(n) - 1) / 2);
    for (int shift = 32 - digit; shift >= 0; shift -= digit) {
        const at::Tensor counts = at::zeros({d, values}, at::kLong);
        auto* total = counts.mutable_data_ptr<std::int64_t>();
        at::parallel_for(0, (d + strip - 1) / strip, 1, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t first = begin * strip; first < std::min(end * strip, d); first += strip) {
                const std::int64_t width = std::min(strip, d - first);
                std::array<std::uint32_t, strip * values> seen{};
                const std::uint32_t* prefix = found.data() + first;
                for (std::int64_t row = 0; row < n; ++row)
                    for (std::int64_t j = 0; j < width; ++j) {
                        const std::uint32_t order = orderOf(data[row * d + first + j]) >> shift;
                        seen[static_cast<std::size_t>(j * values + (order & (values - 1)))] +=
                            (order >> digit) == prefix[j] ? 1U : 0U;
                    }
                for (std::int64_t i = 0; i < width * values; ++i)
                    total[first * values + i] = seen[static_cast<std::size_t>(i)];
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
    at::Tensor medians = at::empty({d}, at::kFloat);
    std::transform(found.begin(), found.end(), medians.mutable_data_ptr<float>(), valueOf);
    return medians;
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
