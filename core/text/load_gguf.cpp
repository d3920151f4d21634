// SPDX-License-Identifier: GPL-3.0-or-later
#include <QByteArray>
#include <algorithm>
#include <array>
#include <initializer_list>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "error.h"
#include "json_part.h"
#include "loaders.h"
#include "model.h"
#include "unicode.h"
#include "word_scanner.h"

// A GGUF's tokenizer is written as the tokenizer.json that it stands for, and read as such.

namespace straightedge::text {

namespace {

using Json = nlohmann::json;

// tokenizer.ggml.token_type
enum TokenType { unknownType = 2, controlType = 3, userDefinedType = 4, byteType = 6 };

Json byteLevel(bool useRegex) {
    return {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", useRegex}};
}

Json isolated(std::string_view regex) {
    return {{"type", "Split"}, {"pattern", {{"Regex", regex}}}, {"behavior", "Isolated"}, {"invert", false}};
}

Json digits(bool individual) {
    return {{"type", "Digits"}, {"individual_digits", individual}};
}

Json sequence(Json steps) {
    return {{"type", "Sequence"}, {"pretokenizers", std::move(steps)}};
}

Json gpt2() {
    return byteLevel(true);
}

Json digitsGpt2() {
    return sequence({digits(true), byteLevel(true)});
}

Json llama3() {
    return sequence({isolated(WordScanner::llama3), byteLevel(false)});
}

Json qwen2() {
    return sequence({isolated(WordScanner::qwen2), byteLevel(false)});
}

Json tekken() {
    return sequence(
        {isolated(R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
                  R"(|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N})"
                  R"(| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)"),
         byteLevel(false)});
}

Json falcon() {
    return sequence({{{"type", "Punctuation"}, {"behavior", "Contiguous"}},
                     byteLevel(true),
                     digits(false),
                     isolated("[0-9][0-9][0-9]")});
}

Json deepSeekCoder() {
    return sequence({isolated(R"([\r\n])"), isolated(R"(\s?\p{L}+)"), isolated(R"(\s?\p{P}+)"),
                     isolated("[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+"), digits(true), byteLevel(false)});
}

Json deepSeek3() {
    return sequence(
        {isolated(R"(\p{N}{1,3})"), isolated("[\u4e00-\u9fa5\u3040-\u309f\u30a0-\u30ff]+"),
         isolated(R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)"
                  R"(| ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)"),
         byteLevel(false)});
}

// What llama.cpp does with a tokenizer that its converter did not know.
Json unnamed() {
    return sequence({isolated(R"([\p{P}\$\+<=>\^~\|]+)"), isolated(WordScanner::gpt2), isolated(R"(\p{N}+)"),
                     isolated("[0-9][0-9][0-9]"), byteLevel(false)});
}

// tokenizer.ggml.pre: the splitting of the models of that name, as their tokenizer.json has it.
struct PreName {
    std::string_view name;
    Json (*preTokenizer)();
    bool nfc = false;
    bool ignoreMerges = false;
    bool addBos = false;  // unless the file says otherwise
};

// A name that is not here is refused: a near miss would give other ids.
constexpr auto preNames = std::to_array<PreName>({
    {.name = "default", .preTokenizer = unnamed},
    {.name = "gpt-2", .preTokenizer = gpt2},
    {.name = "phi-2", .preTokenizer = gpt2},
    {.name = "mpt", .preTokenizer = gpt2, .nfc = true},   // GPT-NeoX's
    {.name = "olmo", .preTokenizer = gpt2, .nfc = true},  // GPT-NeoX's
    {.name = "smollm", .preTokenizer = digitsGpt2},
    {.name = "starcoder", .preTokenizer = digitsGpt2},
    {.name = "refact", .preTokenizer = digitsGpt2},
    {.name = "command-r", .preTokenizer = digitsGpt2, .nfc = true},
    {.name = "llama-bpe", .preTokenizer = llama3, .ignoreMerges = true, .addBos = true},
    {.name = "llama3", .preTokenizer = llama3, .ignoreMerges = true, .addBos = true},
    {.name = "llama-v3", .preTokenizer = llama3, .ignoreMerges = true, .addBos = true},
    {.name = "tekken", .preTokenizer = tekken, .ignoreMerges = true, .addBos = true},
    {.name = "qwen2", .preTokenizer = qwen2, .nfc = true},
    {.name = "deepseek-r1-qwen", .preTokenizer = qwen2},
    {.name = "falcon", .preTokenizer = falcon},
    {.name = "deepseek-coder", .preTokenizer = deepSeekCoder},
    {.name = "deepseek-v3", .preTokenizer = deepSeek3},
});

std::string preNamesKnown() {
    std::string names;
    for (const auto& pre : preNames)
        names += (names.empty() ? "" : ", ") + std::string(pre.name);
    return names;
}

struct Tokens {
    std::vector<std::string> text;
    std::vector<int> types;      // empty, or one a token
    std::vector<double> scores;  // empty, or one a token
    Vocabulary ids;

