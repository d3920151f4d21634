// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <array>

#include "error.h"
#include "json_part.h"
#include "loaders.h"
#include "unicode.h"

namespace straightedge::text {

namespace {

using Json = nlohmann::json;

constexpr std::array bertSpecials{SpecialToken{"unk_token", "[UNK]"}, SpecialToken{"sep_token", "[SEP]"},
                                  SpecialToken{"pad_token", "[PAD]"}, SpecialToken{"cls_token", "[CLS]"},
                                  SpecialToken{"mask_token", "[MASK]"}};
constexpr std::array mpnetSpecials{
    SpecialToken{"unk_token", "[UNK]", true}, SpecialToken{"sep_token", "</s>", true},
    SpecialToken{"pad_token", "<pad>", true}, SpecialToken{"cls_token", "<s>", true},
    SpecialToken{"mask_token", "<mask>", true, true}};

// tokenizer_class, or the class that transformers takes for config.json's model_type.
std::string kindOf(const std::filesystem::path& folder, const JsonPart& settings) {
    if (auto kind = settings.optionalString("tokenizer_class")) {
        if (kind->ends_with("Fast"))
            kind->resize(kind->size() - 4);
        return *kind;
    }
    if (!std::filesystem::exists(folder / "config.json"))
        return "(nameless)";
    const Json config = readJson(folder / "config.json");
    const std::string model =
        JsonPart(config, "config.json").optionalString("model_type").value_or("(nameless)");
    const bool likeBert =
        model == "bert" || model == "distilbert" || model == "electra" || model == "mobilebert";
    return likeBert ? "BertTokenizer" : model == "mpnet" ? "MPNetTokenizer" : model;
}

// A token a line, its id the line's number.
Json readVocabulary(const std::filesystem::path& path) {
    const std::string text = readFile(path);
    if (!unicode::isValid(text))
        throw Error({.what = "file is no text in UTF-8", .where = path.string()});
    Json vocabulary = Json::object();
    TokenId id = 0;
    for (std::size_t start = 0; start < text.size(); ++id) {
        const std::size_t end = std::min(text.find_first_of("\r\n", start), text.size());
        vocabulary[text.substr(start, end - start)] = id;
        start = end + (std::string_view(text).substr(end).starts_with("\r\n") ? 2 : 1);
    }
    return vocabulary;
}

}  // namespace

std::unique_ptr<Tokenizer> loadVocabTxt(const std::filesystem::path& folder) {
    const Json config = readTokenizerConfig(folder);
    const JsonPart settings(config, "tokenizer_config.json");
    const std::string kind = kindOf(folder, settings);
    const bool mpnet = kind == "MPNetTokenizer";
    if (!mpnet && kind != "BertTokenizer" && kind != "DistilBertTokenizer" && kind != "ElectraTokenizer")
        settings.fail(
            "the vocab.txt of a " + kind + " is not known how to read",
            "BertTokenizer, DistilBertTokenizer, ElectraTokenizer, MPNetTokenizer, or a tokenizer.json");
    if (!settings.boolean("do_basic_tokenize", true))
        settings.fail("a tokenizer without do_basic_tokenize is not known how to read");
    const auto& specials = mpnet ? mpnetSpecials : bertSpecials;
    const Json vocabulary = readVocabulary(folder / "vocab.txt");
    const auto special = [&](const char* key) {
        const auto found = std::ranges::find_if(
            specials, [&](const SpecialToken& token) { return std::string_view(token.key) == key; });
        return contentOf(*found, config);
    };
    const auto clsOrSep = [&](const char* key) {
        const std::string token = special(key);
        if (!vocabulary.contains(token))
            settings.fail(std::string("the vocabulary lacks the ") + key, {}, token);
        return Json::array({token, vocabulary[token]});
    };
    const bool lowercase = settings.boolean("do_lower_case", true);
    return loadTokenizerJson({
        {"model",
         {{"type", "WordPiece"},
          {"vocab", vocabulary},
          {"unk_token", special("unk_token")},
          {"continuing_subword_prefix", "##"},
          {"max_input_chars_per_word", 100U}}},
        {"added_tokens", addedTokens(folder, config, vocabulary, specials)},
        {"normalizer",
         {{"type", "BertNormalizer"},
          {"clean_text", true},
          {"handle_chinese_chars", settings.boolean("tokenize_chinese_chars", true)},
          {"strip_accents", settings.boolean("strip_accents", lowercase)},
          {"lowercase", lowercase}}},
        {"pre_tokenizer", {{"type", "BertPreTokenizer"}}},
        {"post_processor",
         {{"type", "BertProcessing"}, {"cls", clsOrSep("cls_token")}, {"sep", clsOrSep("sep_token")}}},
    });
}

}  // namespace straightedge::text
