// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "data/tiny_checkpoint.h"
#include "study/cost/estimate.h"

using namespace straightedge::study;

namespace {

// d = 100; 120,000 parameters in a block's matrices; 1,000 rows.
StudyCost cost() {
    return {.rows = 1000,
            .width = 100,
            .blockParameters = 120'000,
            .headParameters = 600'000,
            .batchRows = 512,
            .blocks = 4};
}

}  // namespace

class TestCost : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    // Without perplexity: every block up to the last wanted one is passed once, and fitted where wanted.
    void surveyIsItsRowsAndFits() {
        const RunShape shape{.wanted = {0, 2}, .residual = {0, 1, 2, 3}};
        const WorkPlan plan = planWork(cost(), {}, shape);
        QCOMPARE(plan.before.size(), 3U);
        QCOMPARE(plan.total, 3 * 1000.0 + 2 * cost().line());
        QCOMPARE(plan.before[1], 1000.0 + cost().line());
        QCOMPARE(plan.before[2], plan.before[1] + 1000.0);
    }

    // The base and the variants of earlier blocks pass each block; then all of them meet the vocabulary.
    void swapsAreCountedStateByState() {
        StudySettings settings;
        settings.perplexity = true;
        const RunShape shape{.wanted = {1, 2}, .residual = {}, .evaluationRows = 256};
        const WorkPlan plan = planWork(cost(), settings, shape);
        QCOMPARE(plan.before.size(), 4U);
        QCOMPARE(plan.variants, 3.0);
        const double states = 1 + 1 + 2 + 3;
        QCOMPARE(plan.total, 3 * 1000.0 + 2 * cost().line() + states * 256 + 3 * 256 * 600'000.0 / 120'000);
    }

    void closerLooksCostMoreAndOnlyWhereTheyAreWanted() {
        StudySettings settings;
        settings.ceilings = {2};
        settings.probes = {Probe::Bilinear};
        const RunShape none{.wanted = {0, 1}, .residual = {2}}, one{.wanted = {0, 1}, .residual = {1}};
        const double extra = planWork(cost(), settings, one).total - planWork(cost(), settings, none).total;
        QCOMPARE(extra, cost().ceiling() + cost().probe(Probe::Bilinear));
        QVERIFY(!none.isResidual(2));  // not measured at all
    }

    // What a machine can hold is said before the run, not found out by it.
    void whatDoesNotFitIsSaid() {
        StudyCost huge = cost();
        huge.rows = 1e12;
        const Estimate estimate = estimateOf(huge, {}, {.wanted = {0}, .residual = {}}, {});
        QVERIFY(!estimate.fits());
        QVERIFY2(QString::fromStdString(estimate.text()).contains("will probably not fit"),
                 estimate.text().c_str());
        const Estimate small = estimateOf(cost(), {}, {.wanted = {0}, .residual = {}}, {});
        QVERIFY2(small.fits() && small.memory < 1'000'000'000, small.text().c_str());
        QVERIFY(small.seconds > 0 && small.seconds < 60);
        QCOMPARE(small.disk, 0);
    }

    void aModelIsEstimatedFromItsHeaders() {
        StudySettings settings;
        settings.model = tinyCheckpoints[0].path();
        settings.tokens = 12'800;
        settings.seqLen = 32;
        const Estimate line = estimate(settings, std::filesystem::temp_directory_path());
        QCOMPARE(line.disk, 3 * 12'800 * 32 * 4);
        settings.perplexity = true;
        const Estimate swapped = estimate(settings, std::filesystem::temp_directory_path());
        // 30 batches of 4 windows; the base and one variant for each of three blocks.
        QCOMPARE(swapped.disk, 3 * (12'800 + 4 * 30 * 4 * 32) * 32 * 4);
        QVERIFY(swapped.seconds > line.seconds);
    }
};

QTEST_GUILESS_MAIN(TestCost)
#include "tst_cost.moc"