    bool is(std::size_t i, TokenType type) const { return !types.empty() && types[i] == type; }
};

Tokens readTokens(const JsonPart& metadata) {
    Tokens tokens;
    const auto& list = metadata.value("tokenizer.ggml.tokens");
    if (!list.is_array() || list.empty())
        metadata.fail("tokenizer.ggml.tokens is missing");
    tokens.text.reserve(list.size());
    tokens.ids.reserve(list.size());
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string where = "tokenizer.ggml.tokens[" + std::to_string(i) + "]";
        if (!list[i].is_string() || !unicode::isValid(list[i].get_ref<const std::string&>()))
            metadata.fail(where + " is malformed", "a text in UTF-8");
        auto text = list[i].get<std::string>();
        if (text.empty())  // a place without a token
            text = "[EMPTY_" + std::to_string(i) + "]";
        if (!tokens.ids.emplace(text, static_cast<TokenId>(i)).second)
            metadata.fail(where + " is there twice", {}, text);
        tokens.text.push_back(std::move(text));
    }
    const auto readNumbers = [&](const char* key, auto& numbers) {
        if (!metadata.has(key))
            return;
        const auto& values = metadata.value(key);
        if (!values.is_array() || values.size() != list.size() ||
            !std::ranges::all_of(values, [](const Json& value) { return value.is_number(); }))
            metadata.fail(std::string(key) + " is malformed", std::to_string(list.size()) + " numbers");
        values.get_to(numbers);
    };
    readNumbers("tokenizer.ggml.token_type", tokens.types);
    readNumbers("tokenizer.ggml.scores", tokens.scores);
    return tokens;
}

// Control, user-defined and unknown tokens are cut out of the text.
Json addedTokens(const Tokens& tokens) {
    Json list = Json::array();
    for (std::size_t i = 0; i < tokens.text.size(); ++i) {
        const bool special = tokens.is(i, controlType) || tokens.is(i, unknownType);
        if (special || tokens.is(i, userDefinedType))
            list.push_back({{"id", i},
                            {"content", tokens.text[i]},
                            {"single_word", false},
                            {"lstrip", false},
                            {"rstrip", false},
                            {"normalized", false},
                            {"special", special}});
    }
    return list;
}

// The token that a key names by its id; nullptr where there is no such key.
const std::string* namedToken(const JsonPart& metadata, const Tokens& tokens, const char* key) {
    if (!metadata.has(key))
        return nullptr;
    const auto id = static_cast<std::size_t>(metadata.id(key));
    if (id >= tokens.text.size())
        metadata.fail(std::string(key) + " is no token", "less than " + std::to_string(tokens.text.size()),
                      std::to_string(id));
    return &tokens.text[id];
}

// What is added when the file does not say so.
struct Ends {
    bool bos = false;
    const std::string* bosToken = nullptr;
    bool eos = false;
    const std::string* eosToken = nullptr;
};

Json postProcessor(const JsonPart& metadata, const Tokens& tokens, const Ends& otherwise) {
    Json single = Json::array();
    Json specials = Json::object();
    const auto add = [&](bool wanted, const char* idKey, const std::string* otherwise) {
        if (!wanted)
            return;
        const std::string* token = namedToken(metadata, tokens, idKey);
        token = token ? token : otherwise;
        if (!token)
            metadata.fail("tokenizer is to add a token that is missing", idKey);
        single.push_back({{"SpecialToken", {{"id", *token}}}});
        specials[*token] = {{"ids", Json::array({tokens.ids.at(*token)})}};
    };
    add(metadata.boolean("tokenizer.ggml.add_bos_token", otherwise.bos), "tokenizer.ggml.bos_token_id",
        otherwise.bosToken);
    single.push_back({{"Sequence", {{"id", "A"}}}});
    add(metadata.boolean("tokenizer.ggml.add_eos_token", otherwise.eos), "tokenizer.ggml.eos_token_id",
        otherwise.eosToken);
    return {{"type", "TemplateProcessing"}, {"single", single}, {"special_tokens", specials}};
}

Json describeBytePair(const JsonPart& metadata, const Tokens& tokens) {
    const std::string name = metadata.optionalString("tokenizer.ggml.pre").value_or("default");
    const auto pre = std::ranges::find(preNames, name, &PreName::name);
    if (pre == preNames.end())
        metadata.fail("pre-tokenizer \"" + name + "\" (tokenizer.ggml.pre) is not known", preNamesKnown());
    const auto& merges = metadata.value("tokenizer.ggml.merges");
    if (!merges.is_array())
        metadata.fail("tokenizer.ggml.merges is missing");
    Json pairs = Json::array();
    for (const auto& merge : merges) {
        const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
        const std::size_t space = text.find(' ', 1);
        if (space == std::string::npos)
            metadata.fail("tokenizer.ggml.merges is malformed", "two tokens with a space between them", text);
        pairs.push_back({text.substr(0, space), text.substr(space + 1)});
    }
    Json model{
        {"type", "BPE"}, {"vocab", tokens.ids}, {"merges", pairs}, {"ignore_merges", pre->ignoreMerges}};
    if (const auto* unknown = namedToken(metadata, tokens, "tokenizer.ggml.unknown_token_id")) {
        model["unk_token"] = *unknown;
        model["fuse_unk"] = true;
    }
    Json description{{"model", model},
                     {"pre_tokenizer", pre->preTokenizer()},
                     {"post_processor", postProcessor(metadata, tokens, {.bos = pre->addBos})}};
    if (pre->nfc)
        description["normalizer"] = {{"type", "NFC"}};
    return description;
}

// SentencePiece knows scores, not merges: any two pieces that make up a third may be merged, the best third
// first.
Json mergesByScore(const JsonPart& metadata, const Tokens& tokens) {
    constexpr std::size_t longest = 4096;  // bytes a piece, since all its splits are looked at
    struct Merge {
        double score;
        std::size_t leftLength, rightLength;  // characters
        TokenId left, right;
    };
    std::vector<Merge> merges;
    for (std::size_t i = 0; i < tokens.text.size(); ++i) {
        const std::string_view piece = tokens.text[i];
        if (tokens.is(i, controlType) || tokens.is(i, unknownType) || tokens.is(i, byteType))
            continue;
        if (piece.size() > longest)
            metadata.fail("token " + std::to_string(i) + " is too long", std::to_string(longest) + " bytes",
                          std::to_string(piece.size()));
        const std::size_t first = merges.size();
        std::size_t characters = 0;
        for (const char c : piece)
            characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
        std::size_t leftLength = 0;
        for (std::size_t at = 0; at < piece.size();) {
            at += unicode::decode(piece, at).size;
            ++leftLength;
            const auto left = tokens.ids.find(piece.substr(0, at));
            const auto right = tokens.ids.find(piece.substr(at));
            if (left != tokens.ids.end() && right != tokens.ids.end())
                merges.push_back(
                    {tokens.scores[i], leftLength, characters - leftLength, left->second, right->second});
        }
        const auto byIds = [](const Merge& merge) { return std::pair(merge.left, merge.right); };
        std::ranges::sort(merges.begin() + static_cast<std::ptrdiff_t>(first), merges.end(), {}, byIds);
    }
    // The order of transformers' conversion.
    std::ranges::stable_sort(merges, std::greater{}, [](const Merge& merge) {
        return std::tuple(merge.score, merge.leftLength, merge.rightLength);
    });
    Json pairs = Json::array();
    for (const auto& merge : merges)
        pairs.push_back({tokens.text[static_cast<std::size_t>(merge.left)],
                         tokens.text[static_cast<std::size_t>(merge.right)]});
    return pairs;
}

Json describeSentencePiece(const JsonPart& metadata, const Tokens& tokens) {
    if (tokens.scores.empty())
        metadata.fail("tokenizer.ggml.scores is missing");
    constexpr const char* metaspace = "\u2581";
    Json normalizers = Json::array();
    if (metadata.boolean("tokenizer.ggml.add_space_prefix", true))
        normalizers.push_back({{"type", "Prepend"}, {"prepend", metaspace}});
    normalizers.push_back({{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", metaspace}});

    const std::string* unknown = namedToken(metadata, tokens, "tokenizer.ggml.unknown_token_id");
    const std::string* bos =
        tokens.text.size() > 1 ? &tokens.text[1] : nullptr;  // SentencePiece's place for it
    Json model{{"type", "BPE"},
               {"vocab", tokens.ids},
               {"merges", mergesByScore(metadata, tokens)},
               {"unk_token", unknown ? *unknown : tokens.text.front()},
               {"fuse_unk", true},
               {"byte_fallback", true}};
    return {{"model", model},
            {"normalizer", {{"type", "Sequence"}, {"normalizers", normalizers}}},
            {"post_processor", postProcessor(metadata, tokens, {.bos = true, .bosToken = bos})}};
}

// BERT's tokens are turned round in a GGUF: a mark before those that begin a word, no prefix before the
// others. Control tokens are as they were.
Json describeWordPiece(const JsonPart& metadata, const Tokens& tokens) {
    constexpr std::string_view mark = "\u2581";
    Json vocabulary = Json::object();
    bool capitals = false;
    for (std::size_t i = 0; i < tokens.text.size(); ++i) {
        const std::string& text = tokens.text[i];
        std::string token = text;
        if (!tokens.is(i, controlType) && !tokens.is(i, unknownType)) {
            const bool begins = text.starts_with(mark);
            token = begins ? text.substr(mark.size()) : "##" + text;
            capitals = capitals || (begins && token.front() != '[' &&
                                    std::ranges::any_of(token, [](char c) { return c >= 'A' && c <= 'Z'; }));
        }
        if (!vocabulary.emplace(token, i).second)
            metadata.fail("tokenizer.ggml.tokens[" + std::to_string(i) + "] is there twice", {}, text);
    }
    const auto special = [&](std::initializer_list<const char*> keys, const char* otherwise) {
        for (const char* key : keys)
            if (const auto* token = namedToken(metadata, tokens, key))
                return *token;
        if (!tokens.ids.contains(std::string_view(otherwise)))
            metadata.fail("tokenizer is to add a token that is missing", *keys.begin());
        return std::string(otherwise);
    };
    const std::string unknown = special({"tokenizer.ggml.unknown_token_id"}, "[UNK]");
    const std::string cls = special({"tokenizer.ggml.cls_token_id", "tokenizer.ggml.bos_token_id"}, "[CLS]");
    const std::string sep =  // the key's spelling is the format's
        special({"tokenizer.ggml.seperator_token_id", "tokenizer.ggml.eos_token_id"}, "[SEP]");
    // The file does not say whether the model tells capitals apart, but a vocabulary that does has some.
    return {{"model",
             {{"type", "WordPiece"},
              {"vocab", vocabulary},
              {"unk_token", unknown},
              {"continuing_subword_prefix", "##"},
              {"max_input_chars_per_word", 100U}}},
            {"normalizer",
             {{"type", "BertNormalizer"},
              {"clean_text", true},
              {"handle_chinese_chars", true},
              {"strip_accents", nullptr},
              {"lowercase", !capitals}}},
            {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
            {"post_processor",
             {{"type", "BertProcessing"},
              {"cls", {cls, tokens.ids.at(cls)}},
              {"sep", {sep, tokens.ids.at(sep)}}}}};
}

// T5's and XLM-RoBERTa's.
Json describeUnigram(const JsonPart& metadata, const Tokens& tokens) {
    if (tokens.scores.empty())
        metadata.fail("tokenizer.ggml.scores is missing");
    if (!metadata.boolean("tokenizer.ggml.remove_extra_whitespaces", true))
        metadata.fail("a t5 tokenizer that keeps runs of spaces is not known how to read");
    Json vocabulary = Json::array();
    bool bytes = false;
    for (std::size_t i = 0; i < tokens.text.size(); ++i) {
        vocabulary.push_back({tokens.text[i], tokens.scores[i]});
        bytes = bytes || tokens.is(i, byteType);
    }
    const Json model{{"type", "Unigram"},
                     {"vocab", vocabulary},
                     {"unk_id", metadata.has("tokenizer.ggml.unknown_token_id")
                                    ? Json(metadata.id("tokenizer.ggml.unknown_token_id"))
                                    : Json(2)},  // T5's
                     {"byte_fallback", bytes}};
    const Json metaspace{
        {"type", "Metaspace"},
        {"replacement", "\u2581"},
        {"prepend_scheme", metadata.boolean("tokenizer.ggml.add_space_prefix", true) ? "always" : "never"}};
    Json description{{"model", model},
                     {"pre_tokenizer", sequence({{{"type", "WhitespaceSplit"}}, metaspace})},
                     {"post_processor", postProcessor(metadata, tokens, {.eos = true})}};
    if (metadata.has("tokenizer.ggml.precompiled_charsmap")) {
        QByteArray charsmap;
        const auto& list = metadata.value("tokenizer.ggml.precompiled_charsmap");
        if (!list.is_array() ||
            !std::ranges::all_of(list, [](const Json& byte) { return byte.is_number_integer(); }))
            metadata.fail("tokenizer.ggml.precompiled_charsmap is malformed", "bytes");
        for (const auto& byte : list)  // signed or not
            charsmap.append(static_cast<char>(byte.get<std::int64_t>()));
        description["normalizer"] = {{"type", "Precompiled"},
                                     {"precompiled_charsmap", charsmap.toBase64().toStdString()}};
    }
    return description;
}

// tokenizer.ggml.model
const std::map<std::string, Json (*)(const JsonPart&, const Tokens&), std::less<>>& kinds() {
    static const std::map<std::string, Json (*)(const JsonPart&, const Tokens&), std::less<>> table{
        {"gpt2", describeBytePair},
        {"llama", describeSentencePiece},
        {"bert", describeWordPiece},
        {"t5", describeUnigram},
    };
    return table;
}

}  // namespace

std::unique_ptr<Tokenizer> loadGgufTokenizer(const nlohmann::json& metadata) {
    const JsonPart part(metadata, "metadata");
    const std::string kind = part.optionalString("tokenizer.ggml.model").value_or("");
    if (kind.empty())
        part.fail("there is no tokenizer: tokenizer.ggml.model is missing");
    const auto describe = kinds().find(kind);
    if (describe == kinds().end())
        part.fail("tokenizer of kind \"" + kind + "\" (tokenizer.ggml.model) is not known", namesOf(kinds()));
    const Tokens tokens = readTokens(part);
    Json description = describe->second(part, tokens);
    description["added_tokens"] = addedTokens(tokens);
    return loadTokenizerJson(description);
}

}  // namespace straightedge::text
