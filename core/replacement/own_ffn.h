// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer.h"
#include "model/block.h"

namespace straightedge::replacement {

// A block's own FFN, looked at as a layer of rows on the processor, wherever the block is. Refers to the
// block.
class OwnFfn : public Layer {
  public:
    explicit OwnFfn(const model::Block& block) : m_block(block), m_workspace(block.device()) {}
    void forward(const at::Tensor& x, at::Tensor& y) const override {
        if (x.device() == m_block.device()) {
            m_block.feedForward(x, y, m_workspace);
            return;
        }
        at::Tensor there = m_workspace.rows(y.size(0), y.size(1));
        m_block.feedForward(x.to(m_block.device()), there, m_workspace);
        y.copy_(there);
    }
    std::int64_t parameters() const override {
        std::int64_t count = 0;
        for (const auto& [name, tensor] : tensors())
            count += tensor.numel();
        return count;
    }
    // "gate_up.weight" holds the gate before up where there is a gate.
    std::vector<std::pair<std::string, at::Tensor>> tensors() const override {
        std::vector<std::pair<std::string, at::Tensor>> all;
        const model::BlockWeights weights = m_block.weights();
        for (const auto& [name, linear] : {std::pair{std::string("gate_up"), &weights.gateUp},
                                           std::pair{std::string("down"), &weights.down}}) {
            all.emplace_back(name + ".weight", linear->weight.cpu());
            if (linear->bias.defined())
                all.emplace_back(name + ".bias", linear->bias.cpu());
        }
        return all;
    }
    std::unique_ptr<Layer> on(at::Device) const override { return std::make_unique<OwnFfn>(m_block); }

  private:
    const model::Block& m_block;
    mutable model::Workspace m_workspace;
};

}  // namespace straightedge::replacement
