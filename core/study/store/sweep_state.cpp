// SPDX-License-Identifier: GPL-3.0-or-later
#include "sweep_state.h"

#include <QFile>
#include <bit>
#include <cstring>
#include <nlohmann/json.hpp>
#include <span>

#include "checkpoint/mapped_file.h"
#include "error.h"
#include "run_files.h"
#include "study/export/export.h"

namespace straightedge::study {

namespace {

constexpr std::int64_t alignment = 1 << 16;  // of rows in a file: whole pages, however large

// A quick 64-bit sum over words: it finds torn and damaged files, not forged ones.
std::uint64_t checksum(const at::Tensor& rows, std::uint64_t sum) {
    const auto* data = static_cast<const std::byte*>(rows.const_data_ptr());
    const auto add = [&](std::uint64_t word) { sum = std::rotl((sum ^ word) * 0x9E3779B97F4A7C15ULL, 29); };
    std::size_t at = 0;
    for (; at + 8 <= rows.nbytes(); at += 8) {
        std::uint64_t word;
        std::memcpy(&word, data + at, 8);
        add(word);
    }
    for (; at < rows.nbytes(); ++at)
        add(static_cast<std::uint64_t>(data[at]));
    return sum;
}

// The rows of a state, each with its place among them: "capture", "evaluation", "tail".
std::vector<std::pair<nlohmann::json, at::Tensor>> named(const SweepState& state) {
    std::vector<std::pair<nlohmann::json, at::Tensor>> all;
    const auto add = [&](const char* group, std::size_t index, const at::Tensor& rows) {
        if (rows.defined())
            all.emplace_back(nlohmann::json{{"group", group}, {"index", index}}, rows);
    };
    add("capture", 0, state.capture);
    for (std::size_t i = 0; i < state.evaluation.size(); ++i)
        add("evaluation", i, state.evaluation[i]);
    for (std::size_t i = 0; i < state.tail.size(); ++i)
        add("tail", i, state.tail[i]);
    return all;
}

}  // namespace

SweepStateFiles::SweepStateFiles(const std::filesystem::path& folder) : m_folder(folder) {}

SweepStateFiles::~SweepStateFiles() {
    if (m_writing.valid())
        m_writing.wait();
}

void SweepStateFiles::finishWriting() {
    if (m_writing.valid())
        m_writing.get();
}

RowsFile& SweepStateFiles::opened(int file) {
    auto& open = m_files.at(static_cast<std::size_t>(file));
    if (!open)
        open = RowsFile::open(rowsFile(m_folder, file));
    return *open;
}

at::Tensor SweepStateFiles::rows(std::int64_t n, std::int64_t d) {
    if (m_trouble.empty() && n * d > 0)
        try {
            const std::int64_t bytes = n * d * static_cast<std::int64_t>(sizeof(float));
            const std::int64_t end = (m_used + bytes + alignment - 1) / alignment * alignment;
            opened(m_next).reserve(end);
            const at::Tensor made = opened(m_next).map(m_used, n, d);
            m_places[made.const_data_ptr()] = m_used;
            m_used = end;
            return made;
        } catch (const Error& error) {
            m_trouble = error.what();
        }
    return at::empty({n, d}, at::kFloat);
}

void SweepStateFiles::settle(const at::Tensor& rows) {
    if (m_places.contains(rows.const_data_ptr()))
        RowsFile::forget(rows);
}

void SweepStateFiles::save(const SweepState& state, const std::string& fingerprint) {
    finishWriting();
    if (!m_trouble.empty())
        throw Error({.what = "the state of the run cannot be kept", .found = m_trouble});
    nlohmann::json note = {{"file", m_next},
                           {"next_block", state.nextBlock},
                           {"fingerprint", fingerprint},
                           {"evaluation", state.evaluation.size()},
                           {"tail", state.tail.size()},
                           {"rows", nlohmann::json::array()}};
    std::vector<at::Tensor> kept;  // their mappings, until they are written
    for (auto& [entry, rows] : named(state)) {
        entry["offset"] = m_places.at(rows.const_data_ptr());
        entry["n"] = rows.size(0);
        entry["d"] = rows.size(1);
        note["rows"].push_back(entry);
        kept.push_back(rows);
    }
    const std::shared_ptr<RowsFile> file = m_files[static_cast<std::size_t>(m_next)];
    m_writing = std::async(std::launch::async, [this, file, note, kept]() mutable {
        std::uint64_t sum = 0;
        for (const at::Tensor& rows : kept) {
            sum = checksum(rows, sum);
            RowsFile::forget(rows);
        }
        note["checksum"] = sum;
        if (file)
            file->sync();
        writeFile(stateFile(m_folder), note.dump());
    });
    m_next = (m_next + 1) % static_cast<int>(m_files.size());
    m_used = 0;
    m_places.clear();
}

std::optional<SweepState> SweepStateFiles::load(const std::string& fingerprint) {
    QFile file(QFile::decodeName(stateFile(m_folder).c_str()));
    if (!file.open(QIODevice::ReadOnly))
        return std::nullopt;
    try {
        const auto note = nlohmann::json::parse(file.readAll().toStdString());
        if (note.at("fingerprint") != fingerprint)
            return std::nullopt;
        const int from = note.at("file");
        SweepState state{.nextBlock = note.at("next_block"), .capture = {}, .evaluation = {}, .tail = {}};
        const auto& entries = note.at("rows");
        const std::size_t evaluation = note.at("evaluation"), tail = note.at("tail");
        const auto most = std::filesystem::file_size(rowsFile(m_folder, from));
        if (from < 0 || from > 2 || evaluation > most || tail > most)
            return std::nullopt;
        state.evaluation.resize(evaluation);
        state.tail.resize(tail);
        std::uint64_t sum = 0;
        for (const auto& entry : entries) {
            const std::int64_t n = entry.at("n"), d = entry.at("d"), offset = entry.at("offset");
            const auto size = static_cast<std::int64_t>(most);
            if (n < 1 || d < 1 || offset < 0 || offset > size || n > size / d / 4 ||
                n * d * 4 > size - offset)
                return std::nullopt;
            const at::Tensor rows = opened(from).map(offset, n, d);
            sum = checksum(rows, sum);
            const std::string group = entry.at("group");
            const std::size_t index = entry.at("index");
            (group == "capture"      ? state.capture
             : group == "evaluation" ? state.evaluation.at(index)
                                     : state.tail.at(index)) = rows;
        }
        if (note.at("checksum") != sum)
            return std::nullopt;
        m_next = (from + 1) % static_cast<int>(m_files.size());
        return state;
    } catch (const std::exception&) {
        return std::nullopt;  // damaged: the run starts over
    }
}

void SweepStateFiles::remove() {
    if (m_writing.valid())
        m_writing.wait();
    std::error_code ignored;  // a file that is left over is found and removed with its run
    std::filesystem::remove(stateFile(m_folder), ignored);
    for (int file = 0; file < static_cast<int>(m_files.size()); ++file)
        std::filesystem::remove(rowsFile(m_folder, file), ignored);
}

}  // namespace straightedge::study
