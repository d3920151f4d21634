// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

// The tiny checkpoints that make_tiny.py has made, and what Hugging Face and the reference measurement say of them.
struct TinyCheckpoint {
    const char* name;      // what is opened, in tests/data/tiny
    const char* expected;  // the JSON beside it

    std::filesystem::path path() const { return std::filesystem::path(TEST_DATA) / "tiny" / name; }

    nlohmann::json values() const
    {
        QFile file(QStringLiteral(TEST_DATA "/tiny/") + QLatin1String(expected));
        if (!file.open(QIODevice::ReadOnly))
            throw std::runtime_error(std::string("cannot read ") + expected);
        return nlohmann::json::parse(file.readAll().toStdString());
    }
};

inline const std::vector<TinyCheckpoint> tinyCheckpoints = {
    {"gpt2", "gpt2/expected.json"},
    {"gpt_neox", "gpt_neox/expected.json"},
    {"gpt_neox_sequential", "gpt_neox_sequential/expected.json"},
    {"llama", "llama/expected.json"},
    {"llama_biased", "llama_biased/expected.json"},
    {"llama_bf16", "llama_bf16/expected.json"},
    {"llama_massive", "llama_massive/expected.json"},
    {"llama3", "llama3/expected.json"},
    {"llama-f32.gguf", "llama/expected.json"},
    {"llama-q8_0.gguf", "llama-q8_0.expected.json"},
    {"mistral", "mistral/expected.json"},
    {"qwen2", "qwen2/expected.json"},
    {"qwen2_window", "qwen2_window/expected.json"},
    {"qwen3", "qwen3/expected.json"},
    {"smollm3", "smollm3/expected.json"},
    {"phi3", "phi3/expected.json"},
    {"phi3_longrope", "phi3_longrope/expected.json"},
    {"phi3_longrope_long", "phi3_longrope_long/expected.json"},
    {"olmo", "olmo/expected.json"},
    {"olmo2", "olmo2/expected.json"},
    {"stablelm", "stablelm/expected.json"},
    {"stablelm_parallel", "stablelm_parallel/expected.json"},
    {"starcoder2", "starcoder2/expected.json"},
    {"phi", "phi/expected.json"},
    {"gemma", "gemma/expected.json"},
    {"gemma2", "gemma2/expected.json"},
    {"gemma3_text", "gemma3_text/expected.json"},
    {"gemma3_text_local", "gemma3_text_local/expected.json"},
    {"gpt_neo", "gpt_neo/expected.json"},
    {"gptj", "gptj/expected.json"},
    {"opt", "opt/expected.json"},
    {"bloom", "bloom/expected.json"},
    {"falcon", "falcon/expected.json"},
    {"falcon_grouped", "falcon_grouped/expected.json"},
    {"bert", "bert/expected.json"},
    {"roberta", "roberta/expected.json"},
    {"distilbert", "distilbert/expected.json"},
    {"mpnet", "mpnet/expected.json"},
    {"qwen2.gguf", "qwen2/expected.json"},
    {"qwen3.gguf", "qwen3/expected.json"},
    {"smollm3.gguf", "smollm3/expected.json"},
    {"phi3.gguf", "phi3/expected.json"},
    {"phi3_longrope.gguf", "phi3_longrope/expected.json"},
    {"phi3_longrope_long.gguf", "phi3_longrope_long/expected.json"},
    {"olmo.gguf", "olmo/expected.json"},
    {"olmo2.gguf", "olmo2/expected.json"},
    {"stablelm.gguf", "stablelm/expected.json"},
    {"stablelm_parallel.gguf", "stablelm_parallel/expected.json"},
    {"starcoder2.gguf", "starcoder2/expected.json"},
    {"phi.gguf", "phi/expected.json"},
    {"gemma.gguf", "gemma/expected.json"},
    {"gemma2.gguf", "gemma2/expected.json"},
    {"gemma3_text.gguf", "gemma3_text/expected.json"},
    {"bloom.gguf", "bloom/expected.json"},
    {"falcon.gguf", "falcon/expected.json"},
    {"falcon_grouped.gguf", "falcon_grouped/expected.json"},
};
