// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>

namespace straightedge::checkpoint {

// A file in a ZIP archive, as the archive's directory describes it.
struct ZipEntry {
    static constexpr std::uint16_t stored = 0, deflated = 8;

    std::span<const std::byte> packed;  // a view into the archive
    std::uint64_t bytes = 0;            // when unpacked
    std::uint16_t method = stored;
    std::uint32_t checksum = 0;  // CRC-32 of the unpacked bytes
};

// The entries of a ZIP archive by name, ZIP64 included. Throws Error placed in `where` for an entry that is
// encrypted or not inside the archive, or is there twice.
std::map<std::string, ZipEntry, std::less<>> readZip(std::span<const std::byte> archive,
                                                     const std::string& where);

}  // namespace straightedge::checkpoint
