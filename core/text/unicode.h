// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace straightedge::text::unicode {

// All strings are valid UTF-8; code points are what is classified. The classes are those of the `tokenizers`
// package, whose parts go by different versions of Unicode: Oniguruma's and Rust's (16 and 17) for classes,
// an old one (9) for normalization forms, combining marks and punctuation.

struct Decoded {
    char32_t point = 0;
    std::size_t size = 0;  // bytes
};

// The code point that starts at `at` < text.size().
inline Decoded decode(std::string_view text, std::size_t at) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
    const auto tail = [&](std::size_t i) { return static_cast<char32_t>(byte(i) & 0x3F); };
    const char32_t lead = byte(0);
    if (lead < 0x80)
        return {lead, 1};
    if (lead < 0xE0)
        return {(lead & 0x1F) << 6 | tail(1), 2};
    if (lead < 0xF0)
        return {(lead & 0x0F) << 12 | tail(1) << 6 | tail(2), 3};
    return {(lead & 0x07) << 18 | tail(1) << 12 | tail(2) << 6 | tail(3), 4};
}

// The code point that ends at `end` > 0.
inline Decoded decodeBefore(std::string_view text, std::size_t end) {
    std::size_t start = end - 1;
    while (start > 0 && (static_cast<unsigned char>(text[start]) & 0xC0) == 0x80)
        --start;
    return decode(text, start);
}

bool isValid(std::string_view text);
void append(std::string& text, char32_t point);

bool isLetter(char32_t point);       // Oniguruma's \p{L}
bool isNumber(char32_t point);       // Oniguruma's \p{N}
bool isNumeric(char32_t point);      // Rust's char::is_numeric
bool isSpace(char32_t point);        // White_Space, everywhere the same
bool isWord(char32_t point);         // \w of Rust's regex
bool isPunctuation(char32_t point);  // ASCII punctuation or general category P
bool isMark(char32_t point);         // general category M
bool isNonspacing(char32_t point);   // general category Mn
bool isOther(char32_t point);        // general categories Cc, Cf and Co

// A code point of the same category and the same length in UTF-8 that Unicode 14 knows already:
// Oniguruma 6.9.8 and Qt 6.4 know no later ones, the package's engine does.
char32_t asKnown(char32_t point);
// The text with asKnown applied, in `buffer`, or the text itself where nothing changes.
std::string_view asKnown(std::string_view text, std::string& buffer);

enum class Form { C, D, KC, KD };
std::string normalized(std::string_view text, Form form);
// Where the grapheme clusters (what a reader takes for one character) of the text end, in bytes.
std::vector<std::size_t> graphemeEnds(std::string_view text);
// One code point after the other: no final sigma.
std::string lowercased(std::string_view text);

}  // namespace straightedge::text::unicode
