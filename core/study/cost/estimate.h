// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "work_plan.h"

namespace straightedge::study {

// About what a run will take here, before it starts.
struct Estimate {
    double seconds = 0;
    std::int64_t memory = 0;                    // bytes resident, mapped files aside
    std::int64_t disk = 0;                      // bytes for the states to go on from; 0 where nothing is kept
    std::int64_t memoryFree = 0, diskFree = 0;  // 0: not known

    bool fits() const {
        return (memoryFree == 0 || memory <= memoryFree) && (diskFree == 0 || disk <= diskFree);
    }
    // "about 2:10 min and 0.6 GB of memory", and why it will not fit.
    std::string text() const;
};

// `onDisk`: states are kept in files of this folder; empty: in memory.
Estimate estimateOf(const StudyCost& cost, const StudySettings& settings, const RunShape& shape,
                    const std::filesystem::path& onDisk);

// From the model's headers alone, with as many rows as are asked for. Throws Error for a model that cannot be
// measured.
Estimate estimate(const StudySettings& settings, const std::filesystem::path& onDisk);

}  // namespace straightedge::study
