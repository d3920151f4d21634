// SPDX-License-Identifier: GPL-3.0-or-later
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "error.h"
#include "json_part.h"
#include "loaders.h"
#include "word_scanner.h"

namespace straightedge::text {

namespace {

using Json = nlohmann::json;

// A special token in tokenizer_config.json: a string, or an object with its content.
std::string contentOf(const Json& token) {
    if (token.is_object() && token.contains("content") && token["content"].is_string())
        return token["content"].get<std::string>();
    return token.is_string() ? token.get<std::string>() : std::string();
}

Json addedToken(const std::string& content, TokenId id, bool special) {
    return {{"id", id},        {"content", content},     {"single_word", false}, {"lstrip", false},
            {"rstrip", false}, {"normalized", !special}, {"special", special}};
}

// By id: what tokenizer_config.json and added_tokens.json list, and the special tokens that the vocabulary
// has.
Json addedTokens(const std::filesystem::path& folder, const Json& config, const Json& vocabulary) {
    std::map<TokenId, Json> tokens;
    std::set<std::string> contents;
    const auto add = [&](TokenId id, Json token) {
        if (contents.insert(token.at("content").get<std::string>()).second)
            tokens.emplace(id, std::move(token));
    };
    if (const auto listed = config.find("added_tokens_decoder");
        listed != config.end() && listed->is_object()) {
        for (const auto& [key, value] : listed->items()) {
            const JsonPart part(value, "tokenizer_config.json: added_tokens_decoder." + key);
            Json token = addedToken(part.string("content"), 0, part.boolean("special", false));
            for (const char* flag : {"single_word", "lstrip", "rstrip", "normalized"})
                token[flag] = part.boolean(flag, token[flag].get<bool>());
            const auto id = asTokenId(Json::parse(key, nullptr, false));
            if (!id)
                part.fail("added token has no id", "a number", key);
            token["id"] = *id;
            add(*id, std::move(token));
        }
    }
    if (const auto path = folder / "added_tokens.json"; std::filesystem::exists(path)) {
        const Json listed = readJson(path);
        for (const auto& [content, value] : listed.items()) {
            const auto id = asTokenId(value);
            if (!id)
                throw Error({.what = "added token has no id", .where = path.string(), .found = content});
            add(*id, addedToken(content, *id, false));
        }
    }
    for (const char* name : {"bos_token", "eos_token", "unk_token", "pad_token"}) {
        const std::string content = config.contains(name) ? contentOf(config[name]) : "<|endoftext|>";
        if (const auto known = vocabulary.find(content); known != vocabulary.end())
            if (const auto id = asTokenId(*known))
                add(*id, addedToken(content, *id, true));
    }
    Json list = Json::array();
    for (const auto& [id, token] : tokens)
        list.push_back(token);
    return list;
}

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

std::string readFile(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    if (!file || !text)
        throw Error({.what = "file cannot be read",
                     .where = path.string(),
                     .advice = "check that it exists and that you may read it"});
    return std::move(text).str();
}

Json readJson(const std::filesystem::path& path) {
    try {
        return Json::parse(readFile(path));
    } catch (const Json::parse_error& error) {
        throw Error({.what = "file is no valid JSON",
                     .where = path.string(),
                     .found = error.what(),
                     .advice = "fetch it again: it may be cut short"});
    }
}

std::unique_ptr<Tokenizer> loadVocabMerges(const std::filesystem::path& folder) {
    const auto configPath = folder / "tokenizer_config.json";
    const Json config = std::filesystem::exists(configPath) ? readJson(configPath) : Json::object();
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
        {"added_tokens", addedTokens(folder, config, vocabulary)},
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
        const std::string bos =
            config.contains("bos_token") ? contentOf(config["bos_token"]) : "<|endoftext|>";
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
