// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include "linearity/linear_profile.h"
#include "replacement/healing.h"
#include "replacement/layer.h"
#include "study/cost/study_cost.h"
#include "study/run.h"
#include "study/store/run_files.h"

namespace straightedge::study {

// The rows of one block's FFN, and what else its study may look at.
struct BlockRows {
    int block = 0;
    at::Tensor x, y;  // [n, d] float32: the FFN's input and output
    at::Tensor ids;   // [n] int64: the rows' tokens
    // Who else holds rows of this block; several do the line, folds and rank only.
    const linearity::Ranks* ranks = &linearity::Ranks::alone();
    const replacement::Layer* ffn = nullptr;
    // Makes what heals this block's layers; empty where nothing is to be healed.
    std::function<std::unique_ptr<replacement::Healer>()> healer = {};
};

// Told how the study of a block goes, on its thread. Each may throw Cancelled to stop it.
class StudyListener {
  public:
    virtual ~StudyListener() = default;
    virtual void stage(const std::string& name) = 0;
    virtual void worked(double rows) = 0;  // as StudyCost counts them
    virtual void trained(const TrainingPoint& point) = 0;
    // Something is finished: the result so far is worth showing and storing.
    virtual void found(const BlockResult& result) = 0;
};

// What is known of one block: the published fit always, the others when wanted.
struct BlockStudy {
    BlockResult result;
    // One for each of result.replacements, in their order; of the block's own FFN null.
    std::vector<std::shared_ptr<const replacement::Layer>> layers;
    // The same layers healed; null where one is not.
    std::vector<std::shared_ptr<const replacement::Layer>> healed;

    // What is to be swapped in for perplexity: each replacement, and behind it what healing made of it.
    std::vector<std::shared_ptr<const replacement::Layer>> variants() const;
};

// Never throws for what is wrong with the values: result.failure says it, or a remark where only a part is
// concerned. What is wrong with one of several ranks' machines only (memory) is thrown there. `residual`:
// with all that is asked of chosen blocks only.
BlockStudy studyBlock(const BlockRows& rows, const StudySettings& settings, const StudyCost& cost,
                      bool residual, StudyListener& listener);

// Keeps the layers in mapsFile(runFolder, block), healed ones under their replacement's name and "-healed".
// Throws Error when they cannot be written.
void saveMaps(const BlockStudy& study, const std::filesystem::path& runFolder);

// --- its parts, in the order they are done

// The line and the closed forms beside it.
linearity::LinearProfile studyLine(BlockStudy& study, const BlockRows& rows, const StudySettings& settings);
// Folds and rank.
void studyFolds(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                const StudySettings& settings, const StudyCost& cost, StudyListener& listener);
void studyRank(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows);
// Probes and ceilings of what the line leaves.
void studyProbe(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                Probe probe, const StudySettings& settings, const StudyCost& cost, StudyListener& listener);
void studyCeiling(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                  int degree, const StudySettings& settings, const StudyCost& cost, StudyListener& listener);
// The layers trained in their place.
void studyHealing(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                  const StudySettings& settings, const StudyCost& cost, StudyListener& listener);

// A row of result.replacements with its scores on the tail.
void addReplacement(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                    ReplacementKind kind, std::shared_ptr<const replacement::Layer> layer);

}  // namespace straightedge::study
