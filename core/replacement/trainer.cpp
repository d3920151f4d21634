// SPDX-License-Identifier: GPL-3.0-or-later
#include "trainer.h"

#include <cmath>

namespace straightedge::replacement {

Trainer::Trainer(TrainedLayer& layer, double learningRate)
    : m_layer(layer),
      m_learningRate(learningRate),
      m_kept(layer.stages().size()),
      m_gradient(at::zeros_like(layer.flat())),
      m_first(at::zeros_like(layer.flat())),
      m_second(at::zeros_like(layer.flat())),
      m_gradients(viewsOf(m_gradient, layer.stages())) {}

at::Tensor Trainer::forward(const at::Tensor& x) {
    at::Tensor rows = x;
    for (std::size_t i = 0; i < m_kept.size(); ++i)
        rows = m_layer.stages()[i]->forward(m_layer.values(i), rows, &m_kept[i]);
    return rows;
}

void Trainer::step(const at::Tensor& dy) {
    at::Tensor gradient = dy;
    for (std::size_t i = m_kept.size(); i-- > 0;)
        gradient = m_layer.stages()[i]->backward(m_layer.values(i), m_kept[i], gradient, m_gradients[i],
                                                 /*wantInput=*/i > 0);
    adam();
}

void Trainer::fit(const at::Tensor& x, const at::Tensor& target) {
    at::Tensor error = forward(x) - target;
    step(error.mul_(2 / static_cast<double>(error.numel())));
}

void Trainer::adam() {
    constexpr double beta1 = 0.9, beta2 = 0.999;
    ++m_steps;
    const auto t = static_cast<double>(m_steps);
    const auto step = static_cast<float>(m_learningRate / (1 - std::pow(beta1, t)));
    const auto scale = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, t)));
    // What is left of beta is rounded last: 1 - 0.999f is off by 5e-5 of its value.
    constexpr auto newFirst = static_cast<float>(1 - beta1), newSecond = static_cast<float>(1 - beta2);
    constexpr auto oldSecond = static_cast<float>(beta2);
    constexpr float epsilon = 1e-8f;
    float* values = m_layer.flat().mutable_data_ptr<float>();
    const float* gradient = m_gradient.const_data_ptr<float>();
    float* first = m_first.mutable_data_ptr<float>();
    float* second = m_second.mutable_data_ptr<float>();
    constexpr std::int64_t grain = 16'384;
    at::parallel_for(0, m_gradient.numel(), grain, [&](std::int64_t begin, std::int64_t end) {
#pragma omp simd
        for (std::int64_t i = begin; i < end; ++i) {
            const float g = gradient[i];
            first[i] += newFirst * (g - first[i]);
            second[i] = oldSecond * second[i] + newSecond * g * g;
            values[i] -= step * first[i] / (std::sqrt(second[i]) * scale + epsilon);
        }
    });
}

}  // namespace straightedge::replacement
