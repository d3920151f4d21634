// SPDX-License-Identifier: GPL-3.0-or-later
#include <array>
#include <sstream>

#include "json_part.h"
#include "loaders.h"
#include "word_scanner.h"

namespace straightedge::text {

namespace {

using Json = nlohmann::json;

constexpr std::array specials{
    SpecialToken{"bos_token", "<|endoftext|>"}, SpecialToken{"eos_token", "<|endoftext|>"},
    SpecialToken{"unk_token", "<|endoftext|>"}, SpecialToken{"pad_token", "<|endoftext|>"}};

Json mergesOf(const std::filesystem::path& path) {
    std::istringstream lines(readFile(path));
    Json merges = Json::array();
    for (std::string line; std::getline(lines, line);) {
        if (line.ends_with('\r'))
            line.pop_back();
        if (!line.empty() && !line.starts_with("#version"))
            merges.push_back(line);
    }
    return merges;
}

}  // namespace

std::unique_ptr<Tokenizer> loadVocabMerges(const std::filesystem::path& folder) {
    const Json config = readTokenizerConfig(folder);
    const JsonPart settings(config, "tokenizer_config.json");
    std::string kind = settings.optionalString("tokenizer_class").value_or("GPT2Tokenizer");
    if (kind.ends_with("Fast"))
        kind.resize(kind.size() - 4);
    const bool qwen = kind == "Qwen2Tokenizer";
    if (!qwen && kind != "GPT2Tokenizer" && kind != "CodeGenTokenizer")
        settings.fail("vocab.json and merges.txt of a " + kind + " are not known how to read",
                      "GPT2Tokenizer, CodeGenTokenizer, Qwen2Tokenizer, or a tokenizer.json");

    const Json vocabulary = readJson(folder / "vocab.json");
    Json byteLevel{{"type", "ByteLevel"},
                   {"add_prefix_space", settings.boolean("add_prefix_space", false)},
                   {"use_regex", !qwen}};
    Json description{
        {"model", {{"type", "BPE"}, {"vocab", vocabulary}, {"merges", mergesOf(folder / "merges.txt")}}},
        {"added_tokens", addedTokens(folder, config, vocabulary, specials)},
        {"pre_tokenizer", byteLevel}};
    if (qwen) {
        description["normalizer"] = {{"type", "NFC"}};
        const Json split{{"type", "Split"},
                         {"pattern", {{"Regex", WordScanner::qwen2}}},
                         {"behavior", "Isolated"},
                         {"invert", false}};
        description["pre_tokenizer"] = {{"type", "Sequence"},
                                        {"pretokenizers", Json::array({split, byteLevel})}};
    }
    if (settings.boolean("add_bos_token", false)) {
        const std::string bos = contentOf(specials.front(), config);
        Json id;
        for (const auto& token : description["added_tokens"])
            if (token["content"] == bos)
                id = token["id"];
        if (id.is_null())
            settings.fail("a first token is to be added, but there is none of that name", {}, bos);
        description["post_processor"] = {
            {"type", "TemplateProcessing"},
            {"single", Json::array({{{"SpecialToken", {{"id", bos}}}}, {{"Sequence", {{"id", "A"}}}}})},
            {"special_tokens", {{bos, {{"ids", Json::array({id})}}}}}};
    }
    return loadTokenizerJson(description);
}

}  // namespace straightedge::text
