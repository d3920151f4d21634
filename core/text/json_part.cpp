// SPDX-License-Identifier: GPL-3.0-or-later
#include "json_part.h"

#include <limits>
#include <utility>

#include "error.h"

namespace straightedge::text {

namespace {

constexpr int deepest = 16;

std::string kindOf(const nlohmann::json& value) {
    return value.is_null() ? "nothing" : value.type_name();
}

}  // namespace

JsonPart::JsonPart(const nlohmann::json& value, std::string name, int depth)
    : m_value(&value), m_name(std::move(name)), m_depth(depth) {
    if (!value.is_object())
        fail("tokenizer part is malformed", "an object", kindOf(value));
    if (depth > deepest)
        fail("tokenizer parts are nested too deeply", "at most " + std::to_string(deepest) + " levels");
}

bool JsonPart::has(const char* key) const {
    const auto found = m_value->find(key);
    return found != m_value->end() && !found->is_null();
}

const nlohmann::json& JsonPart::value(const char* key) const {
    static const nlohmann::json nothing;
    const auto found = m_value->find(key);
    return found != m_value->end() ? *found : nothing;
}

std::string JsonPart::string(const char* key) const {
    const auto& field = value(key);
    if (!field.is_string())
        fail(std::string("tokenizer part is malformed: \"") + key + '"', "a string", kindOf(field));
    return field.get<std::string>();
}

std::optional<std::string> JsonPart::optionalString(const char* key) const {
    return has(key) ? std::optional(string(key)) : std::nullopt;
}

bool JsonPart::boolean(const char* key) const {
    const auto& field = value(key);
    if (!field.is_boolean())
        fail(std::string("tokenizer part is malformed: \"") + key + '"', "true or false", kindOf(field));
    return field.get<bool>();
}

bool JsonPart::boolean(const char* key, bool otherwise) const {
    return has(key) ? boolean(key) : otherwise;
}

TokenId JsonPart::id(const char* key) const {
    const auto number = asTokenId(value(key));
    if (!number)
        fail(std::string("tokenizer part is malformed: \"") + key + '"', "a token id", value(key).dump());
    return *number;
}

JsonPart JsonPart::part(const char* key) const {
    return {value(key), m_name + "." + key, m_depth + 1};
}

std::vector<JsonPart> JsonPart::parts(const char* key) const {
    const auto& list = value(key);
    if (!list.is_array())
        fail(std::string("tokenizer part is malformed: \"") + key + '"', "a list", kindOf(list));
    std::vector<JsonPart> result;
    for (std::size_t i = 0; i < list.size(); ++i)
        result.emplace_back(list[i], m_name + "." + key + "[" + std::to_string(i) + "]", m_depth + 1);
    return result;
}

void JsonPart::fail(const std::string& what, const std::string& expected, const std::string& found) const {
    throw Error({.what = what, .where = m_name, .expected = expected, .found = found});
}

void JsonPart::failUnknownType(const std::string& kind, const std::string& known) const {
    throw Error({.what = kind + " of type " + type() + " is not known",
                 .where = m_name,
                 .expected = known,
                 .advice = "use a checkpoint whose tokenizer is made of known parts"});
}

std::optional<TokenId> asTokenId(const nlohmann::json& value) {
    if (!value.is_number_integer() || (!value.is_number_unsigned() && value.get<std::int64_t>() < 0))
        return std::nullopt;
    const auto number = value.get<std::uint64_t>();
    if (number >= static_cast<std::uint64_t>(std::numeric_limits<TokenId>::max()))
        return std::nullopt;
    return static_cast<TokenId>(number);
}

}  // namespace straightedge::text
