// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>

#include "layer.h"
#include "model/decoder.h"
#include "model/language_head.h"
#include "model/row_store.h"

namespace straightedge::replacement {

// Evaluation windows on their way through the blocks: the untouched model and every variant in which one
// block's FFN is swapped, advancing together, so that a block's weights are read once and no prefix is run
// twice.
class SwappedWalk {
  public:
    // `windows` are all complete; `hidden` [windows.tokens(), d] is their embedding, which becomes the base's
    // state.
    SwappedWalk(text::Windows windows, at::Tensor hidden);

    // Takes all states through `block`, into rows of `next`; then there is one more variant for each of
    // `swaps`, in which it stands in for this block's FFN. `tick` is called with the rows done since the last
    // call and may throw to stop.
    using Tick = std::function<void(std::int64_t rows)>;
    void advance(const model::Block& block, const std::vector<std::shared_ptr<const Layer>>& swaps,
                 model::Workspace& workspace, model::RowStore& next, const Tick& tick);

    // Mean next-token cross-entropy of each window, [windows] float64, for each state: the base first, then
    // the variants in the order they came. The states are used up by it.
    std::vector<at::Tensor> windowLosses(const model::LanguageHead& head,
                                         const model::LanguageHead::Tick& tick);

    std::size_t states() const { return m_states.size(); }
    std::int64_t rows() const { return m_windows.tokens(); }
    const text::Windows& windows() const { return m_windows; }

    // All states, for a checkpoint of the walk; undefined where used up.
    const std::vector<at::Tensor>& hidden() const { return m_states; }
    void restore(std::vector<at::Tensor> hidden) { m_states = std::move(hidden); }

  private:
    text::Windows m_windows;
    std::vector<at::Tensor> m_states;  // [windows.tokens(), d] each
};

// exp of the mean loss, and what a swap adds to it, with standard errors by the delta method: each window's
// loss counts as one independent draw, base and swap are paired on the same windows.
struct Perplexity {
    double value = 0;
    double standardError = 0;
};
Perplexity perplexity(const at::Tensor& losses);  // [windows]
Perplexity perplexityDifference(const at::Tensor& swapped, const at::Tensor& base);

}  // namespace straightedge::replacement
