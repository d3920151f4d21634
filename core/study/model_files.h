// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "checkpoint/checkpoint.h"
#include "text/tokenizer.h"

namespace straightedge::study {

// The name to show for a checkpoint: its folder's, or its file's without ".gguf".
std::string modelName(const checkpoint::Checkpoint& checkpoint);

// The checkpoint's own tokenizer, wherever its format keeps it.
std::unique_ptr<text::Tokenizer> tokenizerOf(const checkpoint::Checkpoint& checkpoint);

}  // namespace straightedge::study
