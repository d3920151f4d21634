// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace straightedge::study {

// 4722432 as "4,722,432", in any locale.
inline std::string grouped(std::int64_t number) {
    std::string text = std::to_string(number);
    for (auto at = static_cast<std::ptrdiff_t>(text.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
        text.insert(static_cast<std::size_t>(at), 1, ',');
    return text;
}

// The shortest text that reads back as the same double, in any locale.
inline std::string shortest(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

// With so many decimals, in any locale; what has no short decimal form comes as shortest() gives it.
inline std::string fixed(double value, int decimals) {
    char text[64];
    if (!(std::abs(value) < 1e30))
        return shortest(value);
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::fixed, decimals).ptr};
}

// "3.2e+03", in any locale.
inline std::string scientific(double value) {
    char text[32];
    return {text, std::to_chars(text, text + sizeof text, value, std::chars_format::scientific, 1).ptr};
}

}  // namespace straightedge::study
