// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace straightedge::study {

// Where fetched texts lie: $STRAIGHTEDGE_TEXTS, or straightedge/texts in the user's data folder.
std::filesystem::path textFolder();

// The path that a user means: a file that is there; else a text that was fetched, by name, or one of the
// sample's, "shakespeare" and "milton". What is none of these is returned as it is. Throws Error for a known
// text that is not here, saying how to fetch it.
std::filesystem::path resolveText(const std::string& text);

}  // namespace straightedge::study
