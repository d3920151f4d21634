// SPDX-License-Identifier: GPL-3.0-or-later
// What the loaders of older layouts share: tokenizer_config.json and the special tokens that it names.
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "error.h"
#include "json_part.h"
#include "loaders.h"

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

Json readTokenizerConfig(const std::filesystem::path& folder) {
    Json config = Json::object();
    for (const char* name : {"tokenizer_config.json", "special_tokens_map.json"}) {
        if (!std::filesystem::exists(folder / name))
            continue;
        const Json more = readJson(folder / name);
        if (!more.is_object())
            throw Error({.what = "file is no JSON object", .where = (folder / name).string()});
        for (const auto& [key, value] : more.items())
            if (!config.contains(key))
                config[key] = value;
    }
    return config;
}

std::string contentOf(const SpecialToken& token, const Json& config) {
    const auto named = config.find(token.key);
    return named != config.end() && !named->is_null() ? contentOf(*named) : token.otherwise;
}

Json addedTokens(const std::filesystem::path& folder, const Json& config, const Json& vocabulary,
                 std::span<const SpecialToken> specials) {
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
    for (const auto& special : specials) {
        const std::string content = contentOf(special, config);
        if (const auto known = vocabulary.find(content); known != vocabulary.end())
            if (const auto id = asTokenId(*known)) {
                Json token = addedToken(content, *id, true);
                token["normalized"] = special.normalized;
                token["lstrip"] = special.lstrip;
                add(*id, std::move(token));
            }
    }
    Json list = Json::array();
    for (const auto& [id, token] : tokens)
        list.push_back(token);
    return list;
}

}  // namespace straightedge::text
