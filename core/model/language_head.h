// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "weights.h"

namespace straightedge::model {

// From the residual stream behind the last block to next-token predictions. The vocabulary is worked through
// in slices: never are all logits of many rows in memory, nor the whole projection in float32.
class LanguageHead {
  public:
    // Computes on `device`. Throws Error when the checkpoint has none.
    LanguageHead(const WeightReader& reader, const Architecture& architecture, at::Device device = at::kCPU);

    // [n, vocabulary] float32 for hidden [n, d]. For few rows.
    at::Tensor logits(const at::Tensor& hidden) const;

    // Cross-entropy of each row's prediction, in nats: [n] float64 for hidden [n, d] and the tokens that
    // follow, targets [n] int64. `hidden` is normed in place, and may come to lie on the head's device; the
    // losses lie on the processor. NaN for a row whose logits are not finite.
    at::Tensor losses(at::Tensor& hidden, const at::Tensor& targets) const;

    // The same for several models' states of the same rows: a slice of the vocabulary is read once for them
    // all. `tick` is called with the share done since the last call, and may throw to stop.
    using Tick = std::function<void(double share)>;
    std::vector<at::Tensor> losses(std::span<at::Tensor> states, const at::Tensor& targets,
                                   const Tick& tick) const;

  private:
    void normInPlace(at::Tensor& hidden) const;
    Linear projection(std::int64_t firstRow, std::int64_t count) const;
    // What comes between the product and a logit, in place.
    void cap(at::Tensor& logits) const;

    const WeightReader& m_reader;
    const Architecture& m_architecture;
    at::Device m_device;
    Norm m_finalNorm;
};

}  // namespace straightedge::model
