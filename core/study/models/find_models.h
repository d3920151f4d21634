// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace straightedge::study {

enum class ModelSource { Hub, Folder, Sample };
std::string_view sourceName(ModelSource source);  // "hub", "folder", "sample"

// A model on this machine that nobody had to point at. Nothing of it has been read yet.
struct FoundModel {
    std::string name;            // what --model takes: "openai-community/gpt2", "SmolLM2-135M.Q4_1"
    std::string revision;        // of the hub: "main", a tag, or the beginning of a commit
    std::filesystem::path path;  // what inspect() and measure() take
    ModelSource source = ModelSource::Folder;
};

struct FoundModels {
    std::vector<FoundModel> models;  // by source and name
    std::vector<std::string> notes;  // what could not be looked into, and why
};

// The Hugging Face cache, the folders the user has added (modelFolders()), the sample.
FoundModels findModels();

// The checkpoints under a path: itself, or for a folder of them each one, some levels deep. A folder laid out
// as a cache of the hub is read as one.
FoundModels modelsUnder(const std::filesystem::path& path);

// The path that a user means: a file or folder that is there; else the name of a model of the cache, as
// "openai-community/gpt2", with "@revision" or "/file.gguf"; else the name of another found model. Throws
// Error that says how to get what is not here.
std::filesystem::path resolveModel(const std::string& text);

}  // namespace straightedge::study
