// SPDX-License-Identifier: GPL-3.0-or-later
#include "bpe.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "byte_characters.h"
#include "error.h"
#include "unicode.h"
#include "word_cache.h"

namespace straightedge::text {

namespace {

// Longer pieces are taken apart where no merge can reach across, so that they are found in the cache.
constexpr std::size_t longPiece = 48;
constexpr std::uint64_t noKey = ~std::uint64_t{0};

std::uint64_t keyOf(TokenId left, TokenId right) {
    return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32U |
           static_cast<std::uint32_t>(right);
}

std::uint64_t crossing(char32_t left, char32_t right) {
    return static_cast<std::uint64_t>(left) << 32U | right;
}

TokenId idIn(const Vocabulary& vocabulary, std::string_view token) {
    const auto found = vocabulary.find(token);
    return found == vocabulary.end() ? -1 : found->second;
}

TokenId requiredIdIn(const Vocabulary& vocabulary, std::string_view token, const char* what) {
    const TokenId id = idIn(vocabulary, token);
    if (id < 0)
        throw Error({.what = std::string(what) + " is not in the vocabulary", .found = std::string(token)});
    return id;
}

}  // namespace

MergeTable::MergeTable(std::size_t count) : m_slots(std::bit_ceil(2 * count + 2), Slot{.key = noKey}) {}

std::size_t MergeTable::slotOf(std::uint64_t key) const {
    std::uint64_t hash = key * 0x9E3779B97F4A7C15U;
    hash ^= hash >> 32U;
    std::size_t i = hash & (m_slots.size() - 1);
    while (m_slots[i].key != noKey && m_slots[i].key != key)
        i = (i + 1) & (m_slots.size() - 1);
    return i;
}

void MergeTable::set(TokenId left, TokenId right, Merge merge) {
    const std::uint64_t key = keyOf(left, right);
    m_slots[slotOf(key)] = {key, merge};
}

const MergeTable::Merge* MergeTable::find(TokenId left, TokenId right) const {
    const auto& slot = m_slots[slotOf(keyOf(left, right))];
    return slot.key == noKey ? nullptr : &slot.merge;
}

// The state of one call.
class Bpe::Run : public Model::Encoder {
  public:
    explicit Run(const Bpe& bpe) : m_bpe(bpe) {}

    void append(std::string_view piece, std::vector<TokenId>& ids, std::size_t most) override;

  private:
    struct Symbol {
        TokenId id = 0;
        std::int32_t previous = -1;
        std::int32_t next = -1;  // -1: the last
        bool gone = false;       // merged into the one before it
    };
    struct Candidate {
        std::uint32_t rank = 0;
        std::int32_t at = 0;  // the left symbol
        TokenId merged = 0;

        // The heap's top is the lowest rank, then the leftmost.
        bool operator<(const Candidate& other) const {
            return rank != other.rank ? rank > other.rank : at > other.at;
        }
    };

    void appendWord(std::string_view word, std::vector<TokenId>& ids);
    void readSymbols(std::string_view word);
    void addSymbol(TokenId id);
    void consider(std::int32_t left);
    void merge();

