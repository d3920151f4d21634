// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "trained_layer.h"

namespace straightedge::replacement {

// Trains a layer with Adam (beta 0.9 and 0.999, epsilon 1e-8, no weight decay), one batch a step, and holds
// what that needs beside the parameters.
class Trainer {
  public:
    Trainer(TrainedLayer& layer, double learningRate);

    // The layer's output for a batch; step() needs it to be the last one.
    at::Tensor forward(const at::Tensor& x);
    // One update for the gradient of the loss with respect to that output.
    void step(const at::Tensor& dy);
    // Both, for the squared error averaged over all entries. Returns nothing: a loss would cost another pass.
    void fit(const at::Tensor& x, const at::Tensor& target);

  private:
    void adam();

    TrainedLayer& m_layer;
    double m_learningRate;
    std::int64_t m_steps = 0;
    std::vector<Kept> m_kept;
    at::Tensor m_gradient, m_first, m_second;  // flat: of the loss, its running mean, that of its square
    std::vector<std::vector<at::Tensor>> m_gradients;
};

}  // namespace straightedge::replacement
