// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What can be asked of a block beside the line, and the answers (PROTOCOL "More on the linear part", "What is
// left").
namespace straightedge::study {

// Layers trained on a block's rows. `probes()` has their names and what they are.
enum class Probe { Bilinear, TrainedLinear, Dense2x, Poly2x };

struct ProbeInfo {
    Probe probe;
    std::string_view name;   // in files and on the command line: "bilinear", "trained-linear", ...
    std::string_view title;  // on screen
    std::string_view explanation;
};
std::span<const ProbeInfo> probes();
const ProbeInfo& info(Probe probe);
std::optional<Probe> probeNamed(std::string_view name);

struct CurvePoint {
    std::int64_t step = 0;
    double value = 0;

    bool operator==(const CurvePoint&) const = default;
};

struct ProbeOutcome {
    Probe probe = Probe::Bilinear;
    std::vector<CurvePoint> curve = {};      // R2 on the tail at its checkpoints, around one scalar mean
    std::optional<double> r2 = {};           // the best of them
    std::optional<double> gain = {};         // over the closed-form line's
    std::int64_t bestStep = 0;               // where it was
    std::int64_t parameters = 0;             // with those of a frozen line
    std::optional<double> gate = {};         // mean exp(s) over its bilinear parts
    std::optional<double> conjunction = {};  // its conjunction index

    bool operator==(const ProbeOutcome&) const = default;
};

// The closed-form ceiling of one degree: the line and kernel ridge on what it leaves.
struct CeilingOutcome {
    int degree = 0;
    std::optional<double> r2 = {};
    std::optional<double> r2Half = {};  // from the later half of the head alone
    std::int64_t unseenRows = 0;        // of the tail, whose token does not occur in the head
    std::optional<double> r2Unseen = {}, r2LinUnseen = {};    // over those
    std::optional<double> r2Typical = {}, r2LinTypical = {};  // without massive rows
    double ridge = 0;                                         // relative to the kernel's mean diagonal
    bool ridgeAtEnd = false;                                  // of the grid: a better one may lie beyond
    std::string method = {};                                  // "exact kernel ridge", or the approximation

    bool operator==(const CeilingOutcome&) const = default;
};

// One point of a curve that grows while something is trained.
struct TrainingPoint {
    int block = 0;
    std::string_view what;  // name of the probe, or of the replacement that is healed
    bool healing = false;   // then the value is the loss of a batch, else R2 on the tail
    CurvePoint point;
};

}  // namespace straightedge::study
