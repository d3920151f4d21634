// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "byte_trie.h"
#include "model.h"

namespace straightedge::text {

struct UnigramParts {
    std::vector<std::pair<std::string, double>> pieces = {};  // log probabilities; the place is the id
    std::optional<TokenId> unknown = {};
    bool byteFallback = false;
};

// SentencePiece's unigram model: the split into pieces whose scores have the largest sum (Viterbi). With
// `tokenizers` as the model of every detail: runs of unknown characters become one unknown token, or their
// bytes.
class Unigram : public Model {
  public:
    // Throws Error for an unknown token that is no piece, or a score that is no number.
    explicit Unigram(UnigramParts parts);

    std::unique_ptr<Encoder> encoder() const override;
    // Sums are rounded, so that a better split before a cut may win or lose by what is added after it.
    bool separatesAtSpace() const override { return false; }
    std::string description() const override;

  private:
    class Run;

    // Scores below the worst piece's, for a character that no piece is.
    static constexpr double unknownPenalty = 10;

    ByteTrie m_trie;
    std::vector<double> m_scores;  // by id
    double m_unknownScore = 0;
    std::optional<TokenId> m_unknown;
    bool m_byteFallback = false;
    std::array<std::optional<TokenId>, 256> m_bytes{};  // "<0x41>"
};

}  // namespace straightedge::text
