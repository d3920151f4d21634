// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QElapsedTimer>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>

#include "checkpoint/checkpoint.h"
#include "error.h"
#include "text/corpus.h"
#include "text/pipeline.h"
#include "text/regex.h"
#include "text/tokenizer.h"
#include "text/unicode.h"
#include "text/word_scanner.h"

using namespace straightedge;
using namespace straightedge::text;
using Json = nlohmann::json;

namespace {

std::filesystem::path oracles() {
    const std::filesystem::path folder = TEST_ORACLES;
    return folder.empty() ? folder : folder / "tokenizers";
}

std::filesystem::path sample() {
    const QString place = qEnvironmentVariable("STRAIGHTEDGE_SAMPLE");
    const std::filesystem::path folder =
        place.isEmpty() ? QDir::homePath().toStdString() + "/.local/share/straightedge/sample"
                        : place.toStdString();
    return folder;
}

Json readJson(const std::filesystem::path& path) {
    std::ifstream file(path);
    return Json::parse(file);
}

struct Case {
    std::string text;
    std::vector<TokenId> ids;
};

std::vector<Case> casesOf(const std::filesystem::path& folder) {
    const Json json = readJson(folder / "cases.json");
    std::vector<Case> cases;
    for (std::size_t i = 0; i < json["text"].size(); ++i)
        cases.push_back({json["text"][i].get<std::string>(), json["ids"][i].get<std::vector<TokenId>>()});
    return cases;
}

QByteArray shown(const std::string& text, const std::vector<TokenId>& found,
                 const std::vector<TokenId>& expected) {
    std::ostringstream message;
    message << Json(text).dump(-1, ' ', true) << "\n  found    " << Json(found).dump() << "\n  expected "
            << Json(expected).dump();
    return QByteArray::fromStdString(message.str());
}

void compareAll(const Tokenizer& tokenizer, const std::vector<Case>& cases) {
    int wrong = 0;
    for (const auto& [text, ids] : cases) {
        const auto found = tokenizer.encode(text);
        if (found != ids && ++wrong <= 3)
            qWarning("%s", shown(text, found, ids).constData());
    }
    QVERIFY2(wrong == 0, qPrintable(QString("%1 of %2 strings differ").arg(wrong).arg(cases.size())));
}

// Several strings in one, with seams where chunks may be cut.
std::string joined(const std::vector<Case>& cases) {
    std::string text;
    for (std::size_t i = 0; i < cases.size(); i += 7)
        text += cases[i].text + " and so on the x of y, ";
    return text;
}

const Pipeline& pipelineOf(const Tokenizer& tokenizer) {
    return dynamic_cast<const Pipeline&>(tokenizer);
}

// A small byte-level tokenizer to spoil.
Json smallTokenizer() {
    const Json added{{"id", 5},         {"content", "<s>"},    {"single_word", false}, {"lstrip", false},
                     {"rstrip", false}, {"normalized", false}, {"special", true}};
    const Json byteLevel{
        {"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    const Json model{{"type", "BPE"},
                     {"vocab", {{"a", 0}, {"b", 1}, {"c", 2}, {"ab", 3}, {"abc", 4}}},
                     {"merges", {"a b", "ab c"}}};
    return {{"added_tokens", Json::array({added})},
            {"normalizer", nullptr},
            {"pre_tokenizer", byteLevel},
            {"post_processor", nullptr},
            {"model", model}};
}

struct Placed {
    QTemporaryDir folder;

    void write(const char* name, const std::string& text) const {
        std::ofstream(path() / name, std::ios::binary) << text;
    }
    std::filesystem::path path() const { return folder.path().toStdString(); }
};

std::unique_ptr<Tokenizer> load(const Json& description) {
    const Placed placed;
    placed.write("tokenizer.json", description.dump());
    return Tokenizer::fromFolder(placed.path());
}

template <typename Call>
std::string messageOf(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

// A GGUF's metadata as the tokenizer.json's vocabulary has it.
Json ggufOf(const Json& description) {
    const Json& model = description["model"];
    std::map<TokenId, std::string> tokens;
    for (const auto& [token, id] : model["vocab"].items())
        tokens[id.get<TokenId>()] = token;
    Json list = Json::array();
    Json types = Json::array();
    for (const auto& [id, token] : tokens) {
        list.push_back(token);
        types.push_back(token.starts_with("<0x") && token.size() == 6 ? 6 : 1);
    }
    for (const auto& added : description["added_tokens"])
        types[added["id"].get<std::size_t>()] = 3;
    return {{"tokenizer.ggml.tokens", list}, {"tokenizer.ggml.token_type", types}};
}

}  // namespace

class TestTokenizer : public QObject {
    Q_OBJECT

  private:
    void rowsOfOracles() {
        QTest::addColumn<QString>("name");
        if (oracles().empty() || !std::filesystem::exists(oracles())) {
            QTest::newRow("none") << QString();
            return;
        }
        std::vector<std::string> names;
        for (const auto& entry : std::filesystem::directory_iterator(oracles()))
            if (std::filesystem::exists(entry.path() / "cases.json"))
                names.push_back(entry.path().filename().string());
        std::ranges::sort(names);
        for (const auto& name : names)
            QTest::newRow(name.c_str()) << QString::fromStdString(name);
    }

  private Q_SLOTS:
    // --- against the package ---

    void sameIdsAsThePackage_data() { rowsOfOracles(); }
    void sameIdsAsThePackage() {
        QFETCH(QString, name);
        if (name.isEmpty())
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const auto folder = oracles() / name.toStdString();
        const auto tokenizer = Tokenizer::fromFolder(folder);
        const auto cases = casesOf(folder);
        QVERIFY(cases.size() >= 2000);
        compareAll(*tokenizer, cases);
        for (const auto& one : cases)
            for (const TokenId id : one.ids)
                QVERIFY(id < tokenizer->vocabularySize());
    }

    void firstIdsOfALongText_data() { rowsOfOracles(); }
    void firstIdsOfALongText() {
        QFETCH(QString, name);
        if (name.isEmpty())
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const auto folder = oracles() / name.toStdString();
        const auto tokenizer = Tokenizer::fromFolder(folder);
        auto& pipeline = const_cast<Pipeline&>(pipelineOf(*tokenizer));
        const std::string text = joined(casesOf(folder));
        pipeline.setChunk(text.size());
        const auto whole = tokenizer->encode(text);

        // Cut wherever it may be cut: the same ids.
        pipeline.setChunk(1);
        const auto cut = tokenizer->encode(text);
        QVERIFY2(cut == whole, qPrintable(QString("%1 and %2 ids").arg(cut.size()).arg(whole.size())));

        for (const std::size_t most : {0U, 1U, 2U, 3U, 7U, 100U, 1000U, 5000U}) {
            const std::vector<TokenId> expected(
                whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(std::min(most, whole.size())));
            for (const std::size_t chunk : {std::size_t{1}, std::size_t{500}, text.size()}) {
                pipeline.setChunk(chunk);
                QCOMPARE(tokenizer->encode(text, most), expected);
            }
        }
        QCOMPARE(tokenizer->encode(text, whole.size() + 1), whole);
    }

    void theCommonTokenizersCut() {
        for (const char* name : {"gpt2", "llama2", "smollm2", "neox", "llama3", "qwen2", "metaspace_always",
                                 "unigram_t5", "bert_uncased"}) {
            if (!std::filesystem::exists(oracles() / name))
                QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
            QVERIFY2(pipelineOf(*Tokenizer::fromFolder(oracles() / name)).cuts(), name);
        }
    }

    void classesOfCodePoints_data() {
        QTest::addColumn<QString>("name");
        for (const char* name :
             {"letter", "number", "mark", "nonspacing", "other", "numeric", "space", "word", "punctuation"})
            QTest::newRow(name) << name;
    }
    void classesOfCodePoints() {
        QFETCH(QString, name);
        if (!std::filesystem::exists(oracles() / "code_points.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const std::map<QString, bool (*)(char32_t)> functions{
            {"letter", unicode::isLetter},
            {"number", unicode::isNumber},
            {"mark", unicode::isMark},
            {"numeric", unicode::isNumeric},
            {"space", unicode::isSpace},
            {"word", unicode::isWord},
            {"punctuation", unicode::isPunctuation},
            {"nonspacing", unicode::isNonspacing},
            {"other", unicode::isOther},
        };
        std::vector<bool> expected(0x110000);
        const Json classes = readJson(oracles() / "code_points.json");
        for (const auto& range : classes.at(name.toStdString()))
            for (auto point = range[0].get<std::size_t>(); point <= range[1].get<std::size_t>(); ++point)
                expected[point] = true;
        for (char32_t point = 1; point < expected.size(); ++point)
            if (point < 0xD800 || point > 0xDFFF)
                QVERIFY2(functions.at(name)(point) == expected[point],
                         qPrintable(QString::number(point, 16)));
    }

    // The scanner against the general engine, on the same patterns.
    void scansAsTheEngineMatches_data() {
        QTest::addColumn<QByteArray>("pattern");
        QTest::newRow("GPT-2") << QByteArray::fromStdString(std::string(WordScanner::gpt2));
        QTest::newRow("Llama 3") << QByteArray::fromStdString(std::string(WordScanner::llama3));
        QTest::newRow("Qwen2") << QByteArray::fromStdString(std::string(WordScanner::qwen2));
    }
    void scansAsTheEngineMatches() {
        QFETCH(QByteArray, pattern);
        const Regex regex(pattern.toStdString());
        const auto scanner = WordScanner::forPattern(pattern.toStdString());
        QVERIFY(scanner);
        // All short words over an alphabet with every kind of character that the patterns tell apart.
        const std::vector<std::string> alphabet{"a",  "S",  "1", ".", "'",      " ", "\t",
                                                "\r", "\n", "é", "½", "\u00a0", "ſ", "ll"};
        std::size_t count = 0;
        for (std::size_t n = 1, words = alphabet.size(); n <= 5; ++n, words *= alphabet.size()) {
            const std::size_t step = n < 5 ? 1 : 7;
            for (std::size_t word = 0; word < words; word += step) {
                std::string text;
                for (std::size_t k = 0, rest = word; k < n; ++k, rest /= alphabet.size())
                    text += alphabet[rest % alphabet.size()];
                Regex::Matches matches(regex, text);
                for (std::size_t start = 0; start < text.size();) {
                    const auto match = matches.next();
                    const std::size_t end = scanner->end(text, start);
                    QVERIFY2(match && match->first == start && match->second == end, text.c_str());
                    start = end;
                }
                ++count;
            }
        }
        QVERIFY(count > 100000);
    }

    // --- GGUF ---

    void sampleGgufGivesTheFoldersIds() {
        const auto file = sample() / "SmolLM2-135M-Instruct.Q4_1.gguf";
        if (!std::filesystem::exists(file))
            QSKIP("no sample: run packaging/run.sh once, or set STRAIGHTEDGE_SAMPLE");
        if (!std::filesystem::exists(oracles() / "smollm2" / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const auto checkpoint = checkpoint::Checkpoint::open(file);
        const auto tokenizer = Tokenizer::fromGguf(checkpoint->metadata(), file.string());
        QCOMPARE(tokenizer->vocabularySize(), 49152);
        QCOMPARE(tokenizer->description(),
                 std::string("byte-level BPE, 49,152 tokens, split like GPT-2's, with single digits"));
        compareAll(*tokenizer, casesOf(oracles() / "smollm2"));
    }

    // A SentencePiece vocabulary as a GGUF has it: with scores, the better the earlier a merge makes the
    // piece, and without merges.
    void sentencePieceByScores() {
        if (!std::filesystem::exists(oracles() / "llama2" / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const Json description = readJson(oracles() / "llama2" / "tokenizer.json");
        Json metadata = ggufOf(description);
        metadata["tokenizer.ggml.model"] = "llama";
        std::vector<double> scores(metadata["tokenizer.ggml.tokens"].size(), 0);
        double score = 0;
        for (const auto& merge : description["model"]["merges"]) {
            std::string piece = merge.get<std::string>();
            piece.erase(piece.find(' '), 1);
            double& own = scores[description["model"]["vocab"][piece].get<std::size_t>()];
            own = own == 0 ? --score : own;
        }
        metadata["tokenizer.ggml.scores"] = scores;
        metadata["tokenizer.ggml.unknown_token_id"] = 0;
        auto cases = casesOf(oracles() / "llama2");
        compareAll(*Tokenizer::fromGguf(metadata, "test"), cases);

        metadata["tokenizer.ggml.add_bos_token"] = false;
        for (auto& one : cases)
            one.ids.erase(one.ids.begin());
        compareAll(*Tokenizer::fromGguf(metadata, "test"), cases);
    }

    // BERT's vocabulary as a GGUF has it: a mark before what begins a word, no prefix before the rest.
    void wordPiecesOfAGguf_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("uncased") << "bert_uncased";
        QTest::newRow("cased") << "bert_cased";
    }
    void wordPiecesOfAGguf() {
        QFETCH(QString, name);
        const auto folder = oracles() / name.toStdString();
        if (!std::filesystem::exists(folder / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        Json metadata = ggufOf(readJson(folder / "tokenizer.json"));
        metadata["tokenizer.ggml.model"] = "bert";
        auto& tokens = metadata["tokenizer.ggml.tokens"];
        for (std::size_t i = 0; i < tokens.size(); ++i)
            if (metadata["tokenizer.ggml.token_type"][i] == 1) {
                const auto text = tokens[i].get<std::string>();
                const bool ambiguous = text.find("\u2581") != std::string::npos;
                tokens[i] = ambiguous                ? "(none " + std::to_string(i) + ")"
                            : text.starts_with("##") ? text.substr(2)
                                                     : "\u2581" + text;
            }
        auto cases = casesOf(folder);
        std::erase_if(cases, [](const Case& one) { return one.text.find("\u2581") != std::string::npos; });
        QVERIFY(cases.size() > 1000);
        compareAll(*Tokenizer::fromGguf(metadata, "test"), cases);
    }

    void unigramOfAGguf() {
        const auto folder = oracles() / "unigram_t5";
        if (!std::filesystem::exists(folder / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const Json description = readJson(folder / "tokenizer.json");
        Json metadata{{"tokenizer.ggml.model", "t5"}, {"tokenizer.ggml.eos_token_id", 1}};
        for (const auto& [piece, score] :
             description["model"]["vocab"].get<std::vector<std::pair<std::string, double>>>()) {
            const bool special = piece == "<pad>" || piece == "</s>" || piece == "<unk>";
            metadata["tokenizer.ggml.tokens"].push_back(piece);
            metadata["tokenizer.ggml.scores"].push_back(score);
            metadata["tokenizer.ggml.token_type"].push_back(special ? 3 : 1);
        }
        const auto charsmap = QByteArray::fromBase64(
            QByteArray::fromStdString(description["normalizer"]["precompiled_charsmap"].get<std::string>()));
        for (const char byte : charsmap)
            metadata["tokenizer.ggml.precompiled_charsmap"].push_back(static_cast<int>(byte));
        compareAll(*Tokenizer::fromGguf(metadata, "test"), casesOf(folder));
    }

    // The pre-tokenizers that tokenizer.ggml.pre names, against tokenizers of the package built alike.
    void ggufPreNames_data() {
        QTest::addColumn<QString>("pre");
        QTest::addColumn<QString>("oracle");
        QTest::newRow("gpt-2") << "gpt-2"
                               << "gpt2";
        QTest::newRow("olmo") << "olmo"
                              << "nfc";
        QTest::newRow("llama-bpe") << "llama-bpe"
                                   << "llama3";
        QTest::newRow("qwen2") << "qwen2"
                               << "qwen2";
        QTest::newRow("falcon") << "falcon"
                                << "falcon";
        QTest::newRow("deepseek-coder") << "deepseek-coder"
                                        << "deepseek_coder";
        QTest::newRow("deepseek-v3") << "deepseek-v3"
                                     << "deepseek3";
        QTest::newRow("tekken") << "tekken"
                                << "tekken";
        QTest::newRow("default") << "default"
                                 << "unnamed";
    }
    void ggufPreNames() {
        QFETCH(QString, pre);
        QFETCH(QString, oracle);
        const auto folder = oracles() / oracle.toStdString();
        if (!std::filesystem::exists(folder / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const Json description = readJson(folder / "tokenizer.json");
        Json metadata = ggufOf(description);
        metadata["tokenizer.ggml.model"] = "gpt2";
        metadata["tokenizer.ggml.pre"] = pre.toStdString();
        metadata["tokenizer.ggml.bos_token_id"] = 0;
        if (pre == "tekken")
            metadata["tokenizer.ggml.add_bos_token"] = false;
        Json merges = Json::array();
        for (const auto& merge : description["model"]["merges"])
            merges.push_back(merge.is_string()
                                 ? merge.get<std::string>()
                                 : merge[0].get<std::string>() + " " + merge[1].get<std::string>());
        metadata["tokenizer.ggml.merges"] = merges;
        compareAll(*Tokenizer::fromGguf(metadata, "test"), casesOf(folder));
    }

    void ggufRefusals_data() {
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");  // JSON; empty: the key is taken away
        QTest::addColumn<QString>("message");
        QTest::newRow("no tokenizer") << "model"
                                      << ""
                                      << "tokenizer.ggml.model is missing";
        QTest::newRow("kind") << "model"
                              << "\"rwkv\""
                              << "tokenizer of kind \"rwkv\"";
        QTest::newRow("unigram without scores") << "model"
                                                << "\"t5\""
                                                << "tokenizer.ggml.scores is missing";
        QTest::newRow("no cls") << "model"
                                << "\"bert\""
                                << "tokenizer is to add a token that is missing";
        QTest::newRow("pre name") << "pre"
                                  << "\"gpt-9\""
                                  << "pre-tokenizer \"gpt-9\" (tokenizer.ggml.pre) is not known";
        QTest::newRow("no tokens") << "tokens"
                                   << ""
                                   << "tokenizer.ggml.tokens is missing";
        QTest::newRow("token twice") << "tokens"
                                     << "[\"a\", \"b\", \"a\"]"
                                     << "tokenizer.ggml.tokens[2] is there twice";
        QTest::newRow("token no text") << "tokens"
                                       << "[\"a\", 3]"
                                       << "tokenizer.ggml.tokens[1] is malformed";
        QTest::newRow("no merges") << "merges"
                                   << ""
                                   << "tokenizer.ggml.merges is missing";
        QTest::newRow("merge malformed") << "merges"
                                         << "[\"ab\"]"
                                         << "tokenizer.ggml.merges is malformed";
        QTest::newRow("merge unknown") << "merges"
                                       << "[\"a z\"]"
                                       << "token of a merge is not in the vocabulary";
        QTest::newRow("types too few") << "token_type"
                                       << "[1]"
                                       << "tokenizer.ggml.token_type is malformed";
        QTest::newRow("types no numbers") << "token_type"
                                          << "[1, 1, \"x\"]"
                                          << "tokenizer.ggml.token_type is malformed";
        QTest::newRow("bos out of range") << "bos_token_id"
                                          << "3"
                                          << "tokenizer.ggml.bos_token_id is no token";
        QTest::newRow("bos missing") << "bos_token_id"
                                     << ""
                                     << "tokenizer is to add a token that is missing";
        QTest::newRow("scores missing") << "model"
                                        << "\"llama\""
                                        << "tokenizer.ggml.scores is missing";
    }
    void ggufRefusals() {
        QFETCH(QString, key);
        QFETCH(QString, value);
        QFETCH(QString, message);
        Json metadata{{"tokenizer.ggml.model", "gpt2"},
                      {"tokenizer.ggml.pre", "gpt-2"},
                      {"tokenizer.ggml.tokens", {"a", "b", "ab"}},
                      {"tokenizer.ggml.merges", {"a b"}},
                      {"tokenizer.ggml.add_bos_token", true},
                      {"tokenizer.ggml.bos_token_id", 0}};
        QCOMPARE(Tokenizer::fromGguf(metadata, "tiny.gguf")->encode("aba"), (std::vector<TokenId>{0, 2, 0}));
        const std::string full = "tokenizer.ggml." + key.toStdString();
        if (value.isEmpty())
            metadata.erase(full);
        else
            metadata[full] = Json::parse(value.toStdString());
        const auto found =
            QString::fromStdString(messageOf([&] { Tokenizer::fromGguf(metadata, "tiny.gguf"); }));
        QVERIFY2(found.startsWith("tiny.gguf") && found.contains(message), qPrintable(found));
    }

    void ggufTokenOfBrokenUtf8IsRefused() {
        const Json metadata{{"tokenizer.ggml.model", "gpt2"},
                            {"tokenizer.ggml.pre", "gpt-2"},
                            {"tokenizer.ggml.tokens", {"a", "\xE2\x96"}},
                            {"tokenizer.ggml.merges", Json::array()}};
        const auto found = messageOf([&] { Tokenizer::fromGguf(metadata, "tiny.gguf"); });
        QVERIFY2(found.find("tokenizer.ggml.tokens[1] is malformed") != std::string::npos, found.c_str());
    }

    // --- tokenizer.json that is no good ---

    void refusals_data() {
        QTest::addColumn<QString>("pointer");
        QTest::addColumn<QString>("value");  // JSON, with ' for "; empty: taken away
        QTest::addColumn<QString>("message");
        const auto row = [](const char* name, const char* pointer, const char* value, const char* message) {
            QTest::newRow(name) << pointer << value << message;
        };
        row("model missing", "/model", "", "tokenizer part is malformed");
        row("model unknown", "/model/type", "\"WordLevel\"", "model of type WordLevel is not known");
        row("vocabulary missing", "/model/vocab", "", "\"vocab\"");
        row("vocabulary is a list", "/model/vocab", "[[\"a\", 0.5]]", "\"vocab\"");
        row("id negative", "/model/vocab/a", "-1", "token has no id");
        row("id too large", "/model/vocab/a", "4294967296", "token has no id");
        row("id no number", "/model/vocab/a", "\"0\"", "token has no id");
        row("merges missing", "/model/merges", "", "\"merges\"");
        row("merge of three", "/model/merges/0", "\"a b c\"", "merge is malformed");
        row("merge of one", "/model/merges/0", "[\"a\"]", "merge is malformed");
        row("merge not in vocabulary", "/model/merges/0", "\"b c\"",
            "token of a merge is not in the vocabulary");
        row("word pieces without unknown token", "/model/type", "\"WordPiece\"",
            "unknown token is not in the vocabulary");
        row("unigram without scores", "/model", "{'type': 'Unigram', 'vocab': ['a']}", "token has no score");
        row("unigram empty", "/model", "{'type': 'Unigram', 'vocab': []}", "\"vocab\"");
        row("unigram unknown token", "/model", "{'type': 'Unigram', 'vocab': [['a', 0]], 'unk_id': 1}",
            "unknown token is not in the vocabulary");
        row("unigram sampling", "/model", "{'type': 'Unigram', 'vocab': [['a', 0]], 'alpha': 0.1}",
            "Unigram with sampling");
        row("unknown token missing", "/model/unk_token", "\"<unk>\"",
            "unknown token is not in the vocabulary");
        row("dropout", "/model/dropout", "0.1", "BPE with dropout");
        row("normalizer unknown", "/normalizer", "{'type': 'Rot13'}",
            "normalizer of type Rot13 is not known");
        row("normalizer no object", "/normalizer", "\"NFC\"", "tokenizer part is malformed");
        row("normalizer in sequence", "/normalizer",
            "{'type': 'Sequence', 'normalizers': [{'type': 'NFC'}, {'type': 'Rot13'}]}",
            "normalizer of type Rot13 is not known");
        row("charsmap missing", "/normalizer", "{'type': 'Precompiled'}", "\"precompiled_charsmap\"");
        row("charsmap no Base64", "/normalizer", "{'type': 'Precompiled', 'precompiled_charsmap': '!'}",
            "Base64");
        row("charsmap cut short", "/normalizer", "{'type': 'Precompiled', 'precompiled_charsmap': 'AAAA'}",
            "precompiled_charsmap is malformed");
        row("charsmap longer than itself", "/normalizer",
            "{'type': 'Precompiled', 'precompiled_charsmap': '/////w=='}",
            "precompiled_charsmap is malformed");
        row("bert field", "/normalizer", "{'type': 'BertNormalizer', 'clean_text': true}", "\"lowercase\"");
        row("normalizer pattern", "/normalizer",
            "{'type': 'Replace', 'pattern': {'Regex': '('}, 'content': ''}",
            "regular expression is malformed");
        row("normalizer empty pattern", "/normalizer",
            "{'type': 'Replace', 'pattern': {'String': ''}, 'content': ''}",
            "normalizer Replace has an empty pattern");
        row("pre-tokenizer unknown", "/pre_tokenizer/type", "\"UnicodeScripts\"",
            "pre-tokenizer of type UnicodeScripts is not known");
        row("pre-tokenizer without type", "/pre_tokenizer/type", "", "\"type\"");
        row("pre-tokenizer field", "/pre_tokenizer/use_regex", "1", "\"use_regex\"");
        row("split behaviour", "/pre_tokenizer",
            "{'type': 'Split', 'pattern': {'String': 'x'}, 'behavior': 'Mixed', 'invert': false}",
            "behaviour of a split is not known");
        row("split pattern", "/pre_tokenizer",
            "{'type': 'Split', 'pattern': {'Regex': '[a'}, 'behavior': 'Isolated', 'invert': false}",
            "regular expression is malformed");
        row("metaspace replacement", "/pre_tokenizer", "{'type': 'Metaspace', 'replacement': '__'}",
            "\"replacement\"");
        row("metaspace scheme", "/pre_tokenizer",
            "{'type': 'Metaspace', 'replacement': '_', 'prepend_scheme': 'last'}",
            "prepend_scheme of Metaspace is not known");
        row("post-processor unknown", "/post_processor", "{'type': 'Other'}",
            "post-processor of type Other is not known");
        row("template without text", "/post_processor",
            "{'type': 'TemplateProcessing', 'single': [], 'special_tokens': {}}", "does not use the text");
        row("template token", "/post_processor",
            "{'type': 'TemplateProcessing', 'single': [{'SpecialToken': {'id': '<s>'}}, {'Sequence': {'id': "
            "'A'}}], 'special_tokens': {}}",
            "tokenizer part is malformed");
        row("cls", "/post_processor", "{'type': 'BertProcessing', 'cls': ['a', 0], 'sep': ['b']}", "\"sep\"");
        row("added token id", "/added_tokens/0/id", "9", "added token \"<s>\" has another id");
        row("added token flag", "/added_tokens/0/lstrip", "", "\"lstrip\"");
        row("added tokens", "/added_tokens", "{}", "\"added_tokens\"");
    }
    void refusals() {
        QFETCH(QString, pointer);
        QFETCH(QString, value);
        QFETCH(QString, message);
        Json description = smallTokenizer();
        QCOMPARE(load(description)->encode("abcab<s>c"), (std::vector<TokenId>{4, 3, 5, 2}));
        const Json::json_pointer place(pointer.toStdString());
        if (value.isEmpty())
            description[place.parent_pointer()].erase(place.back());
        else
            description[place] = Json::parse(value.replace('\'', '"').toStdString());
        const auto found = QString::fromStdString(messageOf([&] { load(description); }));
        QVERIFY2(found.contains("tokenizer.json") && found.contains(message), qPrintable(found));
    }

    void refusesDeepNesting() {
        Json part{{"type", "NFC"}};
        for (int i = 0; i < 1000; ++i)
            part = {{"type", "Sequence"}, {"normalizers", Json::array({part})}};
        Json description = smallTokenizer();
        description["normalizer"] = part;
        const auto found = messageOf([&] { load(description); });
        QVERIFY2(found.find("nested too deeply") != std::string::npos, found.c_str());
    }

    void refusesBrokenFiles() {
        const Placed placed;
        QVERIFY(messageOf([&] { Tokenizer::fromFolder(placed.path()); }).find("no tokenizer found") !=
                std::string::npos);
        const std::string whole = smallTokenizer().dump();
        placed.write("tokenizer.json", whole.substr(0, whole.size() / 2));
        QVERIFY(messageOf([&] { Tokenizer::fromFolder(placed.path()); }).find("no valid JSON") !=
                std::string::npos);
        placed.write("tokenizer.json", "[]");
        QVERIFY(messageOf([&] { Tokenizer::fromFolder(placed.path()); }).find("malformed") !=
                std::string::npos);
    }

    // --- vocab.json and merges.txt ---

    // GPT-2's own files, taken from its tokenizer.json.
    void vocabAndMerges() {
        if (!std::filesystem::exists(oracles() / "gpt2" / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const Json description = readJson(oracles() / "gpt2" / "tokenizer.json");
        std::string merges = "#version: 0.2\n";
        for (const auto& merge : description["model"]["merges"])
            merges += merge.get<std::string>() + "\r\n";
        const Placed placed;
        placed.write("vocab.json", description["model"]["vocab"].dump());
        placed.write("merges.txt", merges);
        const auto cases = casesOf(oracles() / "gpt2");
        compareAll(*Tokenizer::fromFolder(placed.path()), cases);

        const Json config{{"tokenizer_class", "GPT2Tokenizer"},
                          {"add_bos_token", true},
                          {"add_prefix_space", true},
                          {"bos_token", {{"content", "<|endoftext|>"}}}};
        placed.write("tokenizer_config.json", config.dump());
        const auto tokenizer = Tokenizer::fromFolder(placed.path());
        auto expected = Tokenizer::fromFolder(oracles() / "gpt2")->encode(" Hello world");
        expected.insert(expected.begin(), 50256);
        QCOMPARE(tokenizer->encode("Hello world"), expected);

        placed.write("tokenizer_config.json", Json{{"tokenizer_class", "CLIPTokenizer"}}.dump());
        QVERIFY(messageOf([&] { Tokenizer::fromFolder(placed.path()); }).find("CLIPTokenizer") !=
                std::string::npos);
    }

    // --- vocab.txt ---

    void vocabTxt_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("config");  // tokenizer_config.json
        QTest::newRow("class") << "bert_uncased"
                               << "{\"tokenizer_class\": \"BertTokenizerFast\"}";
        QTest::newRow("cased") << "bert_cased"
                               << "{\"tokenizer_class\": \"DistilBertTokenizer\", \"do_lower_case\": false}";
        QTest::newRow("MPNet") << "bert_mpnet"
                               << "{\"tokenizer_class\": \"MPNetTokenizer\"}";
        QTest::newRow("model type") << "bert_uncased" << QString();
    }
    void vocabTxt() {
        QFETCH(QString, name);
        QFETCH(QString, config);
        const auto folder = oracles() / name.toStdString();
        if (!std::filesystem::exists(folder / "cases.json"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        const Json tokens = ggufOf(readJson(folder / "tokenizer.json"))["tokenizer.ggml.tokens"];
        std::string lines;
        for (std::size_t i = 0; i < tokens.size(); ++i)
            lines += tokens[i].get<std::string>() + (i % 2 ? "\r\n" : "\n");
        const Placed placed;
        placed.write("vocab.txt", lines);
        if (config.isEmpty())
            placed.write("config.json", "{\"model_type\": \"bert\"}");
        else
            placed.write("tokenizer_config.json", config.toStdString());
        compareAll(*Tokenizer::fromFolder(placed.path()), casesOf(folder));

        placed.write("tokenizer_config.json", "{\"tokenizer_class\": \"EsmTokenizer\"}");
        QVERIFY(messageOf([&] { Tokenizer::fromFolder(placed.path()); }).find("EsmTokenizer") !=
                std::string::npos);
    }

    void sentencePieceFileIsRefused() {
        const Placed placed;
        placed.write("tokenizer.model", "\n");
        const auto found = messageOf([&] { Tokenizer::fromFolder(placed.path()); });
        QVERIFY2(found.find("SentencePiece") != std::string::npos &&
                     found.find("tokenizer.model") != std::string::npos,
                 found.c_str());
    }

    // Any trie may come with a file: none may lead out of it.
    void survivesSpoiltCharsmaps() {
        if (!std::filesystem::exists(oracles() / "unigram_t5"))
            QSKIP("no oracles: run tests/data/make_tokenizer_oracles.py and set STRAIGHTEDGE_ORACLES");
        Json description = smallTokenizer();
        description["normalizer"] = readJson(oracles() / "unigram_t5" / "tokenizer.json")["normalizer"];
        auto& base64 = description["normalizer"]["precompiled_charsmap"];
        const auto sound = QByteArray::fromBase64(QByteArray::fromStdString(base64.get<std::string>()));
        const std::string text = joined(casesOf(oracles() / "unigram_t5")).substr(0, 4000) + "c";
        std::mt19937 random(3);
        int refused = 0;
        for (int i = 0; i < 60; ++i) {
            QByteArray spoilt = sound;
            for (int k = 0; k < 20000; ++k)
                spoilt[4 + random() % static_cast<unsigned>(spoilt.size() - 4)] = static_cast<char>(random());
            base64 = spoilt.toBase64().toStdString();
            refused +=
                messageOf([&] { load(description)->encode(unicode::isValid(text) ? text : "c"); }).empty()
                    ? 0
                    : 1;
        }
        QVERIFY(refused > 0);
    }

    // --- speed ---

    void speed_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt2", "smollm2", "llama2", "unigram_t5", "bert_uncased"})
            QTest::newRow(name) << name;
    }
    void speed() {
        QFETCH(QString, name);
        const auto file = sample() / "shakespeare.txt";
        if (!std::filesystem::exists(file) || !std::filesystem::exists(oracles() / name.toStdString()))
            QSKIP("no sample or no oracles");
        const std::string text = readText(file);
        const auto tokenizer = Tokenizer::fromFolder(oracles() / name.toStdString());
        QElapsedTimer timer;
        timer.start();
        const auto ids = tokenizer->encode(text);
        const auto all = timer.nsecsElapsed();
        timer.start();
        const auto first = tokenizer->encode(text, 15000);
        const auto some = timer.nsecsElapsed();
        QCOMPARE(first, std::vector<TokenId>(ids.begin(), ids.begin() + 15000));
        qInfo("%.1f million characters a second; the first 15,000 ids in %.1f ms",
              static_cast<double>(text.size()) / static_cast<double>(all) * 1e3,
              static_cast<double>(some) / 1e6);
        QVERIFY(some * 5 < all);  // no more of the text is worked through than it takes
    }
};

QTEST_GUILESS_MAIN(TestTokenizer)
#include "tst_tokenizer.moc"
