// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace straightedge::study {

// Where a run keeps the fitted maps of one block: "<replacement's name>.weight" [out, in], ".bias" and so on, float32.
inline std::filesystem::path mapsFile(const std::filesystem::path& folder, int block) {
    return folder / ("block-" + std::to_string(block) + ".safetensors");
}

}  // namespace straightedge::study
