// SPDX-License-Identifier: GPL-3.0-or-later
#include "settings.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "error.h"

namespace straightedge::study {

namespace {

[[noreturn]] void refuse(const std::string& text) {
    throw Error({.what = "block selection is not understood",
                 .expected = "block numbers from 0 and ranges, such as 0,3-5",
                 .found = "\"" + text + "\"",
                 .advice = "leave it empty to measure all blocks"});
}

std::string_view trimmed(std::string_view text) {
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{}
                                           : text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

int blockNumber(std::string_view part, const std::string& whole) {
    part = trimmed(part);
    int number = -1;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), number);
    if (part.empty() || error != std::errc{} || end != part.data() + part.size() || number < 0)
        refuse(whole);
    return number;
}

}  // namespace

BlockSelection BlockSelection::parse(const std::string& text) {
    BlockSelection selection;
    selection.m_text = trimmed(text);
    std::string_view rest = selection.m_text;
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        const std::string_view item = rest.substr(0, comma);
        const auto dash = item.find('-');
        const int first = blockNumber(item.substr(0, dash), text);
        const int last = dash == std::string_view::npos ? first : blockNumber(item.substr(dash + 1), text);
        if (last < first)
            refuse(text);
        selection.m_ranges.emplace_back(first, last);
        if (comma == std::string_view::npos)
            break;
        rest.remove_prefix(comma + 1);
        if (trimmed(rest).empty())
            refuse(text);
    }
    return selection;
}

std::vector<int> BlockSelection::resolve(int count) const {
    std::set<int> chosen;
    if (m_ranges.empty())
        for (int block = 0; block < count; ++block)
            chosen.insert(block);
    for (const auto& [first, last] : m_ranges) {
        if (last >= count)
            throw Error({.what = "block is out of range",
                         .expected = "blocks 0 to " + std::to_string(count - 1),
                         .found = "\"" + m_text + "\"",
                         .advice = "blocks are numbered from 0"});
        for (int block = first; block <= last; ++block)
            chosen.insert(block);
    }
    return {chosen.begin(), chosen.end()};
}

}  // namespace straightedge::study
