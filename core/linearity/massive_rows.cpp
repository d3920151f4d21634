// SPDX-License-Identifier: GPL-3.0-or-later
#include "massive_rows.h"

#include <algorithm>
#include <cmath>
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

STRAIGHTEDGE_WIDE std::int32_t countBelow(const float* values, std::int64_t count, float limit) {
    std::int32_t below = 0;
#pragma omp simd reduction(+ : below)
    for (std::int64_t i = 0; i < count; ++i)
        below += values[i] < limit ? 1 : 0;
    return below;
}

// Of an even number the lower of the two in the middle, as torch.median gives. Overwrites values [count] and
// scratch [count]. A sample brackets the middle; only what lies within is put in order (Floyd and Rivest,
// 1975).
float median(float* values, std::int64_t count, float* scratch) {
    const std::int64_t rank = (count - 1) / 2;
    const auto selected = [](float* from, std::int64_t size, std::int64_t at) {
        std::nth_element(from, from + at, from + size);
        return from[at];
    };
    constexpr std::int64_t every = 16, enough = 64 * every;
    if (count > enough) {
        std::int64_t sampled = 0;
        for (std::int64_t i = 0; i < count; i += every)
            scratch[sampled++] = values[i];
        // Three standard deviations of the middle's place in the sample.
        const auto margin = static_cast<std::int64_t>(1.5 * std::sqrt(static_cast<double>(sampled))) + 1;
        const std::int64_t middle = sampled / 2;
        const float low = selected(scratch, sampled, middle - margin);
        float* above = scratch + (middle - margin + 1);
        const float high = selected(above, scratch + sampled - above, 2 * margin - 1);
        const std::int64_t below = countBelow(values, count, low);
        std::int64_t within = 0;
        for (std::int64_t i = 0; i < count; ++i) {
            const float value = values[i];
            scratch[within] = value;
            within += static_cast<std::int64_t>(value >= low) & static_cast<std::int64_t>(value <= high);
        }
        if (below <= rank && rank < below + within)
            return selected(scratch, within, rank - below);
    }
    return selected(values, count, rank);
}

// [d] float32. Columns are gathered a few at a time, so that each line of memory is read once.
at::Tensor columnMedians(const at::Tensor& y, std::int64_t rows) {
    constexpr std::int64_t together = 16;
    const std::int64_t d = y.size(1);
    at::Tensor medians = at::empty({d}, at::kFloat);
    const float* data = y.const_data_ptr<float>();
    float* out = medians.mutable_data_ptr<float>();
    at::parallel_for(0, (d + together - 1) / together, 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> columns(static_cast<std::size_t>(together * rows)),
            scratch(static_cast<std::size_t>(rows));
        for (std::int64_t group = begin; group < end; ++group) {
            const std::int64_t first = group * together, width = std::min(together, d - first);
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t j = 0; j < width; ++j)
                    columns[static_cast<std::size_t>(j * rows + row)] = data[row * d + first + j];
            for (std::int64_t j = 0; j < width; ++j)
                out[first + j] = median(columns.data() + j * rows, rows, scratch.data());
        }
    });
    return medians;
}

}  // namespace

MassiveRows findMassiveRows(const at::Tensor& y, std::int64_t head) {
    const std::int64_t n = y.size(0), d = y.size(1);
    const at::Tensor centre = columnMedians(y, head);

    MassiveRows found;
    found.energy = at::empty({n}, at::kDouble);
    const float* data = y.const_data_ptr<float>();
    const float* c = centre.const_data_ptr<float>();
    double* energy = found.energy.mutable_data_ptr<double>();
    at::parallel_for(0, n, 64, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            energy[row] = squaredDistance(data + row * d, c, d);
    });
    found.medianEnergy = found.energy.narrow(0, 0, head).median().item<double>();
    found.massive = found.energy > 100 * found.medianEnergy;
    found.count = found.massive.sum().item<std::int64_t>();
    if (const double total = found.energy.sum().item<double>(); total > 0)
        found.share = found.energy.masked_select(found.massive).sum().item<double>() / total;
    return found;
}

}  // namespace straightedge::linearity
