// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_state.h"

#include <bit>
#include <cstring>

#include "checkpoint/mapped_file.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_writer.h"
#include "error.h"
#include "run_files.h"

namespace straightedge::study {

namespace {

using checkpoint::DType;
using checkpoint::TensorView;

constexpr std::string_view stampName = "stamp";

std::span<const std::byte> bytesOf(const at::Tensor& tensor) {
    return {static_cast<const std::byte*>(tensor.const_data_ptr()), tensor.nbytes()};
}

// A quick 64-bit sum over words: it finds torn and damaged files, not forged ones.
std::uint64_t checksum(std::span<const std::byte> bytes, std::uint64_t sum) {
    std::size_t at = 0;
    for (; at + 8 <= bytes.size(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, bytes.data() + at, 8);
        sum = std::rotl((sum ^ word) * 0x9E3779B97F4A7C15ULL, 29);
    }
    for (; at < bytes.size(); ++at)
        sum = std::rotl((sum ^ static_cast<std::uint64_t>(bytes[at])) * 0x9E3779B97F4A7C15ULL, 29);
    return sum;
}

}  // namespace

SweepStateFile::SweepStateFile(const std::filesystem::path& folder) : m_path(stateFile(folder)) {}

void SweepStateFile::save(const SweepState& state, const std::string& fingerprint) const {
    std::vector<TensorView> views;
    std::uint64_t sum = 0;
    const auto add = [&](const std::string& name, const at::Tensor& tensor) {
        if (!tensor.defined())
            return;
        views.push_back({name, DType::F32, tensor.sizes().vec(), bytesOf(tensor), {}});
        sum = checksum(views.back().data, sum);
    };
    add("capture", state.capture);
    for (std::size_t i = 0; i < state.evaluation.size(); ++i)
        add("evaluation." + std::to_string(i), state.evaluation[i]);
    for (std::size_t i = 0; i < state.tail.size(); ++i)
        add("tail." + std::to_string(i), state.tail[i]);
    const std::string stamp =
        std::to_string(state.nextBlock) + ' ' + std::to_string(state.evaluation.size()) + ' ' +
        std::to_string(state.tail.size()) + ' ' + std::to_string(sum) + ' ' + fingerprint;
    views.push_back({std::string(stampName),
                     DType::U8,
                     {static_cast<std::int64_t>(stamp.size())},
                     std::as_bytes(std::span(stamp)),
                     {}});
    writeSafetensors(m_path, views);
}

std::optional<SweepState> SweepStateFile::load(const std::string& fingerprint) const {
    if (!std::filesystem::exists(m_path))
        return std::nullopt;
    try {
        const checkpoint::MappedFile file(m_path);
        const auto header = checkpoint::readSafetensors(file);
        SweepState state;
        std::uint64_t sum = 0, expected = 0;
        std::size_t evaluation = 0, tail = 0;
        for (const TensorView& view : header.tensors)
            if (view.name == stampName) {
                std::istringstream stamp(
                    std::string(reinterpret_cast<const char*>(view.data.data()), view.data.size()));
                std::string owner;
                if (!(stamp >> state.nextBlock >> evaluation >> tail >> expected) ||
                    !std::getline(stamp >> std::ws, owner) || owner != fingerprint ||
                    evaluation + tail > 2 * header.tensors.size() + 1'000'000)
                    return std::nullopt;
            }
        state.evaluation.resize(evaluation);
        state.tail.resize(tail);
        for (const TensorView& view : header.tensors) {
            if (view.name == stampName)
                continue;
            sum = checksum(view.data, sum);
            at::Tensor tensor = at::empty(view.shape, at::kFloat);
            std::memcpy(tensor.mutable_data_ptr(), view.data.data(), view.data.size());
            const auto dot = view.name.find('.');
            const std::string group = view.name.substr(0, dot);
            if (group == "capture")
                state.capture = tensor;
            else
                (group == "tail" ? state.tail : state.evaluation).at(std::stoul(view.name.substr(dot + 1))) =
                    tensor;
        }
        return sum == expected ? std::optional(std::move(state)) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;  // damaged: the run starts over
    }
}

void SweepStateFile::remove() const {
    std::error_code ignored;  // a file that is left over is found and removed with its run
    std::filesystem::remove(m_path, ignored);
}

}  // namespace straightedge::study
