// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include <nlohmann/json.hpp>

namespace straightedge::checkpoint {

enum class DuplicateKeys { KeepLast, Refuse };

// JSON that was written by others: bounded in size and depth, must be an object. Throws Error placed in
// `where`.
nlohmann::json parseJsonObject(std::span<const std::byte> text, const std::string& where,
                               DuplicateKeys duplicates = DuplicateKeys::KeepLast);

// A name out of a file, fit for a message: in quotes, cut short, without control characters.
std::string inQuotes(std::string_view name);

// "[768, 3072]"
std::string shapeText(std::span<const std::int64_t> shape);

}  // namespace straightedge::checkpoint
