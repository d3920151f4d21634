// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace straightedge::study {

// What is known of a checkpoint from its headers alone.
struct ModelSummary {
    std::string name;
    std::filesystem::path location;
    std::string format;      // "Hugging Face, BF16" or "GGUF, Q4_1"
    std::string family;      // "llama"
    std::string activation;  // "silu-gated"
    std::string site;
    int blocks = 0;
    std::int64_t width = 0;
    std::int64_t ffnWidth = 0;
    std::int64_t heads = 0;
    std::int64_t kvHeads = 0;
    std::int64_t vocabulary = 0;
    std::int64_t maxPositions = 0;
    std::int64_t ffnParameters = 0;  // of one block
    std::int64_t parameters = 0;     // of the whole model
    std::uint64_t bytes = 0;         // of the weight files
    std::string tokenizer;           // its description, or why it cannot be used
    std::vector<std::string> notes;  // "rope scaling dynamic is ignored", ...
    std::string problem;             // not empty: why it cannot be measured

    struct Tensor {
        std::string name, dtype, shape;
    };
    std::vector<Tensor> tensors;

    bool supported() const { return problem.empty(); }
};

// Reads headers, config and tokenizer. Throws Error only when there is nothing to say at all (no such file);
// what is wrong with a readable one stands in `problem`.
ModelSummary inspect(const std::filesystem::path& path);
// The same without the tokenizer, which takes the most time.
ModelSummary inspectWeights(const std::filesystem::path& path);

}  // namespace straightedge::study
