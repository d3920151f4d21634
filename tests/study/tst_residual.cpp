// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "checkpoint/mapped_file.h"
#include "checkpoint/safetensors.h"
#include "data/tiny_checkpoint.h"
#include "study/measure.h"
#include "study/store/run_files.h"
#include "study/store/run_json.h"

using namespace straightedge;
using namespace straightedge::study;

namespace {

const TinyCheckpoint& named(const std::string& name) {
    return *std::ranges::find_if(tinyCheckpoints, [&](const auto& tiny) { return name == tiny.name; });
}

StudySettings settingsFor(const TinyCheckpoint& tiny, std::int64_t tokens) {
    StudySettings settings;
    settings.model = tiny.path();
    settings.corpus = std::filesystem::path(TEST_DATA) / "text.txt";
    settings.tokens = tokens;
    settings.seqLen = 32;
    return settings;
}

// Everything there is, of one block.
StudySettings everything() {
    StudySettings settings = settingsFor(named("llama_massive"), 2400);
    settings.perplexity = settings.effectiveRank = settings.heal = true;
    settings.evaluationBatches = 2;
    settings.folds = 5;
    settings.ceilings = {2};
    settings.probes = {Probe::Bilinear, Probe::TrainedLinear, Probe::Dense2x, Probe::Poly2x};
    settings.healSteps = 20;
    settings.residualBlocks = BlockSelection::parse("1");
    return settings;
}

// Hears the curves, and asks for a stop after so many points.
struct Hearer : Observer {
    std::map<std::string, std::vector<CurvePoint>> scores, losses;
    int points = 0, stopAfter = 1 << 30;
    std::stop_source stop;

    void trained(const TrainingPoint& point) override {
        (point.healing ? losses : scores)[std::string(point.what)].push_back(point.point);
        if (++points == stopAfter)
            stop.request_stop();
    }
};

const ReplacementResult* find(const BlockResult& block, ReplacementKind kind) {
    const auto found = std::ranges::find(block.replacements, kind, &ReplacementResult::kind);
    return found == block.replacements.end() ? nullptr : &*found;
}

bool near(std::optional<double> found, double want, double tolerance = 1e-4) {
    return found && std::abs(*found - want) <= tolerance * std::max(1.0, std::abs(want));
}

}  // namespace

