// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

// A cache of the hub laid out by hand, with the links that huggingface_hub makes.
namespace straightedge::hub {

inline void writeFile(const std::filesystem::path& path, const std::string& bytes) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

inline std::string readFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

// Puts the files of a checkpoint into a snapshot of `model`, a folder models--...
inline std::filesystem::path laySnapshot(const std::filesystem::path& model, const std::string& commit,
                                         const std::filesystem::path& files) {
    namespace fs = std::filesystem;
    const fs::path snapshot = model / "snapshots" / commit;
    fs::create_directories(snapshot);
    fs::create_directories(model / "blobs");
    for (const fs::directory_entry& file : fs::directory_iterator(files)) {
        const std::string blob = commit.substr(0, 4) + file.path().filename().string();
        fs::copy_file(file.path(), model / "blobs" / blob);
        fs::create_symlink(fs::path("../../blobs") / blob, snapshot / file.path().filename());
    }
    return snapshot;
}

inline void layRef(const std::filesystem::path& model, const std::string& name, const std::string& commit) {
    writeFile(model / "refs" / name, commit);
}

}  // namespace straightedge::hub
