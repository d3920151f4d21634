// SPDX-License-Identifier: GPL-3.0-or-later
#include "tokenizer.h"

#include <nlohmann/json.hpp>

#include "error.h"
#include "loaders.h"

namespace straightedge::text {

namespace {

// The error of `load`, placed in the file that it is about.
template <typename Load>
std::unique_ptr<Tokenizer> placed(const std::string& where, Load load) {
    try {
        return load();
    } catch (const Error& error) {
        throw error.in(where);
    }
}

}  // namespace

std::unique_ptr<Tokenizer> Tokenizer::fromFolder(const std::filesystem::path& folder) {
    const auto tokenizerJson = folder / "tokenizer.json";
    if (std::filesystem::exists(tokenizerJson)) {
        const auto description = readJson(tokenizerJson);
        return placed(tokenizerJson.string(), [&] { return loadTokenizerJson(description); });
    }
    if (std::filesystem::exists(folder / "vocab.json") && std::filesystem::exists(folder / "merges.txt"))
        return placed(folder.string(), [&] { return loadVocabMerges(folder); });
    if (std::filesystem::exists(folder / "vocab.txt"))
        return placed(folder.string(), [&] { return loadVocabTxt(folder); });
    for (const char* sentencePiece : {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model"})
        if (std::filesystem::exists(folder / sentencePiece))
            throw Error({.what = "tokenizer in SentencePiece's own format is not read",
                         .where = (folder / sentencePiece).string(),
                         .expected = "tokenizer.json",
                         .advice =
                             "take tokenizer.json from the model's page, or write it with transformers: "
                             "AutoTokenizer.from_pretrained(FOLDER).save_pretrained(FOLDER)"});
    throw Error({.what = "no tokenizer found",
                 .where = folder.string(),
                 .expected = "tokenizer.json, or vocab.json and merges.txt, or vocab.txt",
                 .advice = "take the folder of a whole Hugging Face checkpoint"});
}

std::unique_ptr<Tokenizer> Tokenizer::fromGguf(const nlohmann::json& metadata, const std::string& where) {
    return placed(where, [&] { return loadGgufTokenizer(metadata); });
}

}  // namespace straightedge::text
