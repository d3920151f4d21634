// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace straightedge::text {

using TokenId = std::int32_t;

// Text to token ids, as the checkpoint's own tokenizer does it (the `tokenizers` package is the reference).
// Immutable once loaded; encode() may be called from several threads.
class Tokenizer {
  public:
    static constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

    // From a Hugging Face folder: tokenizer.json, else vocab.json and merges.txt, else BERT's vocab.txt.
    // Throws Error naming the part that is missing, malformed or not known: never a tokenizer that would give
    // other ids.
    static std::unique_ptr<Tokenizer> fromFolder(const std::filesystem::path& folder);
    // From GGUF metadata (Checkpoint::metadata()): tokenizer.ggml.model (gpt2, llama, bert, t5), .pre,
    // .tokens, .merges, .scores, .token_type, .add_bos_token, .bos_token_id and so on. `where` names the file
    // in messages.
    static std::unique_ptr<Tokenizer> fromGguf(const nlohmann::json& metadata, const std::string& where);
    virtual ~Tokenizer() = default;

    // The first `most` ids of the text with the post-processing applied once (a Llama tokenizer puts its BOS
    // at the start). The ids equal the first `most` of encoding it all; no more of the text is worked through
    // than that takes. `utf8` must be valid UTF-8 (see decodeUtf8).
    virtual std::vector<TokenId> encode(std::string_view utf8, std::size_t most = everything) const = 0;

    // Number of ids there are, added tokens included: the largest id + 1.
    virtual std::int64_t vocabularySize() const = 0;
    // A short description: "byte-level BPE, 49,152 tokens, split like GPT-2's, with single digits".
    virtual std::string description() const = 0;
};

}  // namespace straightedge::text
