// SPDX-License-Identifier: GPL-3.0-or-later
#include "byte_characters.h"

#include <array>
#include <cstdio>
#include <unordered_map>

#include "unicode.h"

namespace straightedge::text {

char32_t byteCharacter(unsigned char byte) {
    static const std::array<char32_t, 256> characters = [] {
        std::array<char32_t, 256> table{};
        char32_t next = 256;
        for (char32_t b = 0; b < table.size(); ++b) {
            const bool printable = (b >= '!' && b <= '~') || (b >= 0xA1 && b <= 0xFF && b != 0xAD);
            table[b] = printable ? b : next++;
        }
        return table;
    }();
    return characters[byte];
}

std::optional<std::string> bytesOfCharacters(std::string_view text) {
    static const std::unordered_map<char32_t, char> bytes = [] {
        std::unordered_map<char32_t, char> table;
        for (unsigned b = 0; b < 256; ++b)
            table.emplace(byteCharacter(static_cast<unsigned char>(b)), static_cast<char>(b));
        return table;
    }();
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const auto [point, size] = unicode::decode(text, i);
        const auto found = bytes.find(point);
        if (found == bytes.end())
            return std::nullopt;
        result += found->second;
        i += size;
    }
    return result;
}

std::string fallbackToken(unsigned char byte) {
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "<0x%02X>", static_cast<unsigned>(byte));
    return text.data();
}

}  // namespace straightedge::text
