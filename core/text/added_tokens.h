// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "normalizers.h"
#include "tokenizer.h"

namespace straightedge::text {

// A token that is cut out of the text before anything else is done with it.
struct AddedToken {
    std::string content;  // not empty
    TokenId id = 0;
    bool singleWord = false;  // no letter or digit beside it
    bool lstrip = false;      // takes the white space before it along
    bool rstrip = false;
    bool normalized = false;  // looked for, normalized itself, in the normalized text
};

// Finds the leftmost, of those the longest, of some tokens, as the package does.
class TokenFinder {
  public:
    struct Entry {
        std::string pattern;
        AddedToken token;
    };
    explicit TokenFinder(std::vector<Entry> entries);

    // A stretch between tokens, or a token.
    using Sink = std::function<bool(std::string_view stretch, std::optional<TokenId> token)>;
    // False when the sink stopped it.
    bool split(std::string_view text, const Sink& sink) const;

    // Whether splitting before and after a cut (Pipeline) alone gives the same.
    bool local() const;

  private:
    const Entry* longestAt(std::string_view text, std::size_t at) const;

    std::vector<Entry> m_entries;                           // the longest first
    std::array<std::vector<std::uint32_t>, 256> m_byFirst;  // indices of entries by their first byte
};

// The package's two passes: tokens that are not normalized in the text as it is, then the others in what is
// left.
class AddedTokens {
  public:
    // `normalizer` may be nullptr. Throws Error for a token that the normalizer makes empty.
    AddedTokens(const std::vector<AddedToken>& tokens, const Normalizer* normalizer);

    const TokenFinder& raw() const { return m_raw; }
    const TokenFinder& normalized() const { return m_normalized; }

  private:
    TokenFinder m_raw;
    TokenFinder m_normalized;
};

}  // namespace straightedge::text
