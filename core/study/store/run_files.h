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

// While the run is unfinished: the note on what it can be resumed from, and the three files of hidden states
// that take turns.
inline std::filesystem::path stateFile(const std::filesystem::path& folder) {
    return folder / "state.json";
}
inline std::filesystem::path rowsFile(const std::filesystem::path& folder, int which) {
    return folder / ("state-" + std::to_string(which) + ".rows");
}

}  // namespace straightedge::study
