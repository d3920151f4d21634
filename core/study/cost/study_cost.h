// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>

#include "study/settings.h"

namespace straightedge::model {
struct Architecture;
}

namespace straightedge::study {

// About what the parts of a block's study cost, in rows through one block of the model: the unit that
// progress is counted in. Float64 counts twice.
struct StudyCost {
    double rows = 0;             // captured
    double width = 0;            // d
    double blockParameters = 0;  // of the matrices a row meets in one block
    double headParameters = 0;   // of the vocabulary's projection
    double batchRows = 0;        // of a step of healing
    int blocks = 0;              // of the model

    double headWork() const { return headParameters / blockParameters; }  // of a row's logits
    double line() const { return 0.25 * rows; }
    double folds() const { return inRows(2 * 3 * rows * width * width + 5 * 2 * width * width * width); }
    double rank() const { return inRows(2 * (10 * width * width * width + rows * width * width)); }
    double probe(Probe probe) const;
    double ceiling() const;
    double healing(int block, std::int64_t steps) const;

    // Of all that `settings` ask of one block.
    double block(int block, const StudySettings& settings, bool residual) const;

  private:
    // Multiplications and additions count as one.
    double inRows(double products) const { return products / blockParameters; }
};

StudyCost costOf(const model::Architecture& architecture, std::int64_t ffnParameters, std::int64_t rows,
                 std::int64_t seqLen);

}  // namespace straightedge::study
