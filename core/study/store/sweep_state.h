// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace straightedge::study {

// All there is of a sweep at a block's boundary: with it a broken-off run goes on, to the last digit.
struct SweepState {
    int nextBlock = 0;   // the first one not passed yet
    at::Tensor capture;  // hidden states of the capture windows, [n, d]; undefined when no longer needed
    std::vector<at::Tensor> evaluation;  // of SwappedWalk on the evaluation windows; empty without perplexity
    std::vector<at::Tensor>
        tail;  // of SwappedWalk on the capture tail's windows; empty when no power is to be chosen
};

// Keeps the newest state in a folder: written whole or not at all, sized and checked on the way back.
class SweepStateFile {
  public:
    explicit SweepStateFile(const std::filesystem::path& folder);

    // `fingerprint` says what the state belongs to (model, text, settings). Throws Error when it cannot be
    // written.
    void save(const SweepState& state, const std::string& fingerprint) const;
    // Empty where there is none, or where it is damaged or belongs to something else.
    std::optional<SweepState> load(const std::string& fingerprint) const;
    void remove() const;

  private:
    std::filesystem::path m_path;
};

}  // namespace straightedge::study
