// SPDX-License-Identifier: GPL-3.0-or-later
#include "massive_rows.h"

#include <algorithm>

namespace straightedge::linearity {

namespace {

// Of an even number the lower of the two in the middle, as torch.median gives.
float median(float* values, std::int64_t count) {
    float* middle = values + (count - 1) / 2;
    std::nth_element(values, middle, values + count);
    return *middle;
}

// [d] float32. Columns are gathered a few at a time, so that each line of memory is read once.
at::Tensor columnMedians(const at::Tensor& y, std::int64_t rows) {
    constexpr std::int64_t together = 16;
    const std::int64_t d = y.size(1);
    at::Tensor medians = at::empty({d}, at::kFloat);
    const float* data = y.const_data_ptr<float>();
    float* out = medians.mutable_data_ptr<float>();
    at::parallel_for(0, (d + together - 1) / together, 1, [&](std::int64_t begin, std::int64_t end) {
        std::vector<float> columns(static_cast<std::size_t>(together * rows));
        for (std::int64_t group = begin; group < end; ++group) {
            const std::int64_t first = group * together, width = std::min(together, d - first);
            for (std::int64_t row = 0; row < rows; ++row)
                for (std::int64_t j = 0; j < width; ++j)
                    columns[static_cast<std::size_t>(j * rows + row)] = data[row * d + first + j];
            for (std::int64_t j = 0; j < width; ++j)
                out[first + j] = median(columns.data() + j * rows, rows);
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
        for (std::int64_t row = begin; row < end; ++row) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (std::int64_t j = 0; j < d; ++j) {
                const double off = static_cast<double>(data[row * d + j]) - static_cast<double>(c[j]);
                sum += off * off;
            }
            energy[row] = sum;
        }
    });
    found.medianEnergy = found.energy.narrow(0, 0, head).median().item<double>();
    found.massive = found.energy > 100 * found.medianEnergy;
    found.count = found.massive.sum().item<std::int64_t>();
    if (const double total = found.energy.sum().item<double>(); total > 0)
        found.share = found.energy.masked_select(found.massive).sum().item<double>() / total;
    return found;
}

}  // namespace straightedge::linearity
