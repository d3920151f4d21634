// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include "ranks.h"

namespace straightedge::linearity {

// high + low becomes high + low + term, with what float64 rounds away in `low` (Knuth's two-sum, The Art of
// Computer Programming 2, 4.2.2).
inline void addTo(double& high, double& low, double term) {
    const double sum = high + term, taken = sum - high;
    low += (high - (sum - taken)) + (term - taken);
    high = sum;
}

// A sum of matrices or vectors, carried in twice the digits of float64 and rounded at the end: the same to
// the last bit in whatever order the terms come, on however many ranks.
class CompensatedSum {
  public:
    explicit CompensatedSum(at::IntArrayRef shape)
        : m_high(at::zeros(shape, at::kDouble)), m_low(at::zeros(shape, at::kDouble)) {}

    // `terms` [rows, columns] or [columns], float32 or float64, contiguous: to a sum of that shape.
    void add(const at::Tensor& terms) { addAt(0, 0, terms); }
    // To the part of a matrix whose first entry is at (row, column).
    void addAt(std::int64_t row, std::int64_t column, const at::Tensor& terms);
    void add(const CompensatedSum& other);
    void sumOver(const Ranks& ranks);
    at::Tensor value() const { return m_high + m_low; }

  private:
    at::Tensor m_high, m_low;
};

}  // namespace straightedge::linearity
