// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "checkpoint/checkpoint.h"
#include "text/tokenizer.h"

namespace straightedge::study {

// The name to show for a checkpoint: its ID in a cache of the hub, its folder's, or its file's without
// ".gguf".
std::string modelName(const checkpoint::Checkpoint& checkpoint);
// The same from the path alone, whether there is something or not.
std::string modelName(const std::filesystem::path& path);

// The checkpoint's own tokenizer, wherever its format keeps it.
std::unique_ptr<text::Tokenizer> tokenizerOf(const checkpoint::Checkpoint& checkpoint);

}  // namespace straightedge::study
