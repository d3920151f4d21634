// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "study_cost.h"

namespace straightedge::study {

// Which blocks of a run get what, and the rows that perplexity is taken on.
struct RunShape {
    std::vector<int> wanted, residual;  // blocks, ascending
    double evaluationRows = 0, tailRows = 0;

    bool isWanted(int block) const;
    bool isResidual(int block) const;  // wanted, and looked at closely
    // The last block that is passed at all.
    int lastBlock(int blocks) const { return evaluationRows > 0 ? blocks - 1 : wanted.back(); }
};

// What there is to do in a run, as StudyCost counts it.
struct WorkPlan {
    std::vector<double> before;  // each block
    double total = 0;
    double variants = 1, choices = 1;  // states on the evaluation windows and on the tail, at the end
};
WorkPlan planWork(const StudyCost& cost, const StudySettings& settings, const RunShape& shape);

}  // namespace straightedge::study
