// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>

#include "byte_trie.h"
#include "model.h"

namespace straightedge::text {

struct WordPieceParts {
    Vocabulary vocabulary = {};
    std::string unknown = "[UNK]";
    std::string continuingPrefix = "##";
    std::uint64_t longestWord = 100;  // characters; a longer one is unknown
};

// BERT's model: from the left the longest token that fits; where none does, the whole word is unknown.
class WordPiece : public Model {
  public:
    // Throws Error for an unknown token that is not in the vocabulary.
    explicit WordPiece(const WordPieceParts& parts);

    std::unique_ptr<Encoder> encoder() const override;
    bool separatesAtSpace() const override { return false; }
    std::string description() const override { return "WordPiece"; }

  private:
    class Run;

    ByteTrie m_begins;     // tokens at the start of a word
    ByteTrie m_continues;  // those behind it, without their prefix
    TokenId m_unknown = 0;
    std::uint64_t m_longestWord = 0;
};

}  // namespace straightedge::text
