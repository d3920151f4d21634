// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tokenizer.h"

namespace straightedge::text {

struct StringHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
};

using Vocabulary = std::unordered_map<std::string, TokenId, StringHash, std::equal_to<>>;

// What turns a piece into ids, once the text is split. Immutable.
class Model {
  public:
    // The state of one call: a cache of words, buffers. Lives no longer than the model.
    class Encoder {
      public:
        virtual ~Encoder() = default;
        // Appends the ids of the piece; may leave off once there are `most` in all.
        virtual void append(std::string_view piece, std::vector<TokenId>& ids, std::size_t most) = 0;
    };

    virtual ~Model() = default;
    virtual std::unique_ptr<Encoder> encoder() const = 0;
    // Whether a piece cut between an ASCII letter and a space, or U+2581, gives the same ids as a whole.
    virtual bool separatesAtSpace() const = 0;
    virtual std::string description() const = 0;
};

}  // namespace straightedge::text
