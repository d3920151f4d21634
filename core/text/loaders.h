// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "tokenizer.h"

namespace straightedge::text {

// From the text of a tokenizer.json, parsed.
std::unique_ptr<Tokenizer> loadTokenizerJson(const nlohmann::json& description);

// From vocab.json and merges.txt, GPT-2's layout, and tokenizer_config.json where there is one.
std::unique_ptr<Tokenizer> loadVocabMerges(const std::filesystem::path& folder);

// From vocab.txt, BERT's layout, and tokenizer_config.json where there is one.
std::unique_ptr<Tokenizer> loadVocabTxt(const std::filesystem::path& folder);

// From a GGUF's metadata.
std::unique_ptr<Tokenizer> loadGgufTokenizer(const nlohmann::json& metadata);

// tokenizer_config.json, completed by special_tokens_map.json; an empty object where there are none.
nlohmann::json readTokenizerConfig(const std::filesystem::path& folder);

// A special token by its key in tokenizer_config.json, and what it is when that does not name it.
struct SpecialToken {
    const char* key;
    const char* otherwise;
    bool normalized = false;
    bool lstrip = false;
};
std::string contentOf(const SpecialToken& token, const nlohmann::json& config);

// Those that tokenizer_config.json and added_tokens.json list, and the special tokens that the vocabulary
// has, by id, as tokenizer.json writes them.
nlohmann::json addedTokens(const std::filesystem::path& folder, const nlohmann::json& config,
                           const nlohmann::json& vocabulary, std::span<const SpecialToken> specials);

// The file, read and parsed. Throws Error naming it.
nlohmann::json readJson(const std::filesystem::path& path);
std::string readFile(const std::filesystem::path& path);

}  // namespace straightedge::text
