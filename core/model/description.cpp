// SPDX-License-Identifier: GPL-3.0-or-later
#include "description.h"

#include <cmath>

#include "error.h"

namespace straightedge::model {

using nlohmann::json;

namespace {

constexpr std::int64_t largestSize = std::int64_t{1}
                                     << 30;  // of any one dimension; keeps products inside 64 bits

}  // namespace

Description::Description(const checkpoint::Checkpoint& checkpoint, const Family& family)
    : m_metadata(checkpoint.metadata()),
      m_where(checkpoint.location().string()),
      m_gguf(checkpoint.format() == checkpoint::Format::Gguf),
      m_ggufPrefix(std::string(family.gguf) + ".") {}

const json* Description::value(std::string_view name) const {
    const auto found = m_metadata.find(name);
    return found == m_metadata.end() || found->is_null() ? nullptr : &*found;
}

std::optional<std::int64_t> Description::size(const Key& key) const {
    const auto [name, found] = find(key);
    if (!found)
        return std::nullopt;
    const json* entry = found;
    if (entry->is_array() && !entry->empty()) {  // GGUF gives some sizes a block; they must agree
        for (const json& other : *entry)
            if (other != entry->front())
                throw Error(
                    {.what = "blocks of different sizes are not supported", .where = m_where, .found = name});
        entry = &entry->front();
    }
    if (!entry->is_number_integer() || *entry < 1 || *entry > largestSize)
        refuse(name, "a whole number from 1 to " + std::to_string(largestSize), *entry);
    return entry->get<std::int64_t>();
}

std::int64_t Description::required(const Key& key) const {
    if (const auto found = size(key))
        return *found;
    throw Error({.what = "the model's description lacks " + nameOf(key),
                 .where = m_where,
                 .advice = "the checkpoint is incomplete: fetch it again"});
}

std::optional<double> Description::real(const Key& key) const {
    const auto [name, found] = find(key);
    if (!found)
        return std::nullopt;
    if (!found->is_number() || !std::isfinite(found->get<double>()))
        refuse(name, "a number", *found);
    return found->get<double>();
}

bool Description::flag(std::string_view name, bool otherwise) const {
    const json* found = value(name);
    if (!found)
        return otherwise;
    if (!found->is_boolean())
        refuse(std::string(name), "true or false", *found);
    return found->get<bool>();
}

std::optional<std::string> Description::text(std::string_view name) const {
    const json* found = value(name);
    if (!found)
        return std::nullopt;
    if (!found->is_string())
        refuse(std::string(name), "a text", *found);
    return found->get<std::string>();
}

void Description::refuse(const std::string& name, const std::string& expected, const json& found) const {
    throw Error({.what = name + " cannot be used",
                 .where = m_where,
                 .expected = expected,
                 .found = found.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, 80)});
}

std::string Description::nameOf(const Key& key) const {
    if (m_gguf)
        return ggufName(key.gguf);
    return key.huggingFace.empty() ? std::string("a size") : std::string(key.huggingFace.front());
}

std::pair<std::string, const json*> Description::find(const Key& key) const {
    if (m_gguf) {
        if (key.gguf.empty())
            return {};
        const std::string name = ggufName(key.gguf);
        return {name, value(name)};
    }
    for (const std::string_view name : key.huggingFace)
        if (const json* found = value(name))
            return {std::string(name), found};
    return {};
}

}  // namespace straightedge::model