    const Bpe& m_bpe;
    WordCache m_cache;
    std::vector<Symbol> m_symbols;
    std::vector<Candidate> m_heap;
};

void Bpe::Run::append(std::string_view piece, std::vector<TokenId>& ids, std::size_t most) {
    if (m_bpe.m_parts.ignoreMerges)
        if (const TokenId id = idIn(m_bpe.m_parts.vocabulary, piece); id >= 0)
            return ids.push_back(id);
    if (piece.size() <= longPiece || !m_bpe.m_separable)
        return appendWord(piece, ids);
    std::size_t from = 0;
    auto [left, size] = m_bpe.nextAtom(piece, 0);
    for (std::size_t at = size; at < piece.size() && ids.size() < most; at += size) {
        const auto [right, rightSize] = m_bpe.nextAtom(piece, at);
        if (m_bpe.separable(left, right)) {
            appendWord(piece.substr(from, at - from), ids);
            from = at;
        }
        left = right;
        size = rightSize;
    }
    if (ids.size() < most)
        appendWord(piece.substr(from), ids);
}

void Bpe::Run::appendWord(std::string_view word, std::vector<TokenId>& ids) {
    if (const auto known = m_cache.find(word)) {
        ids.insert(ids.end(), known->begin(), known->end());
        return;
    }
    readSymbols(word);
    merge();
    const std::size_t before = ids.size();
    for (const auto& symbol : m_symbols)
        if (!symbol.gone)
            ids.push_back(symbol.id);
    m_cache.add(word, std::span(ids).subspan(before));
}

void Bpe::Run::addSymbol(TokenId id) {
    const auto count = static_cast<std::int32_t>(m_symbols.size());
    if (count > 0)
        m_symbols.back().next = count;
    m_symbols.push_back({.id = id, .previous = count - 1});
}

void Bpe::Run::readSymbols(std::string_view word) {
    const auto& parts = m_bpe.m_parts;
    if (word.size() >= static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw Error({.what = "text without a place to split it is too long for the tokenizer",
                     .expected = "less than 2 GiB",
                     .found = std::to_string(word.size()) + " bytes"});
    m_symbols.clear();
    int unknowns = 0;  // seen but not added yet
    const auto addUnknowns = [&] {
        for (; unknowns > 0; --unknowns)
            addSymbol(m_bpe.m_unknown);
    };
    const auto add = [&](const AtomIds& atom) {
        if (atom.id != AtomIds::none) {
            addUnknowns();
            addSymbol(atom.id);
        } else if (!atom.fallback.empty()) {
            for (const TokenId id : atom.fallback)
                addSymbol(id);
        } else if (m_bpe.m_unknown != AtomIds::none) {
            if (!parts.fuseUnknown)
                addUnknowns();
            unknowns = 1;
        }
    };

    if (parts.atoms == BpeParts::Atoms::Bytes) {
        for (const char c : word)
            add(m_bpe.m_byteAtoms[static_cast<unsigned char>(c)]);
    } else if (parts.continuingPrefix.empty() && parts.endSuffix.empty()) {
        for (std::size_t at = 0; at < word.size();) {
            const std::size_t size = unicode::decode(word, at).size;
            add(m_bpe.atomOf(word.substr(at, size)));
            at += size;
        }
    } else {
        for (std::size_t at = 0; at < word.size();) {
            const std::size_t size = unicode::decode(word, at).size;
            std::string text = at > 0 ? parts.continuingPrefix : std::string();
            text += word.substr(at, size);
            at += size;
            if (at == word.size())
                text += parts.endSuffix;
            add(m_bpe.atomOf(text));
        }
    }
    addUnknowns();
}

void Bpe::Run::consider(std::int32_t left) {
    if (left < 0 || m_symbols[static_cast<std::size_t>(left)].next < 0)
        return;
    const auto& symbol = m_symbols[static_cast<std::size_t>(left)];
    if (const auto* merge =
            m_bpe.m_merges.find(symbol.id, m_symbols[static_cast<std::size_t>(symbol.next)].id)) {
        m_heap.push_back({.rank = merge->rank, .at = left, .merged = merge->merged});
        std::push_heap(m_heap.begin(), m_heap.end());
    }
}

void Bpe::Run::merge() {
    m_heap.clear();
    for (std::size_t i = 0; i < m_symbols.size(); ++i)
        consider(static_cast<std::int32_t>(i));
    while (!m_heap.empty()) {
        std::pop_heap(m_heap.begin(), m_heap.end());
        const Candidate best = m_heap.back();
        m_heap.pop_back();
        auto& left = m_symbols[static_cast<std::size_t>(best.at)];
        if (left.gone || left.next < 0)
            continue;
        auto& right = m_symbols[static_cast<std::size_t>(left.next)];
        const auto* still = m_bpe.m_merges.find(left.id, right.id);
        if (!still || still->merged != best.merged)  // one of the two has been merged since
            continue;
        left.id = best.merged;
        left.next = right.next;
        right.gone = true;
        if (right.next >= 0)
            m_symbols[static_cast<std::size_t>(right.next)].previous = best.at;
        consider(left.previous);
        consider(best.at);
    }
}

Bpe::Bpe(BpeParts parts) : m_merges(parts.merges.size()) {
    if (parts.unknown)
        m_unknown = requiredIdIn(parts.vocabulary, *parts.unknown, "unknown token");
    for (unsigned byte = 0; byte < m_fallback.size(); ++byte)
        m_fallback[byte] = idIn(parts.vocabulary, fallbackToken(static_cast<unsigned char>(byte)));
    m_parts = std::move(parts);
    addMerges(m_parts);

    if (m_parts.atoms == BpeParts::Atoms::Bytes) {
        for (unsigned byte = 0; byte < 256; ++byte) {
            std::string character;
            unicode::append(character, byteCharacter(static_cast<unsigned char>(byte)));
            m_byteAtoms.push_back(atomOf(character));
        }
    }
    findCrossings(m_parts);
    if (m_parts.atoms == BpeParts::Atoms::Bytes) {
        Vocabulary asBytes;
        asBytes.reserve(m_parts.vocabulary.size());
        for (const auto& [token, id] : m_parts.vocabulary)
            if (auto bytes = bytesOfCharacters(token))  // else no piece can be it
                asBytes.emplace(std::move(*bytes), id);
        m_parts.vocabulary = std::move(asBytes);
    }
    m_parts.merges = {};
}

void Bpe::addMerges(const BpeParts& parts) {
    std::uint32_t rank = 0;
    for (const auto& [left, right] : parts.merges) {
        if (right.size() < parts.continuingPrefix.size())
            throw Error(
                {.what = "merge lacks the prefix of continuing subwords", .found = left + " " + right});
        const std::string merged = left + right.substr(parts.continuingPrefix.size());
        constexpr const char* what = "token of a merge";
        m_merges.set(requiredIdIn(parts.vocabulary, left, what), requiredIdIn(parts.vocabulary, right, what),
                     {.rank = rank++, .merged = requiredIdIn(parts.vocabulary, merged, what)});
    }
}

Bpe::AtomIds Bpe::atomOf(std::string_view text) const {
    AtomIds atom{.id = idIn(m_parts.vocabulary, text)};
    if (atom.id != AtomIds::none || !m_parts.byteFallback)
        return atom;
    for (const char c : text) {
        const TokenId id = m_fallback[static_cast<unsigned char>(c)];
        if (id == AtomIds::none)
            return {};
        atom.fallback.push_back(id);
    }
    return atom;
}

// Merges are looked at as strings here, which is right as long as a token's string is the text that it stands
// for: not for affixes, nor for fallback bytes and the unknown token; nor when two strings share an id.
void Bpe::findCrossings(const BpeParts& parts) {
    std::unordered_set<TokenId> ids;
    for (const auto& [token, id] : parts.vocabulary)
        ids.insert(id);
    m_separable =
        parts.continuingPrefix.empty() && parts.endSuffix.empty() && ids.size() == parts.vocabulary.size();

    std::unordered_set<std::string_view> notText;
    if (parts.unknown)
        notText.insert(*parts.unknown);
    std::vector<std::string> fallbacks;
    for (unsigned byte = 0; byte < 256; ++byte)
        fallbacks.push_back(fallbackToken(static_cast<unsigned char>(byte)));
    notText.insert(fallbacks.begin(), fallbacks.end());

    for (const auto& [left, right] : parts.merges) {
        if (!m_separable || left.empty() || right.empty() || notText.contains(left) ||
            notText.contains(right)) {
            m_separable = false;
            return;
        }
        if (parts.atoms == BpeParts::Atoms::Characters) {
            m_crossings.insert(
                crossing(unicode::decodeBefore(left, left.size()).point, unicode::decode(right, 0).point));
            continue;
        }
        const auto leftBytes = bytesOfCharacters(left);
        const auto rightBytes = bytesOfCharacters(right);
        if (leftBytes && rightBytes)
            m_crossings.insert(crossing(static_cast<unsigned char>(leftBytes->back()),
                                        static_cast<unsigned char>(rightBytes->front())));
    }
}

std::pair<char32_t, std::size_t> Bpe::nextAtom(std::string_view text, std::size_t at) const {
    if (m_parts.atoms == BpeParts::Atoms::Bytes)
        return {static_cast<unsigned char>(text[at]), 1};
    const auto [point, size] = unicode::decode(text, at);
    return {point, size};
}

bool Bpe::inVocabulary(char32_t atom) const {
    if (m_parts.atoms == BpeParts::Atoms::Bytes)
        return m_byteAtoms[atom].id != AtomIds::none;
    std::string text;
    unicode::append(text, atom);
    return m_parts.vocabulary.contains(text);
}

bool Bpe::separable(char32_t left, char32_t right) const {
    if (m_crossings.contains(crossing(left, right)))
        return false;
    // Unknown atoms that are dropped let their neighbours meet; unknown tokens are fused with one another
    // only.
    const bool knowsLeft = inVocabulary(left);
    const bool knowsRight = inVocabulary(right);
    return m_unknown == AtomIds::none ? knowsLeft && knowsRight : knowsLeft || knowsRight;
}

bool Bpe::separatesAtSpace() const {
    if (!m_separable || m_parts.ignoreMerges)
        return false;
    constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    const bool bytes = m_parts.atoms == BpeParts::Atoms::Bytes;
    return std::ranges::all_of(letters, [&](char letter) {
        const auto left = static_cast<char32_t>(letter);
        return separable(left, U' ') &&
               separable(left, bytes ? char32_t{0xE2} : U'\u2581');  // its first byte
    });
}

std::unique_ptr<Model::Encoder> Bpe::encoder() const {
    return std::make_unique<Run>(*this);
}

std::string Bpe::description() const {
    return m_parts.atoms == BpeParts::Atoms::Bytes ? "byte-level BPE"
           : m_parts.byteFallback                  ? "SentencePiece BPE with byte fallback"
                                                   : "BPE";
}

}  // namespace straightedge::text
