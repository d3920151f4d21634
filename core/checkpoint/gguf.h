// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>

#include "checkpoint.h"

namespace straightedge::checkpoint {

// GGUF version 2 or 3, little-endian. Of a model that is split into several files any one opens all of them.
std::unique_ptr<Checkpoint> openGguf(const std::filesystem::path& path);

}  // namespace straightedge::checkpoint