class TestResidual : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void foldsAndRankAreThoseOfTheReference_data() {
        QTest::addColumn<QString>("name");
        for (const char* name : {"gpt2", "gpt_neox", "llama", "llama_massive", "llama-q8_0.gguf"})
            QTest::newRow(name) << name;
    }
    void foldsAndRankAreThoseOfTheReference() {
        QFETCH(QString, name);
        const TinyCheckpoint& tiny = named(name.toStdString());
        const nlohmann::json expected = tiny.values();
        StudySettings settings = settingsFor(tiny, expected["tokens"]);
        settings.folds = 5;
        settings.effectiveRank = true;
        Observer quiet;
        const Run run = measure(settings, {}, quiet);
        for (std::size_t i = 0; i < run.blocks.size(); ++i) {
            const BlockResult& block = run.blocks[i];
            const auto& want = expected["blocks"][i];
            QCOMPARE(block.folds.size(), 5U);
            for (std::size_t k = 0; k < 5; ++k)
                QVERIFY(near(block.folds[k], want["kfold_r2"][k]));
            QVERIFY(near(block.values[Metric::KfoldMean], want["kfold_mean"]));
            QVERIFY(near(block.values[Metric::KfoldStd], want["kfold_std"]));
            QCOMPARE(block.values[Metric::Rank90], std::optional(want["rank_90"].get<double>()));
            QCOMPARE(block.values[Metric::Rank95], std::optional(want["rank_95"].get<double>()));
            QCOMPARE(block.rankCurve.size(), 32U);
            QVERIFY(near(block.values[Metric::R2Lin], block.rankCurve.back(), 1e-9));
        }
    }

    void ceilingsAreThoseOfTheReference() {
        QFile file(QStringLiteral(TEST_DATA "/ceilings.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto expected = nlohmann::json::parse(file.readAll().toStdString());
        StudySettings settings = settingsFor(named("llama_massive"), expected["tokens"]);
        settings.ceilings = {2, 3};
        Observer quiet;
        const Run run = measure(settings, {}, quiet);
        const std::pair<const char*, Metric> names[] = {{"r2_deg2", Metric::R2Deg2},
                                                        {"r2_deg2_half", Metric::R2Deg2Half},
                                                        {"r2_deg2_unseen", Metric::R2Deg2Unseen},
                                                        {"r2_deg2_typical", Metric::R2Deg2Typical},
                                                        {"r2_deg3", Metric::R2Deg3},
                                                        {"r2_deg3_half", Metric::R2Deg3Half},
                                                        {"r2_deg3_unseen", Metric::R2Deg3Unseen},
                                                        {"r2_deg3_typical", Metric::R2Deg3Typical},
                                                        {"r2_lin_unseen", Metric::R2LinUnseen}};
        bool massive = false;
        for (std::size_t i = 0; i < run.blocks.size(); ++i) {
            const BlockResult& block = run.blocks[i];
            const auto& want = expected["blocks"][i];
            for (const auto& [name, metric] : names)
                if (want[name].is_number() && std::isfinite(want[name].get<double>()))
                    QVERIFY2(near(block.values[metric], want[name]),
                             qPrintable(QStringLiteral("block %1 %2: %3 instead of %4")
                                            .arg(i)
                                            .arg(QLatin1String(name))
                                            .arg(block.values[metric].value_or(NAN))
                                            .arg(want[name].get<double>())));
            QCOMPARE(block.ceilings.size(), 2U);
            QCOMPARE(block.ceilings[0].ridge, want["r2_deg2_ridge"].get<double>());
            QCOMPARE(block.ceilings[1].ridge, want["r2_deg3_ridge"].get<double>());
            QCOMPARE(block.ceilings[0].method, std::string("exact kernel ridge"));
            QCOMPARE(block.ceilings[0].ridgeAtEnd,
                     std::ranges::any_of(block.remarks, [](const std::string& remark) {
                         return remark.starts_with("ceiling of degree 2: the best ridge lies at an end");
                     }));
            massive = massive || block.values[Metric::MassiveRows].value_or(0) > 0;
        }
        QVERIFY(massive);  // or the typical rows would not have been told apart
    }

    void everythingAskedForIsThereAndOnlyOfTheChosenBlock() {
        Hearer hearer;
        const StudySettings settings = everything();
        const Run run = measure(settings, {}, hearer);
        QCOMPARE(run.blocks.size(), 3U);
        for (const BlockResult& block : run.blocks) {
            QCOMPARE(block.folds.size(), 5U);
            const bool chosen = block.block == 1;
            QCOMPARE(block.probes.size(), chosen ? 4U : 0U);
            QCOMPARE(block.ceilings.size(), chosen ? 1U : 0U);
            QCOMPARE(block.replacements.size(), chosen ? 5U : 1U);
        }
        const BlockResult& block = run.blocks[1];
        for (const ProbeOutcome& probe : block.probes) {
            QVERIFY(probe.r2 && *probe.r2 < 1);
            QVERIFY(hearer.scores.at(std::string(info(probe.probe).name)) == probe.curve);
            QVERIFY(std::ranges::any_of(probe.curve, [&](const CurvePoint& point) {
                return point.step == probe.bestStep && point.value == *probe.r2;
            }));
            QVERIFY(probe.conjunction && *probe.conjunction >= 0 && *probe.conjunction <= 1);
        }
        // d = 32, rank 16: d^2 + d + 2 r d + r d + d, as PROTOCOL.md has it.
        QCOMPARE(block.probes[0].parameters, 32 * 32 + 32 + 3 * 16 * 32 + 32);
        QCOMPARE(block.probes[2].parameters, 2 * (32 * 32 + 32));
        QCOMPARE(block.probes[3].parameters, 2 * (32 * 32 + 32 + 3 * 16 * 32 + 32));
        QCOMPARE(block.values[Metric::GainBilinear],
                 std::optional(*block.values[Metric::R2Bilinear] - *block.values[Metric::R2Lin]));
        QVERIFY(block.values[Metric::ConjunctionFfn]);

        for (const ReplacementKind kind :
             {ReplacementKind::Linear, ReplacementKind::Bilinear, ReplacementKind::Dense2x,
              ReplacementKind::Poly2x, ReplacementKind::Original}) {
            const ReplacementResult* row = find(block, kind);
            QVERIFY(row);
            QCOMPARE(row->dppl.has_value(), kind != ReplacementKind::Original);
            const bool healed = kind != ReplacementKind::Poly2x;
            QCOMPARE(row->healing.size(), healed ? 20U : 0U);
            QCOMPARE(row->dpplHealed.has_value(), healed);
            if (healed)
                QVERIFY(hearer.losses.at(std::string(info(kind).name)) == row->healing);
        }
        QCOMPARE(find(block, ReplacementKind::Original)->parameters, 3 * 32 * 64);
        QVERIFY(near(find(block, ReplacementKind::Original)->r2, 1));  // it is what it is compared with
        QCOMPARE(find(block, ReplacementKind::Bilinear)->r2.has_value(), true);
        QVERIFY(near(find(block, ReplacementKind::Bilinear)->r2, *block.values[Metric::R2Bilinear]));
        QCOMPARE(block.values[Metric::DpplHealed], find(block, ReplacementKind::Linear)->dpplHealed);
        QCOMPARE(block.values[Metric::DpplHealedOriginal],
                 find(block, ReplacementKind::Original)->dpplHealed);

        const BlockResult again = blockFromJson(toJson(block));
        QVERIFY(again == block);
    }

    // Stopped while something is trained, and gone on with: the same digits as in one go.
    void stoppedInTrainingAndResumedEqualsAnUnbrokenRun() {
        StudySettings settings = everything();
        Hearer quiet;
        const Run whole = measure(settings, {}, quiet);
        for (const int points : {3, 50, 130}) {
            const QTemporaryDir folder;
            RunFiles files{folder.path().toStdString(), {}};
            Hearer hearer;
            hearer.stopAfter = points;
            const Run part = measure(settings, hearer.stop.get_token(), hearer, &files);
            QCOMPARE(part.state, RunState::Cancelled);
            QCOMPARE(part.blocks.size(), 2U);
            QCOMPARE(part.blocks[1].values[Metric::R2Lin], whole.blocks[1].values[Metric::R2Lin]);
            files.finished = part.blocks;
            Hearer rest;
            const Run run = measure(settings, {}, rest, &files);
            QCOMPARE(run.state, RunState::Finished);
            QCOMPARE(run.basePpl, whole.basePpl);
            for (std::size_t i = 0; i < run.blocks.size(); ++i) {
                BlockResult block = run.blocks[i];
                block.seconds = whole.blocks[i].seconds;
                QVERIFY(block == whole.blocks[i]);
            }
        }
    }

    void anotherSeedTrainsAnother() {
        StudySettings settings = settingsFor(named("llama"), 2400);
        settings.blocks = BlockSelection::parse("0");
        settings.probes = {Probe::Bilinear};
        Observer quiet;
        const Run first = measure(settings, {}, quiet), same = measure(settings, {}, quiet);
        settings.seed = 1;
        const Run other = measure(settings, {}, quiet);
        QCOMPARE(first.blocks[0].probes, same.blocks[0].probes);
        QVERIFY(first.blocks[0].probes[0].curve != other.blocks[0].probes[0].curve);
    }

    void healedLayersAreKeptBesideTheOthers() {
        const QTemporaryDir folder;
        const RunFiles files{folder.path().toStdString(), {}};
        Observer quiet;
        StudySettings settings = everything();
        settings.ceilings.clear();
        measure(settings, {}, quiet, &files);
        const checkpoint::MappedFile file(mapsFile(files.folder, 1));
        std::vector<std::string> names;
        for (const auto& tensor : checkpoint::readSafetensors(file).tensors)
            names.push_back(tensor.name);
        for (const char* name : {"linear.weight", "linear-healed.weight", "bilinear.a", "bilinear-healed.a",
                                 "dense2x.0.weight", "poly2x.1.u", "original-healed.0.weight"})
            QVERIFY2(std::ranges::find(names, name) != names.end(), name);
    }

    void healingWithoutPerplexityIsSaidToBeNone() {
        StudySettings settings = settingsFor(named("llama"), 2400);
        settings.heal = true;
        Observer quiet;
        const Run run = measure(settings, {}, quiet);
        QVERIFY(QString::fromStdString(run.notes.at(0)).contains("nothing is healed"));
        QVERIFY(run.blocks[0].replacements[0].healing.empty());
    }

    // Eight rows: neither ceilings nor so many folds can be; the line stands, and the rest says why.
    void partsThatFailAreRemarksAndTheLineStands() {
        StudySettings settings = settingsFor(named("llama"), 8);
        settings.seqLen = 8;
        settings.blocks = BlockSelection::parse("0");
        settings.ceilings = {2};
        settings.folds = 50;
        Observer quiet;
        const Run run = measure(settings, {}, quiet);
        QVERIFY(run.blocks[0].failure.empty());
        QVERIFY(run.blocks[0].values[Metric::R2Lin]);
        QCOMPARE(run.blocks[0].remarks.size(), 2U);
        QVERIFY(QString::fromStdString(run.blocks[0].remarks[0]).startsWith("folds: "));
        QVERIFY(QString::fromStdString(run.blocks[0].remarks[1]).contains("too few rows"));
    }
};

QTEST_GUILESS_MAIN(TestResidual)
#include "tst_residual.moc"
