// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "tokenizer.h"

namespace straightedge::text {

// From the text of a tokenizer.json, parsed.
std::unique_ptr<Tokenizer> loadTokenizerJson(const nlohmann::json& description);

// From vocab.json and merges.txt, GPT-2's layout, and tokenizer_config.json where there is one.
std::unique_ptr<Tokenizer> loadVocabMerges(const std::filesystem::path& folder);

// From a GGUF's metadata.
std::unique_ptr<Tokenizer> loadGgufTokenizer(const nlohmann::json& metadata);

// The file, read and parsed. Throws Error naming it.
nlohmann::json readJson(const std::filesystem::path& path);
std::string readFile(const std::filesystem::path& path);

}  // namespace straightedge::text
