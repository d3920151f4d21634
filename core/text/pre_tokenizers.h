// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "json_part.h"

namespace straightedge::text {

// A part of the text that is never merged with another; not empty. A view into what its maker holds.
struct Piece {
    std::string_view text;
    bool first = false;  // begins with the first character of the whole text
};

// Takes the pieces in order; false stops the splitting. Pieces live no longer than the call.
using PieceSink = std::function<bool(const Piece&)>;

// What happens where an ASCII letter is followed by a space (or U+2581) and a letter: the question of
// Pipeline's cuts.
enum class AtSpace {
    Unknown,
    Keeps,        // splitting before and after it alone is the same, up to a split at the space itself
    SplitsSpace,  // always splits before a space, keeps a U+2581
    Splits,       // always splits before both
};

class PreTokenizer {
  public:
    virtual ~PreTokenizer() = default;
    // False when the sink stopped it.
    virtual bool split(const Piece& piece, const PieceSink& sink) const = 0;
    virtual AtSpace atSpace() const = 0;
    // "like GPT-2's", to follow "split"; empty for nothing worth saying.
    virtual std::string description() const = 0;
};

// Whether the pieces are bytes written as GPT-2's printable characters, or left for the model to read as
// bytes, which saves the writing where nothing but the model reads them.
enum class ByteCharacters { Written, LeftToModel };

// Throws Error for a type that is not known, by its name.
std::unique_ptr<PreTokenizer> makePreTokenizer(const JsonPart& part, ByteCharacters bytes);
// Whether the last step, and no other, is ByteLevel.
bool endsInByteLevel(const JsonPart& part);

}  // namespace straightedge::text
