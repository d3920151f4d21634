// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpus.h"

#include <QCryptographicHash>
#include <algorithm>
#include <fstream>

#include "error.h"

namespace straightedge::text {

namespace {

// The size of the character at `at`, or 0 and the size of the maximal part of one in `part`.
std::size_t wellFormed(std::string_view bytes, std::size_t at, std::size_t& part) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[at + i]); };
    const unsigned lead = byte(0);
    part = 1;
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4)
        return 0;
    const std::size_t size = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    // The second byte's range excludes overlong forms, surrogates and what is past U+10FFFF.
    const unsigned low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
    const unsigned high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
    for (; part < size; ++part) {
        if (at + part == bytes.size())
            return 0;
        const unsigned next = byte(part);
        if (next < (part == 1 ? low : 0x80U) || next > (part == 1 ? high : 0xBFU))
            return 0;
    }
    return size;
}

std::string readWhole(const std::filesystem::path& path) {
    std::error_code failure;
    const auto status = std::filesystem::status(path, failure);
    if (!std::filesystem::exists(status))
        throw Error({.what = "text file is missing", .where = path.string()});
    if (!std::filesystem::is_regular_file(status))
        throw Error({.what = "not a text file", .where = path.string(), .expected = "a regular file"});
    std::ifstream file(path, std::ios::binary);
    const auto size = std::filesystem::file_size(path, failure);
    std::string bytes;
    if (file && !failure) {
        bytes.resize(size);
        file.read(bytes.data(), static_cast<std::streamsize>(size));
    }
    if (!file || failure)
        throw Error({.what = "text file cannot be read",
                     .where = path.string(),
                     .advice = "check that you may read it, and that nothing is writing to it"});
    if (bytes.empty())
        throw Error(
            {.what = "text file is empty", .where = path.string(), .advice = "give a text to measure on"});
    return bytes;
}

TextIdentity identityOf(const std::filesystem::path& path, std::string_view bytes) {
    QCryptographicHash hash(QCryptographicHash::Sha256);
    hash.addData(QByteArrayView(bytes.data(), static_cast<qsizetype>(bytes.size())));
    return {.path = path, .bytes = bytes.size(), .hash = hash.result().toHex().toStdString()};
}

}  // namespace

std::string decodeUtf8(std::string_view bytes) {
    constexpr std::string_view mark = "\uFEFF";
    constexpr std::string_view replacement = "\uFFFD";
    if (bytes.starts_with(mark))
        bytes.remove_prefix(mark.size());
    std::string text;
    text.reserve(bytes.size());
    std::size_t copied = 0;
    for (std::size_t at = 0; at < bytes.size();) {
        std::size_t part = 0;
        if (const std::size_t size = wellFormed(bytes, at, part); size > 0) {
            at += size;
            continue;
        }
        text.append(bytes, copied, at - copied).append(replacement);
        at += part;
        copied = at;
    }
    return text.append(bytes, copied);
}

std::pair<std::string_view, std::string_view> divide(std::string_view bytes) {
    const std::size_t tenth = bytes.size() - bytes.size() / 10;
    std::size_t cut = tenth;
    if (const std::size_t newline = bytes.find('\n', tenth); newline != std::string_view::npos)
        cut = newline + 1;
    else
        while (cut < bytes.size() && (static_cast<unsigned char>(bytes[cut]) & 0xC0) == 0x80)
            ++cut;
    return {bytes.substr(0, cut), bytes.substr(cut)};
}

std::string readText(const std::filesystem::path& file) {
    return decodeUtf8(readWhole(file));
}

Corpus readCorpus(const std::filesystem::path& capture,
                  const std::optional<std::filesystem::path>& evaluation) {
    Corpus corpus;
    corpus.name = capture.filename().string();
    const std::string bytes = readWhole(capture);
    corpus.captureFile = identityOf(capture, bytes);
    if (!evaluation) {
        const auto [head, tail] = divide(bytes);
        corpus.capture = decodeUtf8(head);
        corpus.evaluation = decodeUtf8(tail);
        return corpus;
    }
    corpus.capture = decodeUtf8(bytes);
    const std::string other = readWhole(*evaluation);
    corpus.evaluationFile = identityOf(*evaluation, other);
    corpus.evaluation = decodeUtf8(other);
    return corpus;
}

Windows cutWindows(const Tokenizer& tokenizer, std::string_view utf8, std::int64_t length,
                   std::int64_t tokens) {
    if (length < 2)
        throw Error({.what = "window is too short",
                     .expected = "at least 2 tokens",
                     .found = std::to_string(length),
                     .advice = "choose a longer window"});
    if (tokens < length)
        throw Error({.what = "fewer tokens asked for than one window has",
                     .expected = "at least " + std::to_string(length),
                     .found = std::to_string(tokens),
                     .advice = "ask for more tokens or choose a shorter window"});
    const std::int64_t most = tokens / length * length;
    Windows windows{.length = length, .ids = tokenizer.encode(utf8, static_cast<std::size_t>(most))};
    windows.count = static_cast<std::int64_t>(windows.ids.size()) / length;
    if (windows.count == 0)
        throw Error({.what = "text is too short for one window",
                     .expected = "at least " + std::to_string(length) + " tokens",
                     .found = std::to_string(windows.ids.size()),
                     .advice = "give a longer text or choose a shorter window"});
    windows.ids.resize(static_cast<std::size_t>(windows.tokens()));
    return windows;
}

}  // namespace straightedge::text
