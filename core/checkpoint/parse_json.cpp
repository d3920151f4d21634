// SPDX-License-Identifier: GPL-3.0-or-later
#include "parse_json.h"

#include <algorithm>
#include <cctype>
#include <unordered_set>
#include <vector>

#include "error.h"

namespace straightedge::checkpoint {

using nlohmann::json;

namespace {

constexpr std::size_t maxBytes = 100'000'000;  // the bound that the safetensors format sets for its header
constexpr int maxDepth = 32;

}  // namespace

json parseJsonObject(std::span<const std::byte> text, const std::string& where, DuplicateKeys duplicates) {
    if (text.size() > maxBytes)
        throw Error({.what = "the JSON text is too long",
                     .where = where,
                     .expected = "at most " + std::to_string(maxBytes) + " bytes",
                     .found = std::to_string(text.size())});

    std::vector<std::unordered_set<std::string>> keys;  // of each object that is open
    const auto watch = [&](int depth, json::parse_event_t event, json& parsed) {
        if (depth > maxDepth)
            throw Error({.what = "the JSON text is nested too deeply", .where = where});
        if (duplicates == DuplicateKeys::KeepLast)
            return true;
        if (event == json::parse_event_t::object_start)
            keys.emplace_back();
        else if (event == json::parse_event_t::object_end)
            keys.pop_back();
        else if (event == json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second)
            throw Error({.what = inQuotes(parsed.get<std::string>()) + " is there twice", .where = where});
        return true;
    };

    json object;
    try {
        const auto* begin = reinterpret_cast<const char*>(text.data());
        object = json::parse(begin, begin + text.size(), watch);
    } catch (const json::exception& failure) {
        throw Error({.what = "the JSON text cannot be read", .where = where, .found = failure.what()});
    }
    if (!object.is_object())
        throw Error({.what = "the JSON text is not an object",
                     .where = where,
                     .expected = "{...}",
                     .found = object.type_name()});
    return object;
}

std::string inQuotes(std::string_view name) {
    constexpr std::size_t longest = 120;
    std::string text(name.substr(0, longest));
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
    return "'" + text + (name.size() > longest ? "..." : "") + "'";
}

std::string shapeText(std::span<const std::int64_t> shape) {
    std::string text = "[";
    for (const std::int64_t size : shape)
        text += (text.size() > 1 ? ", " : "") + std::to_string(size);
    return text + "]";
}

}  // namespace straightedge::checkpoint
