// SPDX-License-Identifier: GPL-3.0-or-later
#include "byte_trie.h"

#include <algorithm>
#include <ranges>

namespace straightedge::text {

ByteTrie::ByteTrie(std::vector<Entry> entries) {
    std::ranges::stable_sort(entries, {}, &Entry::first);
    // Level by level, so that siblings become neighbours. A node stands for the entries [begin, end) that
    // share its first `depth` bytes.
    struct Range {
        std::size_t begin, end, depth;
    };
    std::vector<Range> ranges{{0, entries.size(), 0}};
    m_nodes.emplace_back();
    m_bytes.push_back(0);
    for (std::size_t node = 0; node < ranges.size(); ++node) {
        auto [at, end, depth] = ranges[node];
        for (; at < end && entries[at].first.size() == depth; ++at)  // the shortest are sorted to the front
            m_nodes[node].id = depth > 0 ? entries[at].second : none;
        m_nodes[node].firstChild = static_cast<std::uint32_t>(m_nodes.size());
        while (at < end) {
            const char byte = entries[at].first[depth];
            const std::size_t begin = at;
            while (at < end && entries[at].first[depth] == byte)
                ++at;
            ranges.push_back({begin, at, depth + 1});
            m_nodes.emplace_back();
            m_bytes.push_back(static_cast<unsigned char>(byte));
            ++m_nodes[node].children;
        }
    }
}

std::uint32_t ByteTrie::child(std::uint32_t node, unsigned char byte) const {
    const auto [first, count, id] = m_nodes[node];
    const auto begin = m_bytes.begin() + first;
    const auto end = begin + count;
    const auto found = std::lower_bound(begin, end, byte);
    return found != end && *found == byte ? static_cast<std::uint32_t>(found - m_bytes.begin()) : 0;
}

std::optional<TokenId> ByteTrie::find(std::string_view text) const {
    std::optional<TokenId> found;
    prefixes(text, [&](std::size_t length, TokenId id) {
        if (length == text.size())
            found = id;
    });
    return found;
}

}  // namespace straightedge::text
