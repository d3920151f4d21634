// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <map>
#include <utility>

#include "bpe.h"
#include "error.h"
#include "json_part.h"
#include "loaders.h"
#include "pipeline.h"
#include "unigram.h"
#include "word_piece.h"

namespace straightedge::text {

namespace {

Vocabulary readVocabulary(const JsonPart& model) {
    const auto& json = model.value("vocab");
    if (!json.is_object())
        model.fail("tokenizer part is malformed: \"vocab\"", "an object of tokens and ids");
    Vocabulary vocabulary;
    vocabulary.reserve(json.size());
    for (const auto& [token, value] : json.items()) {
        const auto id = asTokenId(value);
        if (!id)
            model.fail("token has no id", "a number", "\"" + token + "\": " + value.dump());
        vocabulary.emplace(token, *id);
    }
    return vocabulary;
}

// "a b" or ["a", "b"].
std::vector<std::pair<std::string, std::string>> readMerges(const JsonPart& model) {
    const auto& json = model.value("merges");
    if (!json.is_array())
        model.fail("tokenizer part is malformed: \"merges\"", "a list");
    std::vector<std::pair<std::string, std::string>> merges;
    merges.reserve(json.size());
    for (const auto& merge : json) {
        if (merge.is_array() && merge.size() == 2 && merge[0].is_string() && merge[1].is_string()) {
            merges.emplace_back(merge[0].get<std::string>(), merge[1].get<std::string>());
            continue;
        }
        const std::string text = merge.is_string() ? merge.get<std::string>() : std::string();
        if (text.starts_with("#version"))
            continue;
        const std::size_t space = text.find(' ');
        if (space == std::string::npos || text.find(' ', space + 1) != std::string::npos)
            model.fail("merge is malformed", "two tokens with a space between them, or a list of two",
                       merge.dump());
        merges.emplace_back(text.substr(0, space), text.substr(space + 1));
    }
    return merges;
}

struct LoadedModel {
    std::unique_ptr<Model> model;
    Vocabulary vocabulary;
    std::size_t size = 0;  // where the ids of added tokens begin
};

// The model of the parts; its errors name the part.
template <typename Type, typename Parts>
std::unique_ptr<Model> build(const JsonPart& part, Parts parts) {
    try {
        return std::make_unique<Type>(std::move(parts));
    } catch (const Error& error) {
        throw error.in(part.name());
    }
}

LoadedModel makeBpe(const JsonPart& part, bool bytes) {
    const auto& dropout = part.value("dropout");
    if (!dropout.is_null() && !(dropout.is_number() && dropout.get<double>() == 0))
        part.fail("BPE with dropout gives other ids every time", "no dropout", dropout.dump());
    BpeParts parts{.vocabulary = readVocabulary(part),
                   .merges = readMerges(part),
                   .unknown = part.optionalString("unk_token"),
                   .continuingPrefix = part.optionalString("continuing_subword_prefix").value_or(""),
                   .endSuffix = part.optionalString("end_of_word_suffix").value_or(""),
                   .fuseUnknown = part.boolean("fuse_unk", false),
                   .byteFallback = part.boolean("byte_fallback", false),
                   .ignoreMerges = part.boolean("ignore_merges", false),
                   .atoms = bytes ? BpeParts::Atoms::Bytes : BpeParts::Atoms::Characters};
    auto vocabulary = parts.vocabulary;
    const std::size_t size = vocabulary.size();
    return {build<Bpe>(part, std::move(parts)), std::move(vocabulary), size};
}

LoadedModel makeWordPiece(const JsonPart& part, bool) {
    WordPieceParts parts{.vocabulary = readVocabulary(part)};
    parts.unknown = part.optionalString("unk_token").value_or(parts.unknown);
    parts.continuingPrefix =
        part.optionalString("continuing_subword_prefix").value_or(parts.continuingPrefix);
    if (part.has("max_input_chars_per_word")) {
        const auto& longest = part.value("max_input_chars_per_word");
        if (!longest.is_number_unsigned())
            part.fail("tokenizer part is malformed: \"max_input_chars_per_word\"", "a number",
                      longest.dump());
        parts.longestWord = longest.get<std::uint64_t>();
    }
    const std::size_t size = parts.vocabulary.size();
    return {build<WordPiece>(part, parts), std::move(parts.vocabulary), size};
}

// The vocabulary is a list of [piece, score].
LoadedModel makeUnigram(const JsonPart& part, bool) {
    for (const char* sampling : {"alpha", "nbest_size"})
        if (part.has(sampling))
            part.fail("Unigram with sampling gives other ids every time", std::string("no ") + sampling);
    const auto& list = part.value("vocab");
    if (!list.is_array() || list.empty())
        part.fail("tokenizer part is malformed: \"vocab\"", "a list of tokens and scores");
    UnigramParts parts{.byteFallback = part.boolean("byte_fallback", false)};
    Vocabulary vocabulary;
    parts.pieces.reserve(list.size());
    for (const auto& entry : list) {
        if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() || !entry[1].is_number())
            part.fail("token has no score", "a token and its score", entry.dump());
        vocabulary.insert_or_assign(entry[0].get<std::string>(), static_cast<TokenId>(parts.pieces.size()));
        parts.pieces.emplace_back(entry[0].get<std::string>(), entry[1].get<double>());
    }
    if (part.has("unk_id"))
        parts.unknown = part.id("unk_id");
    const std::size_t size = parts.pieces.size();
    return {build<Unigram>(part, std::move(parts)), std::move(vocabulary), size};
}

using Maker = LoadedModel (*)(const JsonPart&, bool bytes);

// A further model is a class like Bpe and a line here.
const std::map<std::string, Maker, std::less<>>& makers() {
    static const std::map<std::string, Maker, std::less<>> table{
        {"BPE", makeBpe}, {"Unigram", makeUnigram}, {"WordPiece", makeWordPiece}};
    return table;
}

// Files of old have no type; the package tells the models by what they have.
std::string modelType(const JsonPart& model) {
    if (model.has("type"))
        return model.type();
    if (model.has("merges"))
        return "BPE";
    model.fail("model of the tokenizer has no type", namesOf(makers()));
}

// As in the package, the ids are the vocabulary's, and tokens that it lacks are numbered on from its end in
// their order. The ids that the file names must be the same.
std::vector<AddedToken> readAddedTokens(const JsonPart& root, const Vocabulary& vocabulary,
                                        std::size_t modelSize) {
    std::vector<AddedToken> tokens;
    std::map<std::string, std::size_t, std::less<>> known;  // content to index in tokens
    if (!root.has("added_tokens"))
        return tokens;
    auto next = static_cast<TokenId>(modelSize);
    for (const auto& part : root.parts("added_tokens")) {
        AddedToken token{.content = part.string("content"),
                         .singleWord = part.boolean("single_word"),
                         .lstrip = part.boolean("lstrip"),
                         .rstrip = part.boolean("rstrip"),
                         .normalized = part.boolean("normalized")};
        if (token.content.empty())
            continue;
        const auto [same, isNew] = known.emplace(token.content, tokens.size());
        const auto inVocabulary = vocabulary.find(token.content);
        token.id = inVocabulary != vocabulary.end() ? inVocabulary->second
                   : isNew                          ? next++
                                                    : tokens[same->second].id;
        if (token.id != part.id("id"))
            part.fail("added token \"" + token.content + "\" has another id than its place gives it",
                      std::to_string(token.id), std::to_string(part.id("id")));
        if (isNew)
            tokens.push_back(std::move(token));
        else
            tokens[same->second] = std::move(token);
    }
    return tokens;
}

}  // namespace

