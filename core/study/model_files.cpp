// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_files.h"

#include "checkpoint/mapped_file.h"
#include "hub/cache.h"

namespace straightedge::study {

std::string modelName(const checkpoint::Checkpoint& checkpoint) {
    return checkpoint.format() == checkpoint::Format::Gguf
               ? checkpoint::pathText(checkpoint.location().stem())  // with another ending, or none, as well
               : modelName(checkpoint.location());
}

std::string modelName(const std::filesystem::path& path) {
    if (path.extension() == ".gguf")
        return checkpoint::pathText(path.stem());
    const std::filesystem::path whole = std::filesystem::absolute(path).lexically_normal();
    const bool isPart = whole.extension() == ".safetensors" || whole.extension() == ".json";  // of a folder
    const std::filesystem::path folder = whole.has_filename() && !isPart ? whole : whole.parent_path();
    if (const auto snapshot = hub::snapshotAt(folder))
        return snapshot->text();
    return checkpoint::pathText(folder.filename());
}

std::unique_ptr<text::Tokenizer> tokenizerOf(const checkpoint::Checkpoint& checkpoint) {
    return checkpoint.format() == checkpoint::Format::Gguf
               ? text::Tokenizer::fromGguf(checkpoint.metadata(), checkpoint.location().string())
               : text::Tokenizer::fromFolder(checkpoint.location());
}

}  // namespace straightedge::study
