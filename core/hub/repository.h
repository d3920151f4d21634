// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace straightedge::hub {

// What names a model of the hub: "gpt2", "openai-community/gpt2@main", and for one file of a repository that
// holds several models "org/name/file.gguf@main".
struct Repository {
    std::string id;        // "openai-community/gpt2"
    std::string revision;  // a branch, a tag, refs/pr/1 or a commit; empty: not said, that is main
    std::string file;      // a GGUF file of it; empty: the model itself

    // Throws Error for text that cannot be a name, saying why not.
    static Repository parse(std::string_view text);
    // Empty instead.
    static std::optional<Repository> tryParse(std::string_view text);

    std::string revisionOrMain() const { return revision.empty() ? "main" : revision; }
    std::string text() const;
    // Its folder in a cache: "models--openai-community--gpt2".
    std::string folderName() const;

    bool operator==(const Repository&) const = default;
};

// 40 hexadecimal digits.
bool isCommit(std::string_view text);

// Where a path inside a cache belongs: .../models--org--name/snapshots/COMMIT/...
struct SnapshotPlace {
    std::string id;
    std::string commit;
};
std::optional<SnapshotPlace> snapshotOf(const std::filesystem::path& path);

}  // namespace straightedge::hub
