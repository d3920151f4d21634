// SPDX-License-Identifier: GPL-3.0-or-later
#include "word_cache.h"

#include <functional>
#include <utility>

namespace straightedge::text {

std::optional<std::span<const TokenId>> WordCache::find(std::string_view word) const {
    if (m_slots.empty() || word.size() > longest)
        return std::nullopt;
    const std::uint64_t hash = std::hash<std::string_view>{}(word);
    for (std::size_t i = hash & (m_slots.size() - 1); m_slots[i].wordSize != 0;
         i = (i + 1) & (m_slots.size() - 1)) {
        const auto& slot = m_slots[i];
        if (slot.hash == hash && std::string_view(m_words).substr(slot.word, slot.wordSize) == word)
            return std::span(m_ids).subspan(slot.ids, slot.idCount);
    }
    return std::nullopt;
}

void WordCache::add(std::string_view word, std::span<const TokenId> ids) {
    if (word.empty() || word.size() > longest || m_count == most || ids.size() > 0xFFFF)
        return;
    if (2 * m_count >= m_slots.size())
        grow();
    const std::uint64_t hash = std::hash<std::string_view>{}(word);
    std::size_t i = hash & (m_slots.size() - 1);
    while (m_slots[i].wordSize != 0)
        i = (i + 1) & (m_slots.size() - 1);
    m_slots[i] = {.hash = hash,
                  .word = static_cast<std::uint32_t>(m_words.size()),
                  .ids = static_cast<std::uint32_t>(m_ids.size()),
                  .wordSize = static_cast<std::uint16_t>(word.size()),
                  .idCount = static_cast<std::uint16_t>(ids.size())};
    m_words += word;
    m_ids.insert(m_ids.end(), ids.begin(), ids.end());
    ++m_count;
}

void WordCache::grow() {
    std::vector<Slot> old(m_slots.empty() ? 256 : 2 * m_slots.size());
    std::swap(old, m_slots);
    for (const auto& slot : old) {
        if (slot.wordSize == 0)
            continue;
        std::size_t i = slot.hash & (m_slots.size() - 1);
        while (m_slots[i].wordSize != 0)
            i = (i + 1) & (m_slots.size() - 1);
        m_slots[i] = slot;
    }
}

}  // namespace straightedge::text