std::unique_ptr<Tokenizer> loadTokenizerJson(const nlohmann::json& description) {
    const JsonPart root(description, "tokenizer");
    Pipeline::Stages stages;
    if (root.has("normalizer"))
        stages.normalizer = makeNormalizer(root.part("normalizer"));

    const JsonPart model = root.part("model");
    const std::string type = modelType(model);
    const auto maker = makers().find(type);
    if (maker == makers().end())
        model.failUnknownType("model", namesOf(makers()));
    const bool affixes = !model.optionalString("continuing_subword_prefix").value_or("").empty() ||
                         !model.optionalString("end_of_word_suffix").value_or("").empty();
    bool bytes = false;
    if (root.has("pre_tokenizer")) {
        const JsonPart part = root.part("pre_tokenizer");
        bytes = type == "BPE" && endsInByteLevel(part) && !affixes;
        stages.preTokenizer =
            makePreTokenizer(part, bytes ? ByteCharacters::LeftToModel : ByteCharacters::Written);
    }
    auto [loaded, vocabulary, size] = maker->second(model, bytes);
    stages.model = std::move(loaded);
    if (root.has("post_processor"))
        stages.postProcessor = makePostProcessor(root.part("post_processor"));
    stages.added = readAddedTokens(root, vocabulary, size);

    TokenId last = -1;
    for (const auto& [token, id] : vocabulary)
        last = std::max(last, id);
    for (const auto& token : stages.added)
        last = std::max(last, token.id);
    stages.vocabularySize = std::int64_t{last} + 1;
    // Truncation and padding are not applied: the text is one stream (PROTOCOL.md).
    return std::make_unique<Pipeline>(std::move(stages));
}

}  // namespace straightedge::text
