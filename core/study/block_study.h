// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <memory>
#include <vector>

#include "replacement/layer.h"
#include "run.h"
#include "study/store/run_files.h"

namespace straightedge::study {

// What is asked of the rows of one block: the published fit always, the others when wanted.
struct BlockStudy {
    BlockResult result;
    // One for each of result.replacements, in their order.
    std::vector<std::shared_ptr<const replacement::Layer>> layers;
};

// x, y [n, d] float32: the FFN's input and output. Never throws for what is wrong with the values:
// result.failure says it.
BlockStudy studyBlock(int block, const at::Tensor& x, const at::Tensor& y, const StudySettings& settings);

// Keeps the fitted maps in mapsFile(runFolder, block). Throws Error when they cannot be written.
void saveMaps(const BlockStudy& study, const std::filesystem::path& runFolder);

}  // namespace straightedge::study
