// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "tokenizer.h"

namespace straightedge::text {

// Finds the tokens that a text begins with, all of them in one walk along its bytes.
class ByteTrie {
  public:
    using Entry = std::pair<std::string_view, TokenId>;
    // Of entries with the same text the last counts; empty ones are left out. The texts are not kept.
    explicit ByteTrie(std::vector<Entry> entries);

    // Calls found(length, id) for every token that `text` begins with, the shortest first.
    template <typename Found>
    void prefixes(std::string_view text, Found found) const {
        std::uint32_t node = 0;
        for (std::size_t i = 0; i < text.size(); ++i) {
            node = child(node, static_cast<unsigned char>(text[i]));
            if (node == 0)
                return;
            if (m_nodes[node].id != none)
                found(i + 1, m_nodes[node].id);
        }
    }
    // The token that is the whole text.
    std::optional<TokenId> find(std::string_view text) const;

  private:
    static constexpr TokenId none = -1;

    // The children of a node lie side by side, in the order of their bytes.
    struct Node {
        std::uint32_t firstChild = 0;
        std::uint32_t children = 0;
        TokenId id = none;
    };
    std::uint32_t child(std::uint32_t node, unsigned char byte) const;  // 0, the root: there is none

    std::vector<Node> m_nodes;
    std::vector<unsigned char> m_bytes;  // by node: the byte that leads to it
};

}  // namespace straightedge::text
