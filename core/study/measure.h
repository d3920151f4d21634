// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "run.h"

namespace straightedge::linearity {
class Ranks;
}

namespace straightedge::study {

struct Progress {
    std::string stage;         // "tokenizing", "block 7: windows", "block 7: fit"
    int block = -1;            // the block under way, -1 before the first
    int blocksPassed = 0;      // through the sweep so far
    int blocksToPass = 0;      // up to the last wanted one
    double fraction = 0;       // of the whole run, 0 to 1
    double rowsPerSecond = 0;  // through one block, smoothed; 0: not known yet
    double secondsLeft = -1;   // -1: not known yet
};

// Told what happens, on the thread that measures. Must not block for long.
class Observer {
  public:
    virtual ~Observer() = default;
    virtual void started(const RunHeader&) {}
    virtual void progressed(const Progress&) {}
    // What there is of a block: called when it is fitted, and again whenever later stages know more of it
    // (perplexity).
    virtual void blockFinished(const BlockResult&) {}
    // A curve has grown: something is being trained.
    virtual void trained(const TrainingPoint&) {}
    virtual void noted(const std::string&) {}
};

// Where a run keeps what must outlive it, and what an earlier, broken-off part of it has left there.
struct RunFiles {
    std::filesystem::path folder;  // exists; gets the fitted maps and, until the end, the state to go on from
    std::vector<BlockResult> finished = {};  // what the earlier part has stored, in depth order
};

// The layer-major sweep: all windows through one block, then the next; each wanted block is fitted and scored
// as it is passed, and with perplexity the base and all swapped variants advance together over the evaluation
// text. Returns what was finished when a stop is asked for (state Cancelled). Throws Error when the run as a
// whole cannot be done; a single block that fails is reported in its BlockResult and the others go on. With
// `files` it goes on where an earlier part stopped, if a state of the same run is there; the result is the
// same to the last digit as that of an unbroken run. Repeatable for the same settings, threads and machine.
//
// Several `ranks` share the windows and each returns the whole result; such a run leaves no state to go on
// from, is not to be stopped, and must end the job when one of them throws.
Run measure(const StudySettings& settings, std::stop_token stop, Observer& observer,
            const RunFiles* files = nullptr, const linearity::Ranks* ranks = nullptr);

}  // namespace straightedge::study
