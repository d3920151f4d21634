// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <optional>

#include "linearity/linear_profile.h"
#include "trained_layer.h"

// Probes trained on a block's rows (PROTOCOL "What is left: probes of the residual", "Trained-probe
// contrast").
namespace straightedge::replacement {

enum class ProbeKind {
    TrainedLinear,  // Linear(d, d): what the closed form is compared with
    Bilinear,       // the closed form, frozen, and a low-rank bilinear part on what it leaves
    Dense2x,        // Linear(d, d), GELU, Linear(d, d)
    Poly2x,         // two bilinear layers in a row, nothing frozen
};

struct ProbeSettings {
    ProbeKind kind = ProbeKind::Bilinear;
    std::int64_t steps = 4000;
    std::int64_t scoreEvery = 200;
    std::int64_t batch = 256;  // drawn with replacement
    std::int64_t rank = 16;    // of bilinear parts
    double learningRate = 1e-3;
    std::optional<int> patience = 8;  // scores without a gain of leastGain before it stops; none: never
    double leastGain = 1e-4;
    std::uint64_t seed = 0;
};

// The published ones: 4,000 steps with early stopping; of the trained-linear contrast 3,000 and none.
ProbeSettings probeSettings(ProbeKind kind);

struct ProbePoint {
    std::int64_t step = 0;
    double r2 = 0;  // on the tail, around one scalar mean
};

// Told how training goes, on its thread; both may throw (Cancelled) to stop it, both may be empty.
struct ProbeWatch {
    std::function<void(std::int64_t step)> stepped;
    std::function<void(const ProbePoint&)> scored;
};

struct ProbeResult {
    std::vector<ProbePoint> curve;
    // The best score; undefined where the tail's output is constant or no score was finite.
    std::optional<double> r2;
    std::optional<double> gain;  // over the closed form's
    std::int64_t bestStep = 0;
    std::int64_t parameters = 0;  // with those of the frozen line
    std::optional<double> gate;   // mean of exp(s) over all bilinear parts
    // As it was at its best score; null where r2 is undefined.
    std::shared_ptr<const TrainedLayer> layer;
};

// x [n, d], y [n, e] float32, contiguous: all rows, as linearProfile() had them. Repeatable for the same
// seed, threads and machine.
ProbeResult trainProbe(const linearity::LinearProfile& profile, const at::Tensor& x, const at::Tensor& y,
                       const ProbeSettings& settings, const ProbeWatch& watch = {});

// An untrained layer of that kind, its parameters zero; of a bilinear probe the part that is trained.
std::unique_ptr<TrainedLayer> probeLayer(const ProbeSettings& settings, std::int64_t in, std::int64_t out);

}  // namespace straightedge::replacement
