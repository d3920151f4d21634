// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "study/run.h"

namespace straightedge::study {

// One row a block; header: model,corpus,block,activation, then the metrics' names in their order, then
// failure. Undefined is an empty cell. RFC 4180 quoting, C locale, round-trip precision.
std::string toCsv(std::span<const Run> runs);
// {"program": {...}, "runs": [{"model", "corpus", "settings", "blocks": [{same names}], ...}]}; undefined is
// null.
std::string toJson(std::span<const Run> runs);

// One cell, quoted as RFC 4180 has it where it must be.
std::string csvCell(const std::string& text);

// Whole or not at all: a temporary file beside it, then a rename. Throws Error when the place cannot be
// written.
void writeFile(const std::filesystem::path& path, const std::string& content);
// Throws Error when `path` could not be written later; leaves nothing behind.
void checkWritable(const std::filesystem::path& path);

}  // namespace straightedge::study
