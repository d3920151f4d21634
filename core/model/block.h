// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>

#include "attention.h"
#include "weights.h"

namespace straightedge::model {

// Scratch that blocks write their wide intermediate rows into, kept between calls: fresh pages cost more than
// the passes over them. One for each thread that runs blocks, on the blocks' device.
class Workspace {
  public:
    explicit Workspace(at::Device device = at::kCPU) : m_device(device) {}
    at::Device device() const { return m_device; }
    // Rows [n, columns] float32 where the blocks are.
    at::Tensor rows(std::int64_t n, std::int64_t columns) const {
        return at::empty({n, columns}, at::device(m_device).dtype(at::kFloat));
    }
    at::Tensor queryKeyValue(std::int64_t rows, std::int64_t columns) {
        return sized(m_queryKeyValue, rows, columns);
    }
    at::Tensor attended(std::int64_t rows, std::int64_t columns) { return sized(m_attended, rows, columns); }
    at::Tensor gateUp(std::int64_t rows, std::int64_t columns) { return sized(m_gateUp, rows, columns); }
    at::Tensor middle(std::int64_t rows, std::int64_t columns) { return sized(m_middle, rows, columns); }

  private:
    at::Tensor sized(at::Tensor& buffer, std::int64_t n, std::int64_t columns) const;
    at::Device m_device;
    at::Tensor m_queryKeyValue, m_attended, m_gateUp, m_middle;
};

// One block of a model with its weights in memory. Rows are whole windows one after the other, [n, d]
// float32, contiguous. In three steps, so that what stands in for the FFN, and what is kept of it, is the
// caller's:
//     attend(hidden, x);  feedForward(x, y) or a replacement;  add(y, hidden).
class Block {
  public:
    Block(const Architecture& architecture, BlockWeights weights, Positions positions, std::int64_t seqLen);

    // Rows of whole windows that go through a block together: few enough for the wide middle layer to stay in
    // the outer cache.
    static std::int64_t rowsTogether(std::int64_t seqLen) {
        return std::max<std::int64_t>(1, 1024 / seqLen) * seqLen;
    }

    // For a block that many rows go through: lays the weights out for the fastest products (projection.h).
    void pack();
    // Moves the weights to another device; rows are to lie there from then on.
    void moveTo(at::Device device);
    at::Device device() const { return m_weights.down.where(); }

    // Adds the attention's output to `hidden`; x [n, d] becomes the FFN's input.
    void attend(at::Tensor& hidden, at::Tensor& x, Workspace& workspace) const;
    // y [n, d] becomes the FFN's output.
    void feedForward(const at::Tensor& x, at::Tensor& y, Workspace& workspace) const;
    // The end of the block: the residual stream takes the FFN's output, through whatever norm stands there.
    void add(const at::Tensor& y, at::Tensor& hidden) const;

    const Architecture& architecture() const { return m_architecture; }
    BlockWeights weights() const;  // plain, whether packed or not
    const Positions& positions() const { return m_positions; }
    std::int64_t seqLen() const { return m_seqLen; }

  private:
    void norm(const at::Tensor& in, const Norm& norm, at::Tensor& out) const;

    const Architecture& m_architecture;
    BlockWeights m_weights;
    Positions m_positions;
    std::int64_t m_seqLen;
};

}  // namespace straightedge::model
