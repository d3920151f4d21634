// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>
#include <fstream>
#include <nlohmann/json.hpp>

#include "error.h"
#include "text/corpus.h"

using namespace straightedge;
using namespace straightedge::text;

namespace {

// One id a byte, so that windows are easy to foretell; notes how much it was asked for.
class ByteTokenizer : public Tokenizer {
  public:
    std::vector<TokenId> encode(std::string_view utf8, std::size_t most) const override {
        asked = most;
        const auto bytes = utf8.substr(0, most);
        return {bytes.begin(), bytes.end()};
    }
    std::int64_t vocabularySize() const override { return 128; }
    std::string description() const override { return "bytes"; }

    mutable std::size_t asked = 0;
};

std::string bytesOf(const nlohmann::json& hex) {
    return QByteArray::fromHex(QByteArray::fromStdString(hex.get<std::string>())).toStdString();
}

nlohmann::json cases() {
    std::ifstream file(TEST_DATA "/corpus_cases.json");
    return nlohmann::json::parse(file);
}

std::filesystem::path write(const QTemporaryDir& folder, const char* name, const std::string& bytes) {
    const auto path = std::filesystem::path(folder.path().toStdString()) / name;
    std::ofstream(path, std::ios::binary) << bytes;
    return path;
}

// The `what` of the error that `call` throws; empty when it throws none.
template <typename Call>
std::string whatOf(Call call) {
    try {
        call();
    } catch (const Error& error) {
        return error.parts().what;
    }
    return {};
}

}  // namespace

class TestCorpus : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void decodesAsPythonDoes() {
        const auto all = cases()["decode"];
        QVERIFY(all.size() > 400);
        for (const auto& one : all)
            QCOMPARE(QByteArray::fromStdString(decodeUtf8(bytesOf(one["bytes"]))).toHex(),
                     QByteArray::fromStdString(one["text"].get<std::string>()).toHex());
    }

    void dividesAsTheProtocolSays() {
        const auto all = cases()["divide"];
        QVERIFY(all.size() > 400);
        for (const auto& one : all) {
            const std::string bytes = bytesOf(one["bytes"]);
            const auto [capture, evaluation] = divide(bytes);
            QCOMPARE(capture.size(), one["cut"].get<std::size_t>());
            QCOMPARE(std::string(capture) + std::string(evaluation), bytes);
        }
    }

    void readsOneFile() {
        const QTemporaryDir folder;
        std::string text = "\xEF\xBB\xBF";
        for (int i = 0; i < 100; ++i)
            text += "line\r\n";
        const auto path = write(folder, "play.txt", text);
        const auto corpus = readCorpus(path);
        QCOMPARE(corpus.name, std::string("play.txt"));
        QVERIFY(!corpus.evaluationFile);
        QCOMPARE(corpus.captureFile.path, path);
        QCOMPARE(corpus.captureFile.bytes, 603U);
        // sha256sum
        QCOMPARE(corpus.captureFile.hash,
                 std::string("9a0d38bc1177f9fe9f4bc6bd3def66288bb3ab621c43bfaefe4af77aaa203e5d"));
        QCOMPARE(corpus.capture.size(), 546U);
        QCOMPARE(corpus.capture.substr(0, 6), std::string("line\r\n"));
        QCOMPARE(corpus.evaluation.size(), 54U);
    }

    void readsTwoFiles() {
        const QTemporaryDir folder;
        const auto corpus = readCorpus(write(folder, "a.txt",
                                             "a\xFF"
                                             "b"),
                                       write(folder, "b.txt", std::string("c\0d", 3)));
        QCOMPARE(corpus.capture, std::string("a\uFFFDb"));
        QCOMPARE(corpus.evaluation, std::string("c\0d", 3));
        QVERIFY(corpus.evaluationFile);
        QCOMPARE(corpus.evaluationFile->bytes, 3U);
        QCOMPARE(corpus.evaluationFile->hash,
                 std::string("b6f9c4dc605e6ff306d0ec1650ca46797dfd774f615da2a5765d5bd415551086"));
    }

    void refusesWhatIsNoText() {
        const QTemporaryDir folder;
        const std::filesystem::path place = folder.path().toStdString();
        QCOMPARE(whatOf([&] { readCorpus(place / "none.txt"); }), std::string("text file is missing"));
        QCOMPARE(whatOf([&] { readCorpus(place); }), std::string("not a text file"));
        QCOMPARE(whatOf([&] { readCorpus(write(folder, "empty.txt", "")); }),
                 std::string("text file is empty"));
        QCOMPARE(whatOf([&] { readCorpus(write(folder, "a.txt", "a"), place / "none.txt"); }),
                 std::string("text file is missing"));
    }

    void cutsWholeWindows() {
        const ByteTokenizer tokenizer;
        const auto windows = cutWindows(tokenizer, "abcdefghijk", 3, 8);
        QCOMPARE(windows.count, 2);
        QCOMPARE(windows.length, 3);
        QCOMPARE(windows.tokens(), 6);
        QCOMPARE(windows.ids, (std::vector<TokenId>{'a', 'b', 'c', 'd', 'e', 'f'}));
        QCOMPARE(tokenizer.asked, 6U);  // no more than the windows need

        QCOMPARE(cutWindows(tokenizer, "abcdefghijk", 3, 3000).ids.size(), 9U);  // the text is shorter
        QCOMPARE(cutWindows(tokenizer, "abc", 3, 3).count, 1);
    }

    void refusesWindowsThatCannotBe() {
        const ByteTokenizer tokenizer;
        QCOMPARE(whatOf([&] { cutWindows(tokenizer, "ab", 3, 6); }),
                 std::string("text is too short for one window"));
        QCOMPARE(whatOf([&] { cutWindows(tokenizer, "ab", 1, 6); }), std::string("window is too short"));
        QCOMPARE(whatOf([&] { cutWindows(tokenizer, "ab", 4, 3); }),
                 std::string("fewer tokens asked for than one window has"));
        QCOMPARE(whatOf([&] { cutWindows(tokenizer, "abcd", 2, -1); }),
                 std::string("fewer tokens asked for than one window has"));
    }
};

QTEST_GUILESS_MAIN(TestCorpus)
#include "tst_corpus.moc"
