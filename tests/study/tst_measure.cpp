// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "data/tiny_checkpoint.h"
#include "error.h"
#include "expect_values.h"
#include "study/export.h"
#include "study/inspect.h"
#include "study/measure.h"

using namespace straightedge;
using namespace straightedge::study;

namespace {

StudySettings settingsFor(const TinyCheckpoint& tiny) {
    const nlohmann::json expected = tiny.values();
    StudySettings settings;
    settings.model = tiny.path();
    settings.corpus = std::filesystem::path(TEST_DATA) / "text.txt";
    settings.tokens = expected["tokens"];
    settings.seqLen = expected["seq_len"];
    return settings;
}

Run quietly(const StudySettings& settings) {
    Observer quiet;
    return measure(settings, {}, quiet);
}

// Counts what it is told, and asks for a stop after so many blocks.
struct Recorder : Observer {
    int headers = 0, blocks = 0, stopAfter = 1 << 30;
    double fraction = 0;
    bool backwards = false;
    std::stop_source stop;

    void started(const RunHeader&) override { ++headers; }
    void progressed(const Progress& progress) override {
        backwards = backwards || progress.fraction < fraction;
        fraction = progress.fraction;
    }
    void blockFinished(const BlockResult&) override {
        if (++blocks == stopAfter)
            stop.request_stop();
    }
};

}  // namespace

class TestMeasure : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void valuesAreThoseOfTheReference_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < tinyCheckpoints.size(); ++i)
            QTest::newRow(tinyCheckpoints[i].name) << static_cast<int>(i);
    }
    void valuesAreThoseOfTheReference() {
        QFETCH(int, index);
        const TinyCheckpoint& tiny = tinyCheckpoints[static_cast<std::size_t>(index)];
        const nlohmann::json expected = tiny.values();
        const Run run = quietly(settingsFor(tiny));
        QCOMPARE(run.state, RunState::Finished);
        QCOMPARE(run.header.rows, expected["rows"].get<std::int64_t>());
        QCOMPARE(run.blocks.size(), expected["blocks"].size());
        for (std::size_t i = 0; i < run.blocks.size(); ++i)
            expectValues(run.blocks[i], expected["blocks"][i]);
    }

    // Blocks left out are walked through all the same.
    void chosenBlocksHaveTheSameValues() {
        StudySettings settings = settingsFor(tinyCheckpoints[0]);
        const Run all = quietly(settings);
        settings.blocks = BlockSelection::parse("2");
        const Run one = quietly(settings);
        QCOMPARE(one.blocks.size(), 1U);
        QCOMPARE(one.blocks[0].block, 2);
        QVERIFY(one.blocks[0].values == all.blocks[2].values);
    }

    void sameSettingsGiveTheSameDigits() {
        const StudySettings settings = settingsFor(tinyCheckpoints[1]);
        const Run first = quietly(settings), second = quietly(settings);
        for (std::size_t i = 0; i < first.blocks.size(); ++i)
            QVERIFY(first.blocks[i].values == second.blocks[i].values);
    }

    void observerHearsOfEverythingInOrder() {
        Recorder recorder;
        measure(settingsFor(tinyCheckpoints[0]), {}, recorder);
        QCOMPARE(recorder.headers, 1);
        QCOMPARE(recorder.blocks, 3);
        QVERIFY(!recorder.backwards);
    }

    void stopKeepsWhatIsFinished() {
        Recorder recorder;
        recorder.stopAfter = 2;
        const Run run = measure(settingsFor(tinyCheckpoints[0]), recorder.stop.get_token(), recorder);
        QCOMPARE(run.state, RunState::Cancelled);
        QCOMPARE(run.blocks.size(), 2U);
    }

    void fewRowsAndShortTextsAreSaid() {
        StudySettings settings = settingsFor(tinyCheckpoints[0]);
        settings.tokens = 64;
        Run run = quietly(settings);
        QVERIFY(run.header.tooFewRows);
        QVERIFY(QString::fromStdString(run.notes.at(0)).contains("too few rows"));
        settings.tokens = 1'000'000;
        run = quietly(settings);
        QVERIFY(!run.header.tooFewRows);
        QVERIFY(QString::fromStdString(run.notes.at(0)).contains("of the 1000000 asked for"));
    }

    void whatCannotBeMeasuredIsRefused_data() {
        QTest::addColumn<QString>("change");
        QTest::addColumn<QString>("message");
        QTest::newRow("block") << "block" << "blocks 0 to 2";
        QTest::newRow("window") << "window" << "at most 64 tokens a window";
        QTest::newRow("text") << "text" << "text.missing";
        QTest::newRow("model") << "model" << "missing-model";
        QTest::newRow("tokens") << "tokens" << "at least 32";
    }
    void whatCannotBeMeasuredIsRefused() {
        QFETCH(QString, change);
        QFETCH(QString, message);
        StudySettings settings = settingsFor(tinyCheckpoints[0]);
        if (change == "block")
            settings.blocks = BlockSelection::parse("3");
        if (change == "window")
            settings.seqLen = 65;
        if (change == "text")
            settings.corpus = "text.missing";
        if (change == "model")
            settings.model = "missing-model";
        if (change == "tokens")
            settings.tokens = 31;
        try {
            quietly(settings);
            QFAIL("not refused");
        } catch (const Error& error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(message), error.what());
        }
    }

    void inspectKnowsTheSizes() {
        const ModelSummary summary = inspect(tinyCheckpoints[0].path());
        QVERIFY2(summary.supported(), summary.problem.c_str());
        QCOMPARE(summary.family, std::string("gpt2"));
        QCOMPARE(summary.activation, std::string("gelu-tanh"));
        QCOMPARE(summary.blocks, 3);
        QCOMPARE(summary.width, 32);
        QCOMPARE(summary.ffnParameters, 32 * 128 * 2 + 128 + 32);
        QCOMPARE(inspect(tinyCheckpoints[3].path()).ffnParameters, 3 * 32 * 64);
        QCOMPARE(inspect(tinyCheckpoints[4].path()).ffnParameters, 3 * 32 * 64 + 64 + 64 + 32);
        // Tied: 384 x 32 once; 3 blocks of 32 x (32 + 16 + 16 + 32) attention, the FFN and two norms; the last norm.
        QCOMPARE(inspect(tinyCheckpoints[3].path()).parameters, 384 * 32 + 3 * (32 * 96 + 3 * 32 * 64 + 64) + 32);
    }
};

QTEST_GUILESS_MAIN(TestMeasure)
#include "tst_measure.moc"
