// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tokenizer.h"

namespace straightedge::text {

// The ids of words seen before. Text repeats itself, so that most words are found here. Takes no more once it
// is full.
class WordCache {
  public:
    std::optional<std::span<const TokenId>> find(std::string_view word) const;
    // `word` must not be in it yet.
    void add(std::string_view word, std::span<const TokenId> ids);

  private:
    static constexpr std::size_t longest = 64;      // bytes a word
    static constexpr std::size_t most = 1U << 17U;  // words

    struct Slot {
        std::uint64_t hash = 0;
        std::uint32_t word = 0;      // offset in m_words
        std::uint32_t ids = 0;       // offset in m_ids
        std::uint16_t wordSize = 0;  // 0: free
        std::uint16_t idCount = 0;
    };
    void grow();

    std::vector<Slot> m_slots;  // a power of two, at most half full
    std::size_t m_count = 0;
    std::string m_words;
    std::vector<TokenId> m_ids;
};

}  // namespace straightedge::text
