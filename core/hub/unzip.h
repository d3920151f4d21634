// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace straightedge::hub {

// One entry of a ZIP file, deflated or stored, checked by its CRC. Throws Error placed in `where` for
// anything missing, damaged, encrypted or longer than `mostBytes`.
std::string unzip(std::string_view zip, std::string_view name, std::uint64_t mostBytes,
                  const std::string& where);

}  // namespace straightedge::hub
