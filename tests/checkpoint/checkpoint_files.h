// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "checkpoint/checkpoint.h"
#include "error.h"

// Checkpoints written byte by byte, sound and damaged, for the tests of this folder.
namespace straightedge::checkpoint {

inline void writeFile(const std::filesystem::path& path, const std::string& bytes) {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

template <typename T>
std::string bytesOf(T number) {
    std::string bytes(sizeof number, '\0');
    std::memcpy(bytes.data(), &number, sizeof number);
    return bytes;
}

inline std::string floats(const std::vector<float>& values) {
    std::string bytes;
    for (const float value : values)
        bytes += bytesOf(value);
    return bytes;
}

inline std::string safetensors(const std::string& header, const std::string& data) {
    return bytesOf<std::uint64_t>(header.size()) + header + data;
}

inline std::vector<float> valuesOf(const TensorView& tensor) {
    std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
    toFloat32(tensor, 0, tensor.rows(), values);
    return values;
}

inline std::vector<float> valuesOf(const Checkpoint& checkpoint, const char* name) {
    const TensorView* tensor = checkpoint.find(name);
    return tensor != nullptr ? valuesOf(*tensor) : std::vector<float>{};
}

// The message of the Error that opening throws; empty when it opens. Whatever else is thrown fails the test.
inline std::string errorOf(const std::filesystem::path& path) {
    try {
        Checkpoint::open(path);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

struct Outcomes {
    int opened = 0;
    int refused = 0;
};

// Opens `path` with `flips` random variants of `sound` in it, one to three bits changed in each, and reads
// all the tensors of those that open. The file must be `file`, which is where the variants are written.
inline Outcomes openWithBitFlips(const std::filesystem::path& path, const std::filesystem::path& file,
                                 const std::string& sound, int flips) {
    std::mt19937 random(7);
    Outcomes outcomes;
    for (int i = 0; i < flips; ++i) {
        std::string damaged = sound;
        for (unsigned changes = random() % 3 + 1; changes > 0; --changes) {
            char& byte = damaged[random() % damaged.size()];
            byte = static_cast<char>(byte ^ (1 << random() % 8));
        }
        writeFile(file, damaged);
        try {
            const auto checkpoint = Checkpoint::open(path);
            ++outcomes.opened;
            for (const TensorView& tensor : checkpoint->tensors())
                valuesOf(tensor);
        } catch (const Error&) {
            ++outcomes.refused;
        }
    }
    return outcomes;
}

}  // namespace straightedge::checkpoint
