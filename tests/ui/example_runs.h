// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cmath>
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

// A profile that goes up and down from block to block, each number's another.
inline study::Run jaggedRun(int number, int blocks) {
    std::vector<std::optional<double>> scores;
    for (int block = 0; block < blocks; ++block)
        scores.emplace_back(0.5 + 0.45 * std::sin(37.0 * block + 11.0 * number));
    return runWith("run " + std::to_string(number), scores, number % 2 ? "silu-gated" : "gelu");
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

// SmolLM2 as PROTOCOL.md has it: block 11 costs 316 with the published map, 9.4 balanced, 0.6 switched; block
// 15 is an ordinary one; block 3 was measured without perplexity.
inline study::Run costlyRun(const std::string& model) {
    using study::Metric;
    using study::ReplacementKind;
    study::Run run = runWith(model, {});
    run.header.activation = "silu-gated";
    run.header.modelBlocks = 30;
    run.header.width = 576;
    run.header.ffnParameters = 2'654'208;
    run.header.modelParameters = 134'515'008;
    run.header.textHash = "aa";
    run.header.tokenizer = "byte-level BPE";
    run.basePpl = 24.3;
    const auto swap = [](ReplacementKind kind, double r2, std::optional<double> dppl, double error,
                         bool kept) {
        study::ReplacementResult row{.kind = kind,
                                     .parameters = kind == ReplacementKind::Switched ? 333'504 : 332'352};
        row.r2 = r2;
        row.r2Centred = r2 - 0.05;
        row.cosine = 0.8;
        row.rmse = 0.25;
        row.dppl = dppl;
        if (dppl)
            row.dpplSe = error;
        row.kept = kept;
        return row;
    };
    study::BlockResult unmeasured;
    unmeasured.block = 3;
    unmeasured.values.set(Metric::R2Lin, 0.95);
    unmeasured.replacements = {swap(ReplacementKind::Linear, 0.95, std::nullopt, 0, false)};
    study::BlockResult massive = massiveBlock(11);
    massive.values.set(Metric::R2LinOnTypical, -88.9);
    massive.values.set(Metric::Dppl, 316.0);
    massive.values.set(Metric::DpplSe, 12.0);
    massive.values.set(Metric::BasePpl, 24.3);
    massive.replacements = {swap(ReplacementKind::Linear, 0.976, 316.0, 12.0, false),
                            swap(ReplacementKind::BalancedHalf, 0.91, 9.4, 0.6, true),
                            swap(ReplacementKind::BalancedFourFifths, 0.4, 171.0, 8.0, false),
                            swap(ReplacementKind::Switched, 0.97, 0.6, 0.11, false)};
    study::BlockResult ordinary;
    ordinary.block = 15;
    ordinary.values.set(Metric::R2Lin, 0.674);
    ordinary.values.set(Metric::R2Typical, 0.674);
    ordinary.values.set(Metric::MassiveRows, 0);
    ordinary.values.set(Metric::Dppl, -0.5);
    ordinary.values.set(Metric::DpplSe, 0.04);
    ordinary.values.set(Metric::BasePpl, 24.3);
    ordinary.replacements = {swap(ReplacementKind::Linear, 0.674, -0.5, 0.04, true)};
    run.blocks = {unmeasured, massive, ordinary};
    return run;
}

}  // namespace straightedge
