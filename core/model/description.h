// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>

#include "families.h"

namespace straightedge::model {

// Typed, checked look-ups in a checkpoint's description. What is there and cannot be used is an Error; what
// is not there, or null, is not.
class Description {
  public:
    Description(const checkpoint::Checkpoint& checkpoint, const Family& family);

    bool isGguf() const { return m_gguf; }
    const std::string& where() const { return m_where; }

    // The value under a name, null where it is not there or is null.
    const nlohmann::json* value(std::string_view name) const;
    std::string ggufName(std::string_view name) const { return m_ggufPrefix + std::string(name); }

    std::optional<std::int64_t> size(const Key& key) const;
    std::int64_t required(const Key& key) const;
    std::optional<double> real(const Key& key) const;
    bool flag(std::string_view name, bool otherwise) const;
    std::optional<std::string> text(std::string_view name) const;

    [[noreturn]] void refuse(const std::string& name, const std::string& expected,
                             const nlohmann::json& found) const;

  private:
    std::string nameOf(const Key& key) const;
    std::pair<std::string, const nlohmann::json*> find(const Key& key) const;

    const nlohmann::json& m_metadata;
    std::string m_where;
    bool m_gguf;
    std::string m_ggufPrefix;
};

}  // namespace straightedge::model
