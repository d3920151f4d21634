// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "statistics.h"
#include "study/run.h"

// What is left when the line is taken out, over how much the line leaves: all blocks of several runs
// together.
namespace straightedge::study {

// What takes up some of the residual: a probe, or a closed-form ceiling.
struct GainSource {
    enum Kind { ProbeGain, CeilingGain } kind = ProbeGain;
    Probe probe = Probe::Bilinear;
    int degree = 2;

    std::string title() const;  // "bilinear, rank 16", "degree 2"
    bool operator==(const GainSource&) const = default;
};

struct GainPoint {
    std::size_t run = 0;  // index among those given
    int block = 0;
    double residual = 0;  // 1 - r2_lin
    double gain = 0;      // r2 with the source - r2_lin
};

struct ResidualGain {
    std::vector<GainPoint> points;  // blocks that have both, in the order of the runs
    Correlation correlation;        // of residual and gain
};
ResidualGain residualGain(std::span<const Run* const> runs, const GainSource& source);

// Those that some block of the runs has.
std::vector<GainSource> gainSources(std::span<const Run* const> runs);

}  // namespace straightedge::study
