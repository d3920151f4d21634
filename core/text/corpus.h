// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer.h"

namespace straightedge::text {

// UTF-8 with each maximal invalid sequence replaced by U+FFFD (as Python's errors="replace" does) and a
// byte-order mark at the start dropped; nothing else is touched.
std::string decodeUtf8(std::string_view bytes);

// PROTOCOL.md "Text to windows", 4: the last tenth of the bytes (size - size / 10 on), cut at the next line
// start; no line starts there: at the next whole character. Returns {capture, evaluation}, views into
// `bytes`.
std::pair<std::string_view, std::string_view> divide(std::string_view bytes);

struct TextIdentity {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    std::string hash;  // SHA-256 of the file's bytes, hex
};

// What is measured on (`capture`) and what perplexity is taken on (`evaluation`), both valid UTF-8.
struct Corpus {
    std::string name;  // file name without its folder
    TextIdentity captureFile;
    std::optional<TextIdentity> evaluationFile;  // when it is a file of its own
    std::string capture;
    std::string evaluation;
};

// A whole text file, decoded. Throws as readCorpus() does.
std::string readText(const std::filesystem::path& file);

// Throws Error for a file that is missing, unreadable, not a regular file or empty.
Corpus readCorpus(const std::filesystem::path& capture,
                  const std::optional<std::filesystem::path>& evaluation = std::nullopt);

// Non-overlapping windows of one token stream; what is left over is dropped.
struct Windows {
    std::int64_t count = 0;
    std::int64_t length = 0;        // tokens a window
    std::vector<TokenId> ids = {};  // [count, length]

    std::int64_t tokens() const { return count * length; }
    // The `number` windows from `first` on.
    Windows part(std::int64_t first, std::int64_t number) const {
        return {number, length, {ids.begin() + first * length, ids.begin() + (first + number) * length}};
    }
};

// The first floor(tokens / length) whole windows of the text, fewer when the text is shorter. Throws Error
// when it does not fill one window, or when length < 2 or tokens < length.
Windows cutWindows(const Tokenizer& tokenizer, std::string_view utf8, std::int64_t length,
                   std::int64_t tokens);

}  // namespace straightedge::text
