// SPDX-License-Identifier: GPL-3.0-or-later
#include "added_tokens.h"

#include <algorithm>
#include <utility>

#include "error.h"
#include "unicode.h"

namespace straightedge::text {

namespace {

bool isAsciiLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// A space, or what a normalizer may have made of it.
bool maybeSpace(char c) {
    return c == ' ' || static_cast<signed char>(c) < 0;
}

std::size_t withoutSpacesBefore(std::string_view text, std::size_t at) {
    while (at > 0) {
        const auto [point, size] = unicode::decodeBefore(text, at);
        if (!unicode::isSpace(point))
            break;
        at -= size;
    }
    return at;
}

std::size_t withoutSpacesAfter(std::string_view text, std::size_t at) {
    while (at < text.size()) {
        const auto [point, size] = unicode::decode(text, at);
        if (!unicode::isSpace(point))
            break;
        at += size;
    }
    return at;
}

std::vector<TokenFinder::Entry> entriesOf(const std::vector<AddedToken>& tokens, bool normalized,
                                          const Normalizer* normalizer) {
    std::vector<TokenFinder::Entry> entries;
    for (const auto& token : tokens) {
        if (token.normalized != normalized)
            continue;
        Stretch pattern{.text = token.content};
        if (normalized && normalizer)
            normalizer->apply(pattern);
        if (pattern.text.empty())
            throw Error({.what = "added token is empty once normalized", .found = token.content});
        entries.push_back({std::move(pattern.text), token});
    }
    return entries;
}

}  // namespace

TokenFinder::TokenFinder(std::vector<Entry> entries) : m_entries(std::move(entries)) {
    std::ranges::stable_sort(m_entries, std::greater{},
                             [](const Entry& entry) { return entry.pattern.size(); });
    for (std::size_t i = 0; i < m_entries.size(); ++i)
        m_byFirst[static_cast<unsigned char>(m_entries[i].pattern.front())].push_back(
            static_cast<std::uint32_t>(i));
}

const TokenFinder::Entry* TokenFinder::longestAt(std::string_view text, std::size_t at) const {
    for (const auto i : m_byFirst[static_cast<unsigned char>(text[at])])
        if (text.substr(at).starts_with(m_entries[i].pattern))
            return &m_entries[i];
    return nullptr;
}

bool TokenFinder::split(std::string_view text, const Sink& sink) const {
    std::size_t done = 0;
    for (std::size_t at = 0; !m_entries.empty() && at < text.size();) {
        const Entry* entry = longestAt(text, at);
        if (!entry) {
            ++at;
            continue;
        }
        std::size_t start = at;
        std::size_t end = at + entry->pattern.size();
        at = end;
        const auto& token = entry->token;
        if (token.singleWord && ((start > 0 && unicode::isWord(unicode::decodeBefore(text, start).point)) ||
                                 (end < text.size() && unicode::isWord(unicode::decode(text, end).point))))
            continue;
        // White space that the token before has taken already may be taken no second time.
        if (token.lstrip)
            start = std::max(withoutSpacesBefore(text, start), done);
        if (token.rstrip)
            end = withoutSpacesAfter(text, end);
        if ((done < start && !sink(text.substr(done, start - done), std::nullopt)) || !sink({}, token.id))
            return false;
        done = end;
    }
    return done == text.size() || sink(text.substr(done), std::nullopt);
}

bool TokenFinder::local() const {
    return std::ranges::all_of(m_entries, [](const Entry& entry) {
        const auto& [pattern, token] = entry;
        for (std::size_t i = 0; i + 1 < pattern.size(); ++i)
            if (isAsciiLetter(pattern[i]) && maybeSpace(pattern[i + 1]))
                return false;
        return !(token.rstrip && isAsciiLetter(pattern.back())) &&
               !(token.singleWord && maybeSpace(pattern.front()));
    });
}

AddedTokens::AddedTokens(const std::vector<AddedToken>& tokens, const Normalizer* normalizer)
    : m_raw(entriesOf(tokens, false, normalizer)), m_normalized(entriesOf(tokens, true, normalizer)) {}

}  // namespace straightedge::text
