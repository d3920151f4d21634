// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>

#include "block.h"
#include "text/corpus.h"

namespace straightedge::model {

// A transformer, causal or an encoder, that is walked one block at a time. Holds no weights itself: what a
// call loads, its caller drops.
class Decoder {
  public:
    // Looks every tensor up first. Throws Error for whatever cannot be run.
    explicit Decoder(std::shared_ptr<const checkpoint::Checkpoint> checkpoint);
    Decoder(const Decoder&) = delete;  // its reader refers to its architecture
    Decoder& operator=(const Decoder&) = delete;

    const Architecture& architecture() const { return m_architecture; }
    const WeightReader& reader() const { return m_reader; }

    // Throws Error when the model has no positions for windows of this length.
    void checkWindowLength(std::int64_t seqLen) const;

    // The residual stream before block 0: [windows.tokens(), d] float32.
    at::Tensor embed(const text::Windows& windows) const;
    // Block `index` for windows of `seqLen` tokens, its weights read now.
    Block block(std::int64_t index, std::int64_t seqLen) const;

  private:
    std::shared_ptr<const checkpoint::Checkpoint> m_checkpoint;
    Architecture m_architecture;
    WeightReader m_reader;
};

}  // namespace straightedge::model
