// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>

namespace straightedge::study {

// What the set-up script lays in the user's data folder to measure at once.
struct Sample {
    std::filesystem::path model;         // SmolLM2-135M-Instruct.Q4_1.gguf
    std::filesystem::path corpus;        // shakespeare.txt
    std::filesystem::path secondCorpus;  // milton.txt
};

// $XDG_DATA_HOME/straightedge/sample, or where STRAIGHTEDGE_SAMPLE points.
std::filesystem::path sampleFolder();
// Empty when the set-up could not fetch it.
std::optional<Sample> findSample();

}  // namespace straightedge::study
