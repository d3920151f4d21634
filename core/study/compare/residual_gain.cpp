// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_gain.h"

#include <algorithm>

namespace straightedge::study {

namespace {

std::optional<double> scoreWith(const BlockResult& block, const GainSource& source) {
    if (source.kind == GainSource::ProbeGain) {
        const auto found = std::ranges::find(block.probes, source.probe, &ProbeOutcome::probe);
        return found == block.probes.end() ? std::nullopt : found->r2;
    }
    const auto found = std::ranges::find(block.ceilings, source.degree, &CeilingOutcome::degree);
    return found == block.ceilings.end() ? std::nullopt : found->r2;
}

}  // namespace

std::string GainSource::title() const {
    return kind == ProbeGain ? std::string(info(probe).title) : "degree " + std::to_string(degree);
}

ResidualGain residualGain(std::span<const Run* const> runs, const GainSource& source) {
    ResidualGain result;
    std::vector<double> residuals, gains;
    for (std::size_t run = 0; run < runs.size(); ++run)
        for (const BlockResult& block : runs[run]->blocks) {
            const auto line = block.values[Metric::R2Lin], with = scoreWith(block, source);
            if (!line || !with)
                continue;
            result.points.push_back({run, block.block, 1 - *line, *with - *line});
            residuals.push_back(1 - *line);
            gains.push_back(*with - *line);
        }
    result.correlation = pearson(residuals, gains);
    return result;
}

std::vector<GainSource> gainSources(std::span<const Run* const> runs) {
    std::vector<Probe> probesFound;
    std::vector<int> degrees;
    const auto note = [](auto& list, auto value) {
        if (std::ranges::find(list, value) == list.end())
            list.push_back(value);
    };
    for (const Run* run : runs)
        for (const BlockResult& block : run->blocks) {
            for (const ProbeOutcome& probe : block.probes)
                note(probesFound, probe.probe);
            for (const CeilingOutcome& ceiling : block.ceilings)
                note(degrees, ceiling.degree);
        }
    std::ranges::sort(probesFound);
    std::ranges::sort(degrees);
    std::vector<GainSource> sources;
    for (const Probe probe : probesFound)
        sources.push_back({.kind = GainSource::ProbeGain, .probe = probe});
    for (const int degree : degrees)
        sources.push_back({.kind = GainSource::CeilingGain, .degree = degree});
    return sources;
}

}  // namespace straightedge::study
