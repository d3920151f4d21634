// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "checkpoint.h"

namespace straightedge::checkpoint {

// A folder with config.json and weights in safetensors or PyTorch's own format. `weights`: the file that was
// pointed at, an index of shards or a file of weights of that folder; empty to look for them.
std::unique_ptr<Checkpoint> openHfFolder(const std::filesystem::path& folder,
                                         const std::filesystem::path& weights);

}  // namespace straightedge::checkpoint
