// SPDX-License-Identifier: GPL-3.0-or-later
#include "tokenize.h"

#include "model_files.h"
#include "text/corpus.h"

namespace straightedge::study {

std::vector<std::int32_t> tokenizeFile(const std::filesystem::path& model,
                                       const std::filesystem::path& file) {
    std::unique_ptr<text::Tokenizer> tokenizer;
    if (std::filesystem::is_directory(model))
        tokenizer = text::Tokenizer::fromFolder(model);
    else if (model.filename() == "tokenizer.json")
        tokenizer = text::Tokenizer::fromFolder(model.parent_path());
    else
        tokenizer = tokenizerOf(*checkpoint::Checkpoint::open(model));
    return tokenizer->encode(text::readText(file));
}

}  // namespace straightedge::study
