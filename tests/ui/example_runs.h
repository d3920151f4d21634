// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/run.h"

namespace straightedge {

// A finished run with these published scores, block by block; an empty one is undefined.
inline study::Run runWith(const std::string& model, const std::vector<std::optional<double>>& scores,
                          const std::string& activation = "gelu") {
    study::Run run;
    run.header.model = model;
    run.header.corpus = "text.txt";
    run.header.activation = activation;
    run.header.modelBlocks = static_cast<int>(scores.size());
    run.header.modelPath = "/models/" + model;
    run.header.programVersion = "0.1.0";
    run.state = study::RunState::Finished;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        study::BlockResult block;
        block.block = static_cast<int>(i);
        block.values.set(study::Metric::R2Lin, scores[i]);
        run.blocks.push_back(block);
    }
    return run;
}

// What SmolLM2's block 11 looks like (PROTOCOL.md): nearly all of the published score is 119 massive rows.
inline study::BlockResult massiveBlock(int number) {
    study::BlockResult block;
    block.block = number;
    block.values.set(study::Metric::Rows, 14'976);
    block.values.set(study::Metric::R2Lin, 0.976);
    block.values.set(study::Metric::R2Typical, 0.522);
    block.values.set(study::Metric::MassiveRows, 119);
    block.values.set(study::Metric::MassiveShare, 1.0);
    return block;
}

}  // namespace straightedge
