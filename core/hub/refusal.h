// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>

#include "http.h"

namespace straightedge::hub {

// What was asked for, for the message.
struct Asked {
    std::string what;      // "model openai-community/gpt2"
    std::string page;      // where its terms can be read
    std::string revision;  // empty: none
    std::string file = {};
    bool withToken = false;
};

// Throws the Error that an answer of the hub without success means.
[[noreturn]] void refuse(const Answer& answer, const Asked& asked);

}  // namespace straightedge::hub
