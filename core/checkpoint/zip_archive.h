// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>

namespace straightedge::checkpoint {

class MappedFile;

// The entries of a ZIP file that stores them as they are, which is what torch.save writes: views into the
// file, by name. ZIP64 is read. Throws Error for an entry that is compressed, encrypted or not inside the
// file, or is there twice.
std::map<std::string, std::span<const std::byte>, std::less<>> readZip(const MappedFile& file);

}  // namespace straightedge::checkpoint
