// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "data/tiny_checkpoint.h"
#include "error.h"
#include "expect_values.h"
#include "study/export/export.h"
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

StudySettings withPerplexity(const TinyCheckpoint& tiny) {
    StudySettings settings = settingsFor(tiny);
    settings.perplexity = settings.balanced = settings.switched = true;
    settings.evaluationBatches = tiny.values()["eval_batches"];
    return settings;
}

// The tiny checkpoint with an attention sink.
const TinyCheckpoint& massive() {
    return *std::ranges::find_if(tinyCheckpoints,
                                 [](const auto& tiny) { return std::string(tiny.name) == "llama_massive"; });
}

const ReplacementResult* find(const BlockResult& block, ReplacementKind kind) {
    const auto found = std::ranges::find(block.replacements, kind, &ReplacementResult::kind);
    return found == block.replacements.end() ? nullptr : &*found;
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

// Asks for a stop after so many of whatever it is told.
struct Interrupter : Observer {
    explicit Interrupter(int calls) : left(calls) {}
    int left, fitted = 0;
    std::stop_source stop;

    void tick() {
        if (--left == 0)
            stop.request_stop();
    }
    void progressed(const Progress&) override { tick(); }
    void blockFinished(const BlockResult& block) override {
        fitted += block.values[Metric::Dppl] ? 0 : 1;
        tick();
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

    void perplexitiesAreThoseOfTheReference_data() { valuesAreThoseOfTheReference_data(); }
    void perplexitiesAreThoseOfTheReference() {
        QFETCH(int, index);
        const TinyCheckpoint& tiny = tinyCheckpoints[static_cast<std::size_t>(index)];
        const nlohmann::json expected = tiny.values();
        const Run run = quietly(withPerplexity(tiny));
        if (expected["base_ppl"].is_null()) {  // an encoder: measured all the same
            QVERIFY(!run.basePpl);
            QCOMPARE(run.blocks.size(), expected["blocks"].size());
            QVERIFY(std::ranges::count(run.notes, std::string("a masked model predicts no next tokens: "
                                                              "measured without perplexity")) == 1);
            return;
        }
        const double base = expected["base_ppl"];
        QVERIFY(run.basePpl && std::abs(*run.basePpl / base - 1) < 1e-4);
        QVERIFY(run.basePplSe && *run.basePplSe > 0);
        for (std::size_t i = 0; i < run.blocks.size(); ++i) {
            const auto& block = expected["blocks"][i];
            const std::pair<ReplacementKind, const char*> names[] = {
                {ReplacementKind::Linear, "dppl"},
                {ReplacementKind::BalancedHalf, "dppl_balanced_0.5"},
                {ReplacementKind::BalancedFourFifths, "dppl_balanced_0.8"},
                {ReplacementKind::Switched, "dppl_switched"}};
            for (const auto& [kind, name] : names) {
                const ReplacementResult* row = find(run.blocks[i], kind);
                QCOMPARE(row != nullptr, block.contains(name));
                if (!row)
                    continue;
                const double want = block[name];
                QVERIFY2(row->dppl && std::abs(*row->dppl - want) < 1e-3 * base,
                         qPrintable(QStringLiteral("block %1 %2: %3 instead of %4")
                                        .arg(i)
                                        .arg(QLatin1String(name))
                                        .arg(row->dppl.value_or(NAN))
                                        .arg(want)));
                QVERIFY(row->dpplSe && *row->dpplSe > 0);
            }
            QCOMPARE(run.blocks[i].values[Metric::Dppl], find(run.blocks[i], ReplacementKind::Linear)->dppl);
        }
    }

    // d = 32: one matrix and a bias; the switched fit's direction, constant and threshold besides.
    void replacementsHaveTheirParameters() {
        StudySettings settings = settingsFor(massive());
        settings.balanced = settings.switched = true;
        const Run run = quietly(settings);
        QCOMPARE(run.blocks[0].replacements.size(), 3U);
        QCOMPARE(run.blocks[1].replacements.size(), 4U);
        for (const ReplacementResult& row : run.blocks[1].replacements)
            QCOMPARE(row.parameters,
                     row.kind == ReplacementKind::Switched ? 32 * 32 + 3 * 32 + 1 : 32 * 32 + 32);
        QCOMPARE(find(run.blocks[1], ReplacementKind::Linear)->r2, run.blocks[1].values[Metric::R2Lin]);
        QVERIFY(!find(run.blocks[1], ReplacementKind::Linear)->dppl);  // not asked for
    }

    // The one of the three one-matrix maps that costs least on the capture text's tail, never by the
    // evaluation text.
    void keptPowerIsTheTailsChoice() {
        const Run run = quietly(withPerplexity(massive()));
        for (const BlockResult& block : run.blocks) {
            const ReplacementResult* kept = nullptr;
            for (const ReplacementResult& row : block.replacements) {
                QCOMPARE(row.tailDppl.has_value(), row.kind != ReplacementKind::Switched);
                if (row.kept) {
                    QVERIFY(!kept);
                    kept = &row;
                }
            }
            QVERIFY(kept);
            for (const ReplacementResult& row : block.replacements)
                QVERIFY(!row.tailDppl || *row.tailDppl >= *kept->tailDppl);
            QCOMPARE(block.values[Metric::DpplBalanced], kept->dppl);
        }
    }

    // Stopped wherever it may be, and gone on with: the same digits, and no block fitted twice.
    void resumedRunEqualsAnUnbrokenOne() {
        StudySettings settings = withPerplexity(massive());
        settings.tokens = 2400;
        const Run whole = quietly(settings);
        for (const int ticks : {1, 4, 9, 12, 15, 18, 20, 35, 60}) {
            const QTemporaryDir folder;
            RunFiles files{folder.path().toStdString(), {}};
            Run run;
            int parts = 0, fitted = 0;
            do {
                Interrupter interrupter(ticks + 3 * parts);  // longer each time, so that it comes to an end
                run = measure(settings, interrupter.stop.get_token(), interrupter, &files);
                files.finished = run.blocks;
                fitted += interrupter.fitted;
                QVERIFY2(++parts < 100, "it never ends");
            } while (run.state == RunState::Cancelled);
            QVERIFY(ticks > 30 || parts > 1);
            QCOMPARE(run.blocks.size(), whole.blocks.size());
            QCOMPARE(run.basePpl, whole.basePpl);
            for (std::size_t i = 0; i < run.blocks.size(); ++i) {
                QVERIFY(run.blocks[i].values == whole.blocks[i].values);
                QVERIFY(run.blocks[i].replacements == whole.blocks[i].replacements);
            }
            QVERIFY(!std::filesystem::exists(files.folder / "state.json"));
        }
    }

    void stateOfAnotherRunIsNotTaken() {
        const QTemporaryDir folder;
        const RunFiles files{folder.path().toStdString(), {}};
        StudySettings settings = settingsFor(massive());
        Recorder recorder;
        recorder.stopAfter = 2;
        measure(settings, recorder.stop.get_token(), recorder, &files);
        QVERIFY(std::filesystem::exists(files.folder / "state.json"));
        settings.tokens = 1600;
        Observer quiet;
        const Run run = measure(settings, {}, quiet, &files);
        QCOMPARE(run.blocks.size(), 3U);
        QVERIFY(run.blocks[0].values == quietly(settings).blocks[0].values);
    }

    void damagedStateStartsOver() {
        const QTemporaryDir folder;
        const RunFiles files{folder.path().toStdString(), {}};
        const StudySettings settings = settingsFor(massive());
        Recorder recorder;
        recorder.stopAfter = 2;
        measure(settings, recorder.stop.get_token(), recorder, &files);
        QFile note(folder.filePath("state.json"));
        QVERIFY(note.open(QIODevice::ReadOnly));
        const int which = nlohmann::json::parse(note.readAll().toStdString())["file"];
        QFile state(folder.filePath(QStringLiteral("state-%1.rows").arg(which)));
        QVERIFY(state.open(QIODevice::ReadWrite) && state.seek(state.size() / 2));
        const char byte = state.peek(1)[0];
        QVERIFY(state.putChar(static_cast<char>(byte ^ 1)));
        state.close();
        Observer quiet;
        const Run run = measure(settings, {}, quiet, &files);
        QCOMPARE(run.blocks.size(), 3U);
        QVERIFY(run.blocks[2].values == quietly(settings).blocks[2].values);
    }

    // Root may write anywhere, so the folder is one that is not there.
    void placeThatCannotBeWrittenIsANoteNotAFailure() {
        const RunFiles files{"/nowhere/run", {}};
        Observer quiet;
        const Run run = measure(settingsFor(massive()), {}, quiet, &files);
        QCOMPARE(run.state, RunState::Finished);
        QCOMPARE(run.blocks.size(), 3U);
        QVERIFY(QString::fromStdString(run.notes.at(0)).contains("cannot be resumed"));
    }

    void mapsAreKept() {
        const QTemporaryDir folder;
        const RunFiles files{folder.path().toStdString(), {}};
        StudySettings settings = settingsFor(massive());
        settings.switched = true;
        Observer quiet;
        measure(settings, {}, quiet, &files);
        for (int block = 0; block < 3; ++block)
            QVERIFY(QFile::exists(folder.filePath(QStringLiteral("block-%1.safetensors").arg(block))));
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
        QTest::newRow("block") << "block"
                               << "blocks 0 to 2";
        QTest::newRow("window") << "window"
                                << "at most 64 tokens a window";
        QTest::newRow("text") << "text"
                              << "text.missing";
        QTest::newRow("model") << "model"
                               << "missing-model";
        QTest::newRow("tokens") << "tokens"
                                << "at least 32";
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
        // Tied: 384 x 32 once; 3 blocks of 32 x (32 + 16 + 16 + 32) attention, the FFN and two norms; the
        // last norm.
        QCOMPARE(inspect(tinyCheckpoints[3].path()).parameters,
                 384 * 32 + 3 * (32 * 96 + 3 * 32 * 64 + 64) + 32);
    }
};

QTEST_GUILESS_MAIN(TestMeasure)
#include "tst_measure.moc"
