// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>

#include "block_study.h"
#include "linearity/polynomial_ceiling.h"
#include "replacement/conjunction.h"
#include "replacement/probes.h"

namespace straightedge::study {

namespace {

struct ProbeParts {
    replacement::ProbeKind kind;
    Metric r2;
    std::optional<ReplacementKind> replacement;  // what it is when it stands in for the FFN
};

ProbeParts partsOf(Probe probe) {
    switch (probe) {
        case Probe::Bilinear:
            return {replacement::ProbeKind::Bilinear, Metric::R2Bilinear, ReplacementKind::Bilinear};
        case Probe::Dense2x:
            return {replacement::ProbeKind::Dense2x, Metric::R2Dense2x, ReplacementKind::Dense2x};
        case Probe::Poly2x:
            return {replacement::ProbeKind::Poly2x, Metric::R2Poly2x, ReplacementKind::Poly2x};
        case Probe::TrainedLinear:
            break;
    }
    return {replacement::ProbeKind::TrainedLinear, Metric::R2TrainedLinear, std::nullopt};
}

// Where the scores of a degree stand among the metrics; degrees without columns of their own have none.
struct CeilingColumns {
    Metric r2, half, unseen, typical;
};
std::optional<CeilingColumns> columnsOf(int degree) {
    if (degree == 2)
        return CeilingColumns{Metric::R2Deg2, Metric::R2Deg2Half, Metric::R2Deg2Unseen,
                              Metric::R2Deg2Typical};
    if (degree == 3)
        return CeilingColumns{Metric::R2Deg3, Metric::R2Deg3Half, Metric::R2Deg3Unseen,
                              Metric::R2Deg3Typical};
    return std::nullopt;
}

}  // namespace

void studyProbe(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                Probe probe, const StudySettings& settings, const StudyCost& cost, StudyListener& listener) {
    const ProbeParts parts = partsOf(probe);
    replacement::ProbeSettings asked = replacement::probeSettings(parts.kind);
    asked.seed = settings.seed;
    const double each = cost.probe(probe) / static_cast<double>(asked.steps);
    std::int64_t steps = 0;
    const replacement::ProbeWatch watch{
        .stepped =
            [&](std::int64_t step) {
                steps = step;
                listener.worked(each);
            },
        .scored =
            [&](const replacement::ProbePoint& point) {
                listener.trained({rows.block, info(probe).name, false, {point.step, point.r2}});
            }};
    const replacement::ProbeResult found = replacement::trainProbe(profile, rows.x, rows.y, asked, watch);
    listener.worked(each * static_cast<double>(asked.steps - steps));  // of a training that stopped early

    ProbeOutcome outcome{.probe = probe};
    for (const replacement::ProbePoint& point : found.curve)
        outcome.curve.push_back({point.step, point.r2});
    outcome.r2 = found.r2;
    outcome.gain = found.gain;
    outcome.bestStep = found.bestStep;
    outcome.parameters = found.parameters;
    outcome.gate = found.gate;
    if (found.layer)
        outcome.conjunction = replacement::conjunctionIndex(*found.layer, rows.x);
    study.result.probes.push_back(std::move(outcome));
    study.result.values.set(parts.r2, found.r2);
    if (probe == Probe::Bilinear) {
        study.result.values.set(Metric::GainBilinear, found.gain);
        study.result.values.set(Metric::GateBilinear, found.gate);
    }
    if (found.layer && parts.replacement)
        addReplacement(study, profile, rows, *parts.replacement, found.layer);
}

void studyCeiling(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                  int degree, const StudySettings& settings, const StudyCost& cost, StudyListener& listener) {
    linearity::CeilingSettings asked;
    asked.degree = degree;
    asked.seed = settings.seed;
    const bool twice = profile.massive.count > 0;
    double before = 0;
    const auto tick = [&](double share) {
        return [&, share](double fraction) {
            listener.worked((fraction * share - before) * cost.ceiling());
            before = fraction * share;
        };
    };
    const linearity::PolynomialCeiling all = linearity::polynomialCeiling(
        rows.x, rows.y, profile.head, profile.fit, rows.ids, asked, tick(twice ? 0.5 : 1));
    CeilingOutcome outcome{.degree = degree,
                           .r2 = all.r2,
                           .r2Half = all.r2Half,
                           .unseenRows = all.unseenRows,
                           .r2Unseen = all.r2Unseen,
                           .r2LinUnseen = all.r2LinUnseen,
                           .ridge = all.ridge,
                           .ridgeAtEnd = all.ridgeAtEnd,
                           .method = all.method()};
    outcome.r2LinTypical = profile.typical.r2;
    if (!twice)
        outcome.r2Typical = all.r2;
    if (all.ridgeAtEnd)
        study.result.remarks.push_back(
            "ceiling of degree " + std::to_string(degree) +
            ": the best ridge lies at an end of the grid; a better one may lie beyond");
    if (const auto columns = columnsOf(degree)) {
        study.result.values.set(columns->r2, outcome.r2);
        study.result.values.set(columns->half, outcome.r2Half);
        study.result.values.set(columns->unseen, outcome.r2Unseen);
        study.result.values.set(columns->typical, outcome.r2Typical);
        study.result.values.set(Metric::R2LinUnseen, outcome.r2LinUnseen);
    }
    study.result.ceilings.push_back(std::move(outcome));
    if (!twice)
        return;
    before = 0;
    const at::Tensor typical = profile.massive.massive.logical_not();
    const auto r2 = linearity::polynomialCeilingOf(typical, rows.x, rows.y, profile.head, profile.typicalFit,
                                                   rows.ids, asked, tick(0.5))
                        .r2;
    study.result.ceilings.back().r2Typical = r2;
    if (const auto columns = columnsOf(degree))
        study.result.values.set(columns->typical, r2);
}

}  // namespace straightedge::study
