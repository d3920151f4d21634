// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "tokenizer.h"

namespace straightedge::text {

// One object of a tokenizer's description, read field by field; every failure is an Error that names the part
// and the field. The json must outlive it.
class JsonPart {
  public:
    // `depth` limits nesting, since the makers of parts recurse. Throws when `value` is no object.
    JsonPart(const nlohmann::json& value, std::string name, int depth = 0);

    const std::string& name() const { return m_name; }

    bool has(const char* key) const;  // there, and not null
    std::string type() const { return string("type"); }
    std::string string(const char* key) const;
    std::optional<std::string> optionalString(const char* key) const;
    bool boolean(const char* key) const;
    bool boolean(const char* key, bool otherwise) const;
    TokenId id(const char* key) const;
    JsonPart part(const char* key) const;
    std::vector<JsonPart> parts(const char* key) const;
    const nlohmann::json& value(const char* key) const;

    [[noreturn]] void fail(const std::string& what, const std::string& expected = {},
                           const std::string& found = {}) const;
    // "normalizer of type Nmt is not known"
    [[noreturn]] void failUnknownType(const std::string& kind, const std::string& known) const;

  private:
    const nlohmann::json* m_value;
    std::string m_name;
    int m_depth;
};

// The keys of a table of makers: "NFC, NFD, ...".
template <typename Table>
std::string namesOf(const Table& table) {
    std::string names;
    for (const auto& [name, maker] : table)
        names += (names.empty() ? "" : ", ") + name;
    return names;
}

// A token id as a json number, if it is one: 0 to 2^31 - 2.
std::optional<TokenId> asTokenId(const nlohmann::json& value);

}  // namespace straightedge::text
