// SPDX-License-Identifier: GPL-3.0-or-later
#include "swapped_walk.h"

#include <cmath>
#include <limits>

namespace straightedge::replacement {

namespace {

// Of states that go through the vocabulary together: enough to read it seldom, little beside a model.
constexpr std::size_t copiedBytes = 256UL << 20;

double standardErrorOfMean(const at::Tensor& values) {
    const auto count = static_cast<double>(values.size(0));
    return count > 1 ? values.std().item<double>() / std::sqrt(count)
                     : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

SwappedWalk::SwappedWalk(text::Windows windows, at::Tensor hidden) : m_windows(std::move(windows)) {
    m_states.push_back(std::move(hidden));
}

void SwappedWalk::advance(const model::Block& block, const std::vector<std::shared_ptr<const Layer>>& swaps,
                          model::Workspace& workspace, model::RowStore& next, const Tick& tick) {
    const std::int64_t n = rows(), d = m_states.front().size(1);
    const std::int64_t step = model::Block::rowsTogether(m_windows.length);
    const std::size_t before = m_states.size();
    for (std::size_t i = 0; i < swaps.size(); ++i)
        m_states.push_back(next.rows(n, d));

    std::vector<std::shared_ptr<const Layer>> layers = swaps;
    if (workspace.device() != at::kCPU)
        for (auto& layer : layers)
            layer = layer->on(workspace.device());
    // The states are the processor's; a chunk of them is worked on where the block is.
    at::Tensor stream = workspace.rows(std::min(step, n), d);
    at::Tensor x = at::empty_like(stream), y = at::empty_like(stream), other = at::empty_like(stream);
    for (std::size_t state = 0; state < before; ++state) {
        const at::Tensor from = m_states[state];
        const at::Tensor to = next.rows(n, d);
        for (std::int64_t row = 0; row < n; row += step) {
            const std::int64_t count = std::min(step, n - row);
            at::Tensor hidden = stream.narrow(0, 0, count);
            at::Tensor in = x.narrow(0, 0, count), out = y.narrow(0, 0, count);
            hidden.copy_(from.narrow(0, row, count));
            block.attend(hidden, in, workspace);
            if (state == 0)
                for (std::size_t i = 0; i < layers.size(); ++i) {
                    at::Tensor swapped = other.narrow(0, 0, count);
                    layers[i]->forward(in, out);
                    swapped.copy_(hidden);
                    block.add(out, swapped);
                    m_states[before + i].narrow(0, row, count).copy_(swapped);
                }
            block.feedForward(in, out, workspace);
            block.add(out, hidden);
            to.narrow(0, row, count).copy_(hidden);
            tick(count);
        }
        m_states[state] = to;
        next.settle(to);
    }
}

std::vector<at::Tensor> SwappedWalk::windowLosses(const model::LanguageHead& head,
                                                  const model::LanguageHead::Tick& tick) {
    const std::int64_t count = m_windows.count, length = m_windows.length;
    const at::Tensor ids = at::tensor(m_windows.ids, at::kInt).to(at::kLong).view({count, length});
    // The last token of a window predicts nothing that is in it.
    const at::Tensor targets = ids.narrow(1, 1, length - 1).reshape({-1});
    const std::int64_t d = m_states.front().size(1), rows = count * (length - 1);
    const auto together = std::max<std::size_t>(
        1, copiedBytes / static_cast<std::size_t>(4 * std::max<std::int64_t>(1, rows * d)));

    std::vector<at::Tensor> losses;
    if (rows == 0)
        losses.assign(m_states.size(), at::empty({0}, at::kDouble));
    while (losses.size() < m_states.size()) {
        const std::size_t first = losses.size(), states = std::min(together, m_states.size() - first);
        std::vector<at::Tensor> copies;
        for (std::size_t state = first; state < first + states; ++state) {
            copies.push_back(
                m_states[state].view({count, length, d}).narrow(1, 0, length - 1).reshape({rows, d}));
            m_states[state] = at::Tensor();
        }
        const double share = static_cast<double>(states) / static_cast<double>(m_states.size());
        for (const at::Tensor& each : head.losses(copies, targets, [&](double done) { tick(done * share); }))
            losses.push_back(each.view({count, length - 1}).mean(1));
    }
    return losses;
}

Perplexity perplexity(const at::Tensor& losses) {
    const double value = std::exp(losses.mean().item<double>());
    return {value, value * standardErrorOfMean(losses)};
}

Perplexity perplexityDifference(const at::Tensor& swapped, const at::Tensor& base) {
    const double after = std::exp(swapped.mean().item<double>()),
                 before = std::exp(base.mean().item<double>());
    return {after - before, standardErrorOfMean(swapped * after - base * before)};
}

}  // namespace straightedge::replacement
