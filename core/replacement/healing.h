// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

#include "model/decoder.h"
#include "trained_layer.h"

// A swapped layer trained with the language-model loss, everything else frozen (PROTOCOL "Healed").
namespace straightedge::replacement {

struct HealingSettings {
    std::int64_t steps = 200;
    std::int64_t batchWindows = 4;  // a shuffled pass over all windows, then the next
    double learningRate = 1e-4;
    std::uint64_t seed = 0;
};

struct HealingResult {
    std::vector<double> losses;  // mean cross-entropy of each step's batch, before its update
    std::shared_ptr<const TrainedLayer> layer;
};

// Told each step and its loss, on the healing thread; may throw (Cancelled) to stop. May be empty.
using HealingWatch = std::function<void(std::int64_t step, double loss)>;

// Heals layers that stand in for one block's FFN. Reads this block and all above it, and the output
// projection, into memory in float32 once, for however many layers are healed.
class Healer {
  public:
    // `hidden` [windows.tokens(), d]: the residual stream of the capture windows before block `index`. Throws
    // Error when the model has no language-model head.
    Healer(const model::Decoder& decoder, std::int64_t index, text::Windows windows,
           const at::Tensor& hidden);

    // A healed copy of `layer`; gradients flow through the blocks above only. Repeatable for the same seed,
    // threads and machine.
    HealingResult heal(const TrainedLayer& layer, const HealingSettings& settings,
                       const HealingWatch& watch = {}) const;

    // The block's own FFN as a layer, for the baseline of a healed figure.
    std::unique_ptr<TrainedLayer> original() const;

  private:
    // The loss of some windows, and its gradient with respect to the swapped layer's output y.
    std::pair<double, at::Tensor> lossAndGradient(const at::Tensor& y, const at::Tensor& attended,
                                                  const at::Tensor& targets) const;

    const model::Architecture& m_architecture;
    text::Windows m_windows;
    std::vector<model::Block> m_blocks;  // the swapped one first
    model::Norm m_finalNorm;
    model::Linear m_projection;
    at::Tensor m_ids;  // [windows, length] int64
    at::Tensor m_attended,
        m_x;  // [windows, length, d]: behind the swapped block's attention, its FFN's input
};

}  // namespace straightedge::replacement
