// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_files.h"

namespace straightedge::study {

std::string modelName(const checkpoint::Checkpoint& checkpoint) {
    std::filesystem::path location = checkpoint.location();
    if (checkpoint.format() == checkpoint::Format::Gguf)
        return location.stem().string();
    location = std::filesystem::absolute(location).lexically_normal();
    return location.has_filename() ? location.filename().string()
                                   : location.parent_path().filename().string();
}

std::unique_ptr<text::Tokenizer> tokenizerOf(const checkpoint::Checkpoint& checkpoint) {
    return checkpoint.format() == checkpoint::Format::Gguf
               ? text::Tokenizer::fromGguf(checkpoint.metadata(), checkpoint.location().string())
               : text::Tokenizer::fromFolder(checkpoint.location());
}

}  // namespace straightedge::study
