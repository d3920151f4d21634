// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "model.h"

namespace straightedge::text {

struct BpeParts {
    // What a piece is made of to begin with.
    enum class Atoms {
        Characters,
        Bytes,  // the vocabulary is written in GPT-2's characters, the pieces are the bytes themselves
    };

    Vocabulary vocabulary = {};
    std::vector<std::pair<std::string, std::string>> merges =
        {};  // the first wins over the second, and so on
    std::optional<std::string> unknown = {};
    std::string continuingPrefix = {};
    std::string endSuffix = {};
    bool fuseUnknown = false;
    bool byteFallback = false;
    bool ignoreMerges = false;  // a piece that is in the vocabulary is its token, whatever the merges say
    Atoms atoms = Atoms::Characters;
};

// From (left, right) to (rank, merged): open addressing, since every merge of every new word asks it.
class MergeTable {
  public:
    struct Merge {
        std::uint32_t rank = 0;
        TokenId merged = 0;
    };

    explicit MergeTable(std::size_t count);
    void set(TokenId left, TokenId right, Merge merge);  // a later one replaces
    const Merge* find(TokenId left, TokenId right) const;

  private:
    struct Slot {
        std::uint64_t key = 0;
        Merge merge = {};
    };
    std::size_t slotOf(std::uint64_t key) const;

    std::vector<Slot> m_slots;  // a power of two, at most half full
};

// Byte-pair encoding. With `tokenizers` as the model of every detail: unknown characters are dropped where
// there is no token for them, fallback bytes overtake an unknown token that is still to be fused.
class Bpe : public Model {
  public:
    // Throws Error for a merge or unknown token that is not in the vocabulary.
    explicit Bpe(BpeParts parts);

    std::unique_ptr<Encoder> encoder() const override;
    bool separatesAtSpace() const override;
    std::string description() const override;

  private:
    class Run;

    struct AtomIds {
        static constexpr TokenId none = -1;
        TokenId id = none;
        std::vector<TokenId> fallback = {};  // where there is no id: one token a byte, all or nothing
    };

    AtomIds atomOf(std::string_view text) const;  // with affixes, as it stands in the vocabulary
    void addMerges(const BpeParts& parts);
    void findCrossings(const BpeParts& parts);
    // Whether no merge ever spans the border between two atoms, nor a fused unknown token.
    bool separable(char32_t left, char32_t right) const;
    bool inVocabulary(char32_t atom) const;
    std::pair<char32_t, std::size_t> nextAtom(std::string_view text, std::size_t at) const;

    BpeParts m_parts;  // without the merges; the vocabulary's keys are bytes where the atoms are
    TokenId m_unknown = AtomIds::none;
    std::array<TokenId, 256> m_fallback{};  // "<0x41>"
    std::vector<AtomIds> m_byteAtoms;       // Atoms::Bytes: by byte
    MergeTable m_merges;
    bool m_separable = false;
    std::unordered_set<std::uint64_t>
        m_crossings;  // (last atom of a left side, first of a right side) of merges
};

}  // namespace straightedge::text
