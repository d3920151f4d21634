// SPDX-License-Identifier: GPL-3.0-or-later
#include "word_piece.h"

#include <algorithm>

#include "error.h"
#include "word_cache.h"

namespace straightedge::text {

namespace {

// The tokens that begin with the prefix, without it.
ByteTrie trieOf(const Vocabulary& vocabulary, std::string_view prefix) {
    std::vector<ByteTrie::Entry> entries;
    for (const auto& [token, id] : vocabulary)
        if (token.starts_with(prefix))
            entries.emplace_back(std::string_view(token).substr(prefix.size()), id);
    return ByteTrie(std::move(entries));
}

std::uint64_t charactersOf(std::string_view text) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

}  // namespace

// The state of one call.
class WordPiece::Run : public Model::Encoder {
  public:
    explicit Run(const WordPiece& model) : m_model(model) {}

    void append(std::string_view piece, std::vector<TokenId>& ids, std::size_t) override {
        if (const auto known = m_cache.find(piece)) {
            ids.insert(ids.end(), known->begin(), known->end());
            return;
        }
        const std::size_t before = ids.size();
        if (charactersOf(piece) > m_model.m_longestWord || !appendPieces(piece, ids)) {
            ids.resize(before);
            ids.push_back(m_model.m_unknown);
        }
        m_cache.add(piece, std::span(ids).subspan(before));
    }

  private:
    bool appendPieces(std::string_view word, std::vector<TokenId>& ids) const {
        for (std::size_t start = 0; start < word.size();) {
            std::size_t longest = 0;
            TokenId token = 0;
            (start == 0 ? m_model.m_begins : m_model.m_continues)
                .prefixes(word.substr(start), [&](std::size_t length, TokenId id) {
                    longest = length;
                    token = id;
                });
            if (longest == 0)
                return false;
            ids.push_back(token);
            start += longest;
        }
        return true;
    }

    const WordPiece& m_model;
    WordCache m_cache;
};

WordPiece::WordPiece(const WordPieceParts& parts)
    : m_begins(trieOf(parts.vocabulary, "")),
      m_continues(trieOf(parts.vocabulary, parts.continuingPrefix)),
      m_longestWord(parts.longestWord) {
    const auto unknown = parts.vocabulary.find(parts.unknown);
    if (unknown == parts.vocabulary.end())
        throw Error({.what = "unknown token is not in the vocabulary", .found = parts.unknown});
    m_unknown = unknown->second;
}

std::unique_ptr<Model::Encoder> WordPiece::encoder() const {
    return std::make_unique<Run>(*this);
}

}  // namespace straightedge::text
