// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "residual.h"

namespace straightedge::study {

// Which blocks to measure: "" for all, else numbers and ranges from 0, as "0,3-5".
class BlockSelection {
  public:
    BlockSelection() = default;
    // Throws Error when the text is not of that form.
    static BlockSelection parse(const std::string& text);

    // The chosen blocks of a model with `count` blocks, ascending, each once. Throws Error for one out of
    // range.
    std::vector<int> resolve(int count) const;
    std::string text() const { return m_text; }

    bool operator==(const BlockSelection&) const = default;

  private:
    std::string m_text;
    std::vector<std::pair<int, int>> m_ranges;  // both ends included; empty: all
};

// What a user asks for: one model on one text.
struct StudySettings {
    std::filesystem::path model;   // anything Checkpoint::open() takes
    std::filesystem::path corpus;  // the capture text, or the one file to divide
    std::optional<std::filesystem::path> evaluationCorpus;
    std::int64_t tokens = 15'000;
    std::int64_t seqLen = 128;
    BlockSelection blocks;
    int threads = 0;             // 0: as many as there are cores
    std::string device = "cpu";  // that blocks run on: or "cuda", "cuda:1"; all else is done by the processor

    bool perplexity = false;              // of the base and of every swap
    std::int64_t evaluationBatches = 30;  // of batchWindows windows of the evaluation text
    bool balanced = false;                // the balanced fits beside the published one
    bool switched = false;                // the switched fit, where there are massive rows

    std::int64_t folds = 0;         // blocked k-fold: how many; 0: not asked for
    bool effectiveRank = false;     // how few directions carry the fit
    std::vector<Probe> probes;      // trained on each block's rows; with perplexity they are swapped in too
    std::vector<int> ceilings;      // degrees of closed-form polynomial ceilings, ascending
    bool heal = false;              // with perplexity: train the swapped layers on the capture windows
    std::int64_t healSteps = 200;   // of Adam
    BlockSelection residualBlocks;  // of the measured ones: those probed, given ceilings and healed
    std::uint64_t seed = 0;         // of everything trained

    static constexpr std::int64_t batchWindows = 4;

    bool operator==(const StudySettings&) const = default;
};

}  // namespace straightedge::study
