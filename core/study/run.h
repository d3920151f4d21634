// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "metrics.h"
#include "settings.h"

namespace straightedge::study {

// What one block gave.
struct BlockResult {
    int block = 0;  // from 0, as Hugging Face counts
    MetricValues values;
    std::string failure = {};  // not empty: why this block has no values (the others go on)
    double seconds = 0;        // spent on it
};

enum class RunState { Running, Finished, Cancelled, Failed };

// Where the numbers of a run come from.
struct RunHeader {
    std::string model;       // name to show: "SmolLM2-135M-Instruct.Q4_1"
    std::string corpus;      // name to show: the file's name
    std::string family;      // "llama"; the families' table has the list
    std::string activation;  // "gelu", "silu-gated", ...
    std::string site;        // what x and y are, in words
    int modelBlocks = 0;     // of the whole model
    std::int64_t width = 0;  // d
    std::int64_t ffnParameters = 0;    // weights and biases of one block's FFN
    std::int64_t modelParameters = 0;  // of the whole model

    std::string modelPath;
    std::uint64_t modelBytes = 0;
    std::int64_t modelModified = 0;  // seconds since the epoch
    std::string modelHeaderHash;     // SHA-256 of the weight files' headers, hex
    std::string textHash;            // SHA-256 of the capture text's file, hex
    std::string tokenizer;           // Tokenizer::description()
    std::string programVersion;
    std::string started;  // ISO 8601, UTC

    StudySettings settings;
    std::int64_t rows = 0;       // captured: whole windows times their length
    std::int64_t rowsTrain = 0;  // of these in the head
    bool tooFewRows = false;     // fewer than 2 (d + 1) in the head: every result is marked
};

struct Run {
    RunHeader header;
    RunState state = RunState::Running;
    std::vector<BlockResult> blocks = {};     // finished ones, in depth order
    std::vector<std::string> notes = {};  // what the reader should know: text shorter than asked for, and so on
    std::string failure = {};             // when state is Failed
    double seconds = 0;
};

// A block whose typical score lies far below its published one: most of the published R2 is a few massive rows.
// Far: by more than 0.2, with massive rows present.
bool peakIsMassive(const MetricValues& values);

// Why the point is marked: "119 of 14,976 rows (0.8 %) hold 100 % of the output energy; R2 on typical rows is 0.522."
// Empty where peakIsMassive() is false.
std::string massiveReason(const MetricValues& values);

}  // namespace straightedge::study
