// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

namespace straightedge::study {

// The ids of a whole text file by a model's own tokenizer. `model`: anything Checkpoint::open() takes, a
// folder that holds no more than a tokenizer, or a tokenizer.json.
std::vector<std::int32_t> tokenizeFile(const std::filesystem::path& model, const std::filesystem::path& file);

}  // namespace straightedge::study
