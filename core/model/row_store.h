// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

namespace straightedge::model {

// Where rows that stand at a block's boundary are kept until the next block takes them.
class RowStore {
  public:
    virtual ~RowStore() = default;
    // Fresh rows [n, d] float32 to be written whole.
    virtual at::Tensor rows(std::int64_t n, std::int64_t d) = 0;
    // These rows are written, and not looked at for a while.
    virtual void settle(const at::Tensor&) {}
};

class MemoryRows : public RowStore {
  public:
    at::Tensor rows(std::int64_t n, std::int64_t d) override { return at::empty({n, d}, at::kFloat); }
};

}  // namespace straightedge::model
