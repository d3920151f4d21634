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
};
