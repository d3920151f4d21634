// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "json_part.h"
#include "tokenizer.h"

namespace straightedge::text {

// What post-processing comes to for one text without a pair: ids put before and after its own.
struct PostProcessor {
    std::vector<TokenId> before = {};
    std::vector<TokenId> after = {};
};

// Throws Error for a type that is not known, by its name.
PostProcessor makePostProcessor(const JsonPart& part);

}  // namespace straightedge::text
