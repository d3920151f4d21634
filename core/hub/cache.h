// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "repository.h"

namespace straightedge::hub {

// One revision of a model in a cache of the hub, as huggingface_hub lays it out:
//     models--org--name/refs/main                     the commit that the name stands for
//     models--org--name/snapshots/COMMIT/config.json  -> ../../blobs/HASH
struct Snapshot {
    std::string id;  // "openai-community/gpt2"
    std::string commit;
    std::vector<std::string> names;  // of the revision: "main", tags; sorted, main first; may be empty
    std::filesystem::path folder;

    // The name to show: main is not said, a snapshot without a name is called by its commit's beginning.
    std::string text() const;
};

// All snapshots of all models, sorted by id. What cannot be read is told in `notes` and left out; no cache at
// all is an empty one.
std::vector<Snapshot> snapshotsIn(const std::filesystem::path& cache, std::vector<std::string>& notes);

// Those of one model.
std::vector<Snapshot> snapshotsOf(const std::filesystem::path& cache, const Repository& repository,
                                  std::vector<std::string>& notes);

// The snapshot that a path is or lies in, with the names of its revision; empty for any other path.
std::optional<Snapshot> snapshotAt(const std::filesystem::path& path);

// Where to look for the model itself. Throws Error saying what there is instead and how to fetch what is not
// there. With no revision named, main, or the only snapshot there is.
std::filesystem::path findModel(const std::filesystem::path& cache, const Repository& repository);

// A GGUF file of a snapshot, or the folder where it has config.json, each the path of a model; a snapshot can
// hold several. Broken links are left out.
std::vector<std::filesystem::path> modelsIn(const Snapshot& snapshot);

}  // namespace straightedge::hub
