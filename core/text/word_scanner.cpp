// SPDX-License-Identifier: GPL-3.0-or-later
#include "word_scanner.h"

#include <array>
#include <cstdint>

#include "unicode.h"

namespace straightedge::text {

namespace {

enum class Kind : std::uint8_t { Other, Letter, Number, Space };

Kind kindOfPoint(char32_t point) {
    return unicode::isLetter(point)   ? Kind::Letter
           : unicode::isNumber(point) ? Kind::Number
           : unicode::isSpace(point)  ? Kind::Space
                                      : Kind::Other;
}

const std::array<Kind, 128> asciiKinds = [] {
    std::array<Kind, 128> kinds{};
    for (char32_t point = 0; point < kinds.size(); ++point)
        kinds[point] = kindOfPoint(point);
    return kinds;
}();

struct Character {
    Kind kind = Kind::Other;
    std::size_t size = 0;  // 0: the end of the text
};

Character at(std::string_view text, std::size_t i) {
    if (i >= text.size())
        return {};
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < asciiKinds.size())
        return {asciiKinds[byte], 1};
    const auto [point, size] = unicode::decode(text, i);
    return {kindOfPoint(point), size};
}

std::size_t endOfRun(std::string_view text, std::size_t i, Kind kind) {
    for (auto c = at(text, i); c.size > 0 && c.kind == kind; c = at(text, i))
        i += c.size;
    return i;
}

bool isLineEnd(std::string_view text, std::size_t i) {
    return i < text.size() && (text[i] == '\r' || text[i] == '\n');
}

// 's, 't, 're, 've, 'm, 'll, 'd at `start`: its length in bytes or 0.
std::size_t contraction(std::string_view text, std::size_t start, bool anyCase) {
    if (text[start] != '\'')
        return 0;
    const auto letter = [&](std::size_t i) {
        const char c = start + i < text.size() ? text[start + i] : '\0';
        return anyCase && c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    };
    const char first = letter(1);
    if (first == 's' || first == 't' || first == 'm' || first == 'd')
        return 2;
    if (const char second = letter(2);
        ((first == 'r' || first == 'v') && second == 'e') || (first == 'l' && second == 'l'))
        return 3;
    constexpr std::string_view longS = "\u017F";  // folds to s
    return anyCase && text.substr(start + 1).starts_with(longS) ? 1 + longS.size() : 0;
}

// \s+(?!\S)|\s+ on the run of white space [start, end): its last character is left to what follows it.
std::size_t endOfSpaces(std::string_view text, std::size_t start, std::size_t end) {
    const std::size_t last = end - unicode::decodeBefore(text, end).size;
    return end == text.size() || last == start ? end : last;
}

}  // namespace

std::optional<WordScanner> WordScanner::forPattern(std::string_view pattern) {
    if (pattern == gpt2)
        return WordScanner(0);
    if (pattern == llama3)
        return WordScanner(3);
    if (pattern == qwen2)
        return WordScanner(1);
    return std::nullopt;
}

std::size_t WordScanner::end(std::string_view text, std::size_t start) const {
    return m_digits == 0 ? endLikeGpt2(text, start) : endLikeLlama3(text, start);
}

std::size_t WordScanner::endLikeGpt2(std::string_view text, std::size_t start) const {
    if (const std::size_t size = contraction(text, start, false))
        return start + size;
    const std::size_t word = start + (text[start] == ' ' ? 1 : 0);
    if (const auto c = at(text, word); c.size > 0 && c.kind != Kind::Space)
        return endOfRun(text, word + c.size, c.kind);
    return endOfSpaces(text, start, endOfRun(text, start, Kind::Space));
}

std::size_t WordScanner::endLikeLlama3(std::string_view text, std::size_t start) const {
    if (const std::size_t size = contraction(text, start, true))
        return start + size;
    const auto first = at(text, start);
    if (first.kind == Kind::Letter)
        return endOfRun(text, start, Kind::Letter);
    if (first.kind == Kind::Number) {
        std::size_t i = start;
        for (int digits = 0; digits < m_digits; ++digits)
            if (const auto c = at(text, i); c.size > 0 && c.kind == Kind::Number)
                i += c.size;
        return i;
    }
    const auto second = at(text, start + first.size);
    if (!isLineEnd(text, start) && second.size > 0 && second.kind == Kind::Letter)
        return endOfRun(text, start + first.size, Kind::Letter);

    const std::size_t word = start + (text[start] == ' ' ? 1 : 0);
    if (const auto c = at(text, word); c.size > 0 && c.kind == Kind::Other) {
        std::size_t i = endOfRun(text, word, Kind::Other);
        while (isLineEnd(text, i))
            ++i;
        return i;
    }
    const std::size_t end = endOfRun(text, start, Kind::Space);
    for (std::size_t i = end; i > start; --i)  // \s*[\r\n]+
        if (isLineEnd(text, i - 1))
            return i;
    return endOfSpaces(text, start, end);
}

}  // namespace straightedge::text
