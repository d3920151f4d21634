// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "run.h"

namespace straightedge::study {

// The published profiles (resources/published/published.csv, compiled in): GPT-2, Pythia-160m and llama-160m,
// R2 as published, for some blocks what their swap costs, and nothing else.
std::vector<Run> publishedRuns();

}  // namespace straightedge::study
