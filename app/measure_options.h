// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "outputs.h"
#include "study/settings.h"

namespace straightedge::app {

// What `straightedge measure` is asked for.
struct MeasureOptions {
    std::vector<std::string> models;
    std::vector<std::string> corpora;
    std::string evaluationCorpus, blocks, timings;
    Outputs outputs;
    std::int64_t tokens = study::StudySettings{}.tokens;
    std::int64_t seqLen = study::StudySettings{}.seqLen;
    int threads = 0;
    std::string device = study::StudySettings{}.device;
    bool estimate = false, sample = false, perplexity = false, noStore = false;
    std::int64_t evaluationBatches = study::StudySettings{}.evaluationBatches;
    std::vector<std::string> fits, probes;
    std::vector<int> ceilings;
    std::int64_t folds = 0, healSteps = study::StudySettings{}.healSteps;
    bool rank = false, heal = false;
    std::string residualBlocks;
    std::uint64_t seed = 0;
    std::optional<std::string> resume;  // a run's id, or empty for the newest one that can be resumed

    void addTo(CLI::App& command);
    // Throws Error for a file that cannot be written, before anything is measured.
    void check() const;
    // All but the model and the text. Throws Error for what cannot be understood.
    study::StudySettings settings() const;
};

}  // namespace straightedge::app
