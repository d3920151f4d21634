// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

namespace straightedge::study {

// One family of models that can be measured, for reading.
struct FamilySummary {
    std::string title;      // "GPT-2"
    std::string name;       // config.json's model_type
    std::string gguf;       // GGUF's general.architecture; empty: not known there
    std::string positions;  // "learned", "rotary, window"
    std::string norm;       // "RMSNorm, before"
    std::string site;       // what x and y are
    bool perplexity = true;
};

// In the order of the program's own table.
std::vector<FamilySummary> families();

// The same as the README has it.
std::string familiesAsMarkdown();

}  // namespace straightedge::study
