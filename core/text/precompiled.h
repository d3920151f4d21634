// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "normalizers.h"

namespace straightedge::text {

// SentencePiece's precompiled_charsmap: what some short texts become. A double-array trie (Darts-clone's) of
// 32-bit units, its size in bytes before it, and behind it the replacements, each ended by a zero byte.
class Charsmap {
  public:
    // Throws Error for one that is malformed.
    explicit Charsmap(std::string_view bytes);

    // What the shortest entry that `text` begins with becomes; nullopt where there is none.
    std::optional<std::string_view> replacement(std::string_view text) const;

  private:
    std::vector<std::uint32_t> m_units;
    std::string m_replacements;
};

// The normalizer of that map.
std::unique_ptr<Normalizer> makePrecompiled(const JsonPart& part);

}  // namespace straightedge::text
