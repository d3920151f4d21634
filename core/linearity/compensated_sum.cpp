// SPDX-License-Identifier: GPL-3.0-or-later
#include "compensated_sum.h"

#include <algorithm>

#include "wide.h"

namespace straightedge::linearity {

namespace {

STRAIGHTEDGE_WIDE void addRow(const float* terms, std::int64_t count, double* high, double* low) {
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j)
        addTo(high[j], low[j], static_cast<double>(terms[j]));
}

STRAIGHTEDGE_WIDE void addRow(const double* terms, std::int64_t count, double* high, double* low) {
#pragma omp simd
    for (std::int64_t j = 0; j < count; ++j)
        addTo(high[j], low[j], terms[j]);
}

}  // namespace

void CompensatedSum::addAt(std::int64_t row, std::int64_t column, const at::Tensor& terms) {
    const std::int64_t rows = terms.dim() == 2 ? terms.size(0) : 1, columns = terms.size(-1),
                       stride = m_high.size(-1);
    double* high = m_high.mutable_data_ptr<double>() + row * stride + column;
    double* low = m_low.mutable_data_ptr<double>() + row * stride + column;
    const auto addRows = [&](const auto* data) {
        at::parallel_for(0, rows, 16, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                addRow(data + i * columns, columns, high + i * stride, low + i * stride);
        });
    };
    if (terms.scalar_type() == at::kFloat)
        addRows(terms.const_data_ptr<float>());
    else
        addRows(terms.const_data_ptr<double>());
}

void CompensatedSum::add(const CompensatedSum& other) {
    add(other.m_high);
    m_low += other.m_low;
}

void CompensatedSum::sumOver(const Ranks& ranks) {
    if (ranks.count() == 1)
        return;
    constexpr std::int64_t together = std::int64_t{1} << 22;  // what is exchanged is a copy
    const at::Tensor high = m_high.view({-1}), low = m_low.view({-1});
    for (std::int64_t first = 0; first < high.size(0); first += together) {
        const std::int64_t count = std::min(together, high.size(0) - first);
        const at::Tensor pairs = at::stack({high.narrow(0, first, count), low.narrow(0, first, count)}, 1);
        ranks.sumPairs(pairs);
        high.narrow(0, first, count).copy_(pairs.select(1, 0));
        low.narrow(0, first, count).copy_(pairs.select(1, 1));
    }
}

}  // namespace straightedge::linearity
