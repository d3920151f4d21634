// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "study/run.h"

namespace straightedge::study {

// Writes a run's fitted maps for use outside: for each block `block-N.safetensors` ("weight" [out, in],
// "bias" [out], for a switched fit "direction", "threshold" and "constant" too; float32), a README and a
// Python module that puts them into the Hugging Face model. `runFolder`: Store::runFolder(); `out` is made
// when it is not there. Throws Error for a block that the run did not measure or that has no such
// replacement, and for a place that cannot be written.
void exportReplacements(const std::filesystem::path& runFolder, const Run& run, std::span<const int> blocks,
                        ReplacementKind kind, const std::filesystem::path& out);

}  // namespace straightedge::study
