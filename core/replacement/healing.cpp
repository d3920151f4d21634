// SPDX-License-Identifier: GPL-3.0-or-later
#include "healing.h"

#include "error.h"
#include "model/gradient.h"
#include "trainer.h"

namespace straightedge::replacement {

namespace {

// A layer of the same stages as the FFN of these weights.
std::unique_ptr<TrainedLayer> layerOf(const model::BlockWeights& weights,
                                      const model::Architecture& architecture) {
    const auto affine = [](const model::Linear& linear) {
        return affineStage(linear.weight.size(1), linear.weight.size(0), linear.bias.defined());
    };
    auto layer = std::make_unique<TrainedLayer>(TrainedLayer::Stages{
        affine(weights.gateUp), activationStage(architecture.activation, architecture.gated),
        affine(weights.down)});
    for (const auto& [prefix, linear] :
         {std::pair{std::string("0."), &weights.gateUp}, std::pair{std::string("2."), &weights.down}}) {
        layer->tensor(prefix + "weight").copy_(linear->weight);
        if (linear->bias.defined())
            layer->tensor(prefix + "bias").copy_(linear->bias);
    }
    return layer;
}

}  // namespace

Healer::Healer(const model::Decoder& decoder, std::int64_t index, text::Windows windows,
               const at::Tensor& hidden)
    : m_architecture(decoder.architecture()), m_windows(std::move(windows)) {
    if (const std::string why = decoder.reader().whyNoPredictions(); !why.empty())
        throw Error({.what = why, .advice = "its layers cannot be healed"});
    const c10::InferenceMode normal(false);  // what autograd is to keep must not be made in inference mode
    const at::NoGradGuard noGradients;
    for (std::int64_t i = index; i < m_architecture.blocks; ++i)
        m_blocks.push_back(decoder.block(i, m_windows.length));
    m_finalNorm = decoder.reader().finalNorm();
    m_projection = decoder.reader().outputProjection(0, m_architecture.vocabulary);
    m_ids = at::tensor(m_windows.ids, at::kInt).to(at::kLong).view({m_windows.count, m_windows.length});

    at::Tensor attended = hidden.clone();
    at::Tensor x = at::empty_like(attended);
    model::Workspace workspace;
    constexpr std::int64_t chunkWindows = 8;
    for (std::int64_t window = 0; window < m_windows.count; window += chunkWindows) {
        const std::int64_t first = window * m_windows.length;
        const std::int64_t rows = std::min(chunkWindows, m_windows.count - window) * m_windows.length;
        at::Tensor of = attended.narrow(0, first, rows), in = x.narrow(0, first, rows);
        m_blocks.front().attend(of, in, workspace);
    }
    m_attended = attended.view({m_windows.count, m_windows.length, -1});
    m_x = x.view({m_windows.count, m_windows.length, -1});
}

std::unique_ptr<TrainedLayer> Healer::original() const {
    return layerOf(m_blocks.front().weights(), m_architecture);
}

std::pair<double, at::Tensor> Healer::lossAndGradient(const at::Tensor& y, const at::Tensor& attended,
                                                      const at::Tensor& targets) const {
    const c10::InferenceMode normal(false);
    const at::AutoGradMode gradients(true);
    const std::int64_t length = m_windows.length, windows = y.size(0) / length;
    const at::Tensor start = y.detach().clone().requires_grad_();
    at::Tensor hidden = model::differentiableAdd(m_blocks.front(), start, attended);
    for (std::size_t i = 1; i < m_blocks.size(); ++i)
        hidden = model::differentiableBlock(m_blocks[i], hidden);
    // The last token of a window predicts nothing that is in it.
    hidden = hidden.view({windows, length, -1}).narrow(1, 0, length - 1).flatten(0, 1);
    const at::Tensor loss =
        model::differentiableLoss(hidden, targets, m_finalNorm, m_projection, m_architecture);
    const at::Tensor gradient = torch::autograd::grad({loss}, {start}).front();
    return {loss.item<double>(), gradient};
}

HealingResult Healer::heal(const TrainedLayer& layer, const HealingSettings& settings,
                           const HealingWatch& watch) const {
    const c10::InferenceMode normal(false);
    const at::NoGradGuard noGradients;
    auto healed = std::make_shared<TrainedLayer>(layer);
    HealingResult result{.losses = {}, .layer = healed};
    Trainer trainer(*healed, settings.learningRate);
    at::Generator generator = at::detail::createCPUGenerator(settings.seed);
    const std::int64_t length = m_windows.length, d = m_x.size(2);
    at::Tensor order;
    std::int64_t next = m_windows.count;
    for (std::int64_t step = 1; step <= settings.steps; ++step) {
        if (next >= m_windows.count) {
            order = at::randperm(m_windows.count, generator, at::kLong);
            next = 0;
        }
        const std::int64_t count = std::min(settings.batchWindows, m_windows.count - next);
        const at::Tensor chosen = order.narrow(0, next, count);
        next += count;
        const at::Tensor targets =
            m_ids.index_select(0, chosen).narrow(1, 1, length - 1).flatten().contiguous();
        const at::Tensor y = trainer.forward(m_x.index_select(0, chosen).view({-1, d}));
        const at::Tensor attended = m_attended.index_select(0, chosen).view({-1, d});
        const auto [loss, gradient] = lossAndGradient(y, attended, targets);
        if (!std::isfinite(loss))
            throw Error({.what = "the loss is not finite",
                         .where = "healing, step " + std::to_string(step),
                         .advice = "the swapped layer may have diverged"});
        trainer.step(gradient);
        result.losses.push_back(loss);
        if (watch)
            watch(step, loss);
    }
    return result;
}

}  // namespace straightedge::replacement
