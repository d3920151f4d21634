// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <vector>

namespace straightedge::linearity {

// The processes that share one measurement (MPI's ranks). Each holds a contiguous part of the rows, in order
// of rank; all make the same calls in the same order. This base is one process that holds all rows.
class Ranks {
  public:
    virtual ~Ranks() = default;
    virtual int rank() const { return 0; }
    virtual int count() const { return 1; }
    // Each of `values` (contiguous, float64 or int64, of one shape on all ranks) becomes its sum over the
    // ranks, the same bits on all.
    virtual void sum(const std::vector<at::Tensor>&) const {}
    // The same for numbers [n, 2] that are the sums of two float64 (compensated_sum.h), and added as such.
    virtual void sumPairs(const at::Tensor&) const {}
    // [n, ...] contiguous, n of each rank its own: the rows of all ranks, in order, on all.
    virtual at::Tensor gather(const at::Tensor& rows) const { return rows; }

    // What `here` of this rank is among all: counts before this rank, and in all.
    struct Place {
        std::int64_t before = 0, total = 0;
    };
    Place place(std::int64_t here) const {
        const at::Tensor all = gather(at::tensor({here}, at::kLong));
        return {all.narrow(0, 0, rank()).sum().item<std::int64_t>(), all.sum().item<std::int64_t>()};
    }
    std::int64_t total(std::int64_t here) const { return place(here).total; }
    double total(double here) const {
        const at::Tensor value = at::tensor({here}, at::kDouble);
        sum({value});
        return value.item<double>();
    }

    static const Ranks& alone() {
        static const Ranks one;
        return one;
    }
};

}  // namespace straightedge::linearity
