// SPDX-License-Identifier: GPL-3.0-or-later
#include "study_cost.h"

#include <algorithm>

namespace straightedge::study {

double StudyCost::probe(Probe probe) const {
    // A forward and a backward pass over a batch of 256 are three products a parameter; passes over so few
    // rows run at a third of the speed of large ones. Bilinear parts of rank 16 have 3 * 16 parameters a
    // feature.
    const double steps = probe == Probe::TrainedLinear ? 3000 : 4000;
    const double low = 3 * 16 * width, square = width * width;
    const double parameters = probe == Probe::Bilinear        ? low
                              : probe == Probe::TrainedLinear ? square
                              : probe == Probe::Dense2x       ? 2 * square
                                                              : 2 * (square + low);
    return inRows(steps * 256 * 3 * 3 * parameters);
}

double StudyCost::ceiling() const {
    // The kernel, seven factors of it (five ridges on nine tenths of the head, the head, half of it), and
    // the solutions with them.
    const double head = 0.8 * rows;
    const double kernel = rows * head * width, factors = 4.8 * head * head * head / 6;
    const double solutions = 5.3 * 2 * head * head * width / 2;
    return inRows(2 * (kernel + factors + solutions));
}

double StudyCost::healing(int block, std::int64_t steps) const {
    // Forward and backward of the rows of a batch through what lies above; autograd runs at half the speed.
    const double each = (blocks - block) * blockParameters + headParameters;
    return inRows(2 * 3 * static_cast<double>(steps) * batchRows * each);
}

double StudyCost::block(int block, const StudySettings& settings, bool residual) const {
    double sum = line();
    if (settings.folds > 0)
        sum += folds();
    if (settings.effectiveRank)
        sum += rank();
    if (!residual)
        return sum;
    for (const Probe each : settings.probes)
        sum += probe(each);
    sum += static_cast<double>(settings.ceilings.size()) * ceiling();
    if (settings.heal && settings.perplexity) {
        const auto healed = 2 + std::ranges::count_if(settings.probes, [](Probe each) {
                                return each == Probe::Bilinear || each == Probe::Dense2x;
                            });
        sum += static_cast<double>(healed) * healing(block, settings.healSteps);
    }
    return sum;
}

}  // namespace straightedge::study
