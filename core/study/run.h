// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics.h"
#include "settings.h"

namespace straightedge::study {

// What can stand in for a block's FFN. `replacements()` has their names and what they are.
enum class ReplacementKind {
    Linear,
    BalancedHalf,
    BalancedFourFifths,
    Switched,
    Bilinear,
    Dense2x,
    Poly2x,
    Original,  // the block's own FFN: swapping it changes nothing, healing it is the fair baseline
};

struct ReplacementInfo {
    ReplacementKind kind;
    std::string_view name;   // in files: "linear", "balanced-0.5", "balanced-0.8", "switched"
    std::string_view title;  // on screen
    std::string_view explanation;
};
std::span<const ReplacementInfo> replacements();
const ReplacementInfo& info(ReplacementKind kind);
std::optional<ReplacementKind> replacementNamed(std::string_view name);

// One replacement of one block: a row of the compression table.
struct ReplacementResult {
    ReplacementKind kind = ReplacementKind::Linear;
    std::int64_t parameters = 0;
    std::optional<double> r2 = {}, r2Centred = {}, rmse = {},
                          cosine = {};  // on the capture text's held-out tail
    std::optional<double> tailDppl =
        {};  // PPL swapped - base on the tail's whole windows: what the kept power is chosen by
    std::optional<double> dppl = {}, dpplSe = {};  // on the evaluation text
    bool kept = false;  // of the published and the balanced ones: the one kept for this block
    std::vector<CurvePoint> healing = {};  // loss of a batch over the steps of its healing; empty: not healed
    std::optional<double> dpplHealed = {}, dpplHealedSe = {};  // of the healed layer, on the evaluation text

    bool operator==(const ReplacementResult&) const = default;
};

// What one block gave.
struct BlockResult {
    int block = 0;  // from 0, as Hugging Face counts
    MetricValues values;
    std::vector<ReplacementResult> replacements = {};  // those asked for, the published one first
    std::vector<std::optional<double>> folds = {};     // r2_lin_centred of each blocked fold, in row order
    std::vector<double> rankCurve = {};                // held-out R2 of the fit's best rank 1, 2, ..., d
    std::vector<ProbeOutcome> probes = {};
    std::vector<CeilingOutcome> ceilings = {};
    std::vector<std::string> remarks = {};  // what the reader should know of these
    std::string failure = {};               // not empty: why this block has no values (the others go on)
    double seconds = 0;                     // spent on it

    bool operator==(const BlockResult&) const = default;
};

// Interrupted: it was running when its program or machine went down.
enum class RunState { Running, Finished, Cancelled, Failed, Interrupted };
std::string_view stateName(RunState state);  // in files and for reading: "running"
std::optional<RunState> stateNamed(std::string_view name);

// Where the numbers of a run come from.
struct RunHeader {
    std::string model;                 // name to show: "SmolLM2-135M-Instruct.Q4_1"
    std::string corpus;                // name to show: the file's name
    std::string family;                // "llama"; the families' table has the list
    std::string activation;            // "gelu", "silu-gated", ...
    std::string site;                  // what x and y are, in words
    int modelBlocks = 0;               // of the whole model
    std::int64_t width = 0;            // d
    std::int64_t ffnParameters = 0;    // weights and biases of one block's FFN
    std::int64_t modelParameters = 0;  // of the whole model

    std::string modelPath;
    std::uint64_t modelBytes = 0;
    std::int64_t modelModified = 0;  // seconds since the epoch
    std::string modelHeaderHash;     // SHA-256 of the weight files' headers, hex
    std::string textHash;            // SHA-256 of the capture text's file, hex
    std::string evaluationHash;      // of the evaluation text's file, when it is another
    std::string tokenizer;           // Tokenizer::description()
    std::string programVersion;
    std::string started;  // ISO 8601, UTC

    StudySettings settings;
    std::int64_t rows = 0;               // captured: whole windows times their length
    std::int64_t rowsTrain = 0;          // of these in the head
    std::int64_t evaluationWindows = 0;  // that perplexity is taken on; 0: none
    bool tooFewRows = false;             // fewer than 2 (d + 1) in the head: every result is marked

    bool operator==(const RunHeader&) const = default;
};

struct Run {
    RunHeader header;
    RunState state = RunState::Running;
    std::vector<BlockResult> blocks = {};                // finished ones, in depth order
    std::optional<double> basePpl = {}, basePplSe = {};  // when perplexity was asked for
    std::vector<std::string> notes =
        {};                    // what the reader should know: text shorter than asked for, and so on
    std::string failure = {};  // when state is Failed
    double seconds = 0;

    bool operator==(const Run&) const = default;
};

// A block whose typical score lies far below its published one: most of the published R2 is a few massive
// rows. Far: by more than 0.2, with massive rows present.
bool peakIsMassive(const MetricValues& values);

// Why the point is marked: "119 of 14,976 rows (0.8 %) hold 100 % of the output energy; R2 on typical rows is
// 0.522." Empty where peakIsMassive() is false.
std::string massiveReason(const MetricValues& values);

}  // namespace straightedge::study
