// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <memory>
#include <string>

#include "json_part.h"

namespace straightedge::text {

// A stretch of text on its way to being split.
struct Stretch {
    std::string text;
    bool first = false;      // begins with the first character of the whole text
    bool continued = false;  // begins at a cut (Pipeline): nothing may be put before it
};

class Normalizer {
  public:
    virtual ~Normalizer() = default;
    virtual void apply(Stretch& stretch) const = 0;

    // Whether normalizing what is before and after a cut (Pipeline) alone gives the parts of normalizing it
    // whole, with the space at the cut becoming a space or a U+2581.
    virtual bool local() const = 0;
    // What a description says: "NFC"; empty for nothing worth saying.
    virtual std::string description() const = 0;
};

// Throws Error for a type that is not known, by its name.
std::unique_ptr<Normalizer> makeNormalizer(const JsonPart& part);

}  // namespace straightedge::text
