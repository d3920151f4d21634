// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "example_runs.h"

namespace straightedge {

// Three blocks as SmolLM2's 5, 1 and 15 on 15,000 tokens: with probes, ceilings, rank and healing, as far as
// the table has them; the curves' inner points are made up.
inline study::Run residualRun(const std::string& model) {
    using study::Metric;
    study::Run run = runWith(model, {});
    run.header.modelBlocks = 30;
    struct Numbers {
        int block;
        double line, bilinear, degree2;
    };
    for (const Numbers& numbers : {Numbers{1, 0.639, 0.650, 0.876}, Numbers{5, 0.416, 0.432, 0.675},
                                   Numbers{15, 0.674, 0.687, 0.818}}) {
        study::BlockResult block;
        block.block = numbers.block;
        block.values.set(Metric::R2Lin, numbers.line);
        block.values.set(Metric::R2Bilinear, numbers.bilinear);
        block.values.set(Metric::R2Deg2, numbers.degree2);
        block.probes = {{.probe = study::Probe::Bilinear,
                         .curve = {{200, numbers.line + 0.001}, {400, numbers.bilinear}},
                         .r2 = numbers.bilinear,
                         .gain = numbers.bilinear - numbers.line,
                         .bestStep = 400,
                         .parameters = 360'000,
                         .gate = 0.14},
                        {.probe = study::Probe::TrainedLinear,
                         .curve = {{200, -0.5}, {1600, 0.2}, {3000, 0.3}},
                         .r2 = 0.3,
                         .gain = 0.3 - numbers.line,
                         .bestStep = 3000,
                         .parameters = 332'352}};
        block.ceilings = {{.degree = 2,
                           .r2 = numbers.degree2,
                           .r2Half = 0.602,
                           .unseenRows = 412,
                           .r2Unseen = 0.404,
                           .r2LinUnseen = 0.232,
                           .r2Typical = numbers.degree2,
                           .r2LinTypical = numbers.line,
                           .ridge = 1e-3,
                           .method = "exact kernel ridge"}};
        block.values.set(Metric::Rank90, 2);
        block.values.set(Metric::Rank95, 3);
        block.rankCurve = {0.5 * numbers.line, 0.92 * numbers.line, 0.97 * numbers.line, numbers.line};
        run.blocks.push_back(block);
    }
    study::BlockResult& healed = run.blocks[1];
    healed.replacements = {{.kind = study::ReplacementKind::Linear, .parameters = 332'352},
                           {.kind = study::ReplacementKind::Original, .parameters = 2'654'208}};
    healed.replacements[0].healing = {{1, 3.5}, {2, 3.4}, {3, 3.3}};
    healed.replacements[1].healing = {{1, 3.2}, {2, 3.15}, {3, 3.1}};
    return run;
}

}  // namespace straightedge
