// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

// What lies in a run's folder.
namespace straightedge::study {

// The fitted maps of one block: "<replacement's name>.weight" [out, in], ".bias" and so on, float32.
inline std::filesystem::path mapsFile(const std::filesystem::path& folder, int block) {
    return folder / ("block-" + std::to_string(block) + ".safetensors");
}

// While the run is unfinished: what it can be resumed from.
inline std::filesystem::path stateFile(const std::filesystem::path& folder) {
    return folder / "state.safetensors";
}

}  // namespace straightedge::study
