// SPDX-License-Identifier: GPL-3.0-or-later
#include "unigram.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <ranges>

#include "byte_characters.h"
#include "error.h"
#include "unicode.h"
#include "word_cache.h"

namespace straightedge::text {

namespace {

ByteTrie trieOf(const UnigramParts& parts) {
    std::vector<ByteTrie::Entry> entries;
    entries.reserve(parts.pieces.size());
    for (const auto& [piece, score] : parts.pieces)
        entries.emplace_back(piece, static_cast<TokenId>(entries.size()));
    return ByteTrie(std::move(entries));
}

}  // namespace

// The state of one call.
class Unigram::Run : public Model::Encoder {
  public:
    explicit Run(const Unigram& unigram) : m_unigram(unigram) {}

    void append(std::string_view piece, std::vector<TokenId>& ids, std::size_t) override {
        if (const auto known = m_cache.find(piece)) {
            ids.insert(ids.end(), known->begin(), known->end());
            return;
        }
        const std::size_t before = ids.size();
        findBest(piece);
        walkBack(piece.size());
        appendPieces(piece, ids);
        m_cache.add(piece, std::span(ids).subspan(before));
    }

  private:
    // The best way to the place that it stands at.
    struct Node {
        static constexpr std::size_t nowhere = std::numeric_limits<std::size_t>::max();
        double score = 0;
        std::size_t start = nowhere;  // of the last piece
        TokenId id = 0;
    };
    struct Piece {
        std::size_t start = 0;
        std::size_t end = 0;
        TokenId id = 0;
    };

    void findBest(std::string_view text);
    void walkBack(std::size_t end);
    void appendPieces(std::string_view text, std::vector<TokenId>& ids) const;
    void appendUnknown(std::string_view text, std::vector<TokenId>& ids) const;

    const Unigram& m_unigram;
    WordCache m_cache;
    std::vector<Node> m_nodes;    // by place in the text, in bytes
    std::vector<Piece> m_pieces;  // of the best way, the last first
};

void Unigram::Run::findBest(std::string_view text) {
    m_nodes.assign(text.size() + 1, {});
    for (std::size_t start = 0; start < text.size();) {
        const double score = m_nodes[start].score;
        const std::size_t size = unicode::decode(text, start).size;
        bool isPiece = false;  // this character
        const auto offer = [&](std::size_t length, double more, TokenId id) {
            auto& node = m_nodes[start + length];
            if (node.start == Node::nowhere || score + more > node.score)
                node = {score + more, start, id};
        };
        m_unigram.m_trie.prefixes(text.substr(start), [&](std::size_t length, TokenId id) {
            offer(length, m_unigram.m_scores[static_cast<std::size_t>(id)], id);
            isPiece = isPiece || length == size;
        });
        if (!isPiece) {
            if (!m_unigram.m_unknown)
                throw Error({.what = "the text has a character that the tokenizer has no token for, nor an "
                                     "unknown token",
                             .found = std::string(text.substr(start, size))});
            offer(size, m_unigram.m_unknownScore, *m_unigram.m_unknown);
        }
        start += size;
    }
}

// Unknown neighbours become one piece.
void Unigram::Run::walkBack(std::size_t end) {
    m_pieces.clear();
    while (end > 0) {
        const auto& node = m_nodes[end];
        if (!m_pieces.empty() && node.id == m_unigram.m_unknown && m_pieces.back().id == node.id)
            m_pieces.back().start = node.start;
        else
            m_pieces.push_back({node.start, end, node.id});
        end = node.start;
    }
}

void Unigram::Run::appendPieces(std::string_view text, std::vector<TokenId>& ids) const {
    for (const auto& [start, end, id] : std::views::reverse(m_pieces)) {
        if (id == m_unigram.m_unknown)
            appendUnknown(text.substr(start, end - start), ids);
        else
            ids.push_back(id);
    }
}

// All together they may be a token after all, though none that the best way leads over.
void Unigram::Run::appendUnknown(std::string_view text, std::vector<TokenId>& ids) const {
    if (const auto id = m_unigram.m_trie.find(text))
        return ids.push_back(*id);
    const auto byteOf = [this](char c) { return m_unigram.m_bytes[static_cast<unsigned char>(c)]; };
    if (!m_unigram.m_byteFallback ||
        !std::ranges::all_of(text, [&](char c) { return byteOf(c).has_value(); }))
        return ids.push_back(*m_unigram.m_unknown);
    for (const char c : text)
        ids.push_back(*byteOf(c));
}

Unigram::Unigram(UnigramParts parts)
    : m_trie(trieOf(parts)), m_unknown(parts.unknown), m_byteFallback(parts.byteFallback) {
    if (m_unknown && static_cast<std::size_t>(*m_unknown) >= parts.pieces.size())
        throw Error({.what = "unknown token is not in the vocabulary",
                     .expected = "less than " + std::to_string(parts.pieces.size()),
                     .found = std::to_string(*m_unknown)});
    double worst = std::numeric_limits<double>::infinity();
    for (const auto& [piece, score] : parts.pieces) {
        if (!std::isfinite(score))
            throw Error({.what = "score of a token is no finite number", .found = piece});
        m_scores.push_back(score);
        worst = std::min(worst, score);
    }
    m_unknownScore = worst - unknownPenalty;
    for (unsigned byte = 0; byte < m_bytes.size(); ++byte)
        m_bytes[byte] = m_trie.find(fallbackToken(static_cast<unsigned char>(byte)));
}

std::unique_ptr<Model::Encoder> Unigram::encoder() const {
    return std::make_unique<Run>(*this);
}

std::string Unigram::description() const {
    return m_byteFallback ? "SentencePiece unigram with byte fallback" : "SentencePiece unigram";
}

}  // namespace straightedge::text
