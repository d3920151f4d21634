// SPDX-License-Identifier: GPL-3.0-or-later
#include <QComboBox>
#include <QTest>
#include <cmath>

#include "jobs/session.h"
#include "residual/residual_page.h"
#include "residual/shown_blocks.h"
#include "residual_run.h"
#include "style/theme.h"

using namespace straightedge;
using namespace straightedge::ui;
using study::GainSource;

namespace {

using Kind = CurvePlot::Kind;

struct Bench {
    Theme theme{*qApp};
    Session session;
    ResidualPage page{session, theme};

    Bench() {
        page.resize(1100, 800);
        page.show();
    }
    void settle() {
        page.plot().flush();
        page.plot().replot(QCustomPlot::rpImmediateRefresh);
        for (const Kind kind : {Kind::Rank, Kind::Training, Kind::Healing})
            page.curves(kind).flush();
    }
};

}  // namespace

class TestResidualPage : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void everyBlockIsAPointOfGainOverResidual() {
        Bench bench;
        const RunId id = bench.session.runs().add(residualRun("smol"), Origin::Measured);
        bench.settle();
        const study::ResidualGain& gain = bench.page.plot().gain();
        QCOMPARE(gain.points.size(), 3U);
        QCOMPARE(gain.points[1].block, 5);
        QVERIFY(std::abs(gain.points[1].residual - 0.584) < 1e-12);
        QVERIFY(std::abs(gain.points[1].gain - 0.016) < 1e-12);
        // scipy.stats.pearsonr of residuals (.361, .584, .326) and gains (.011, .016, .013)
        QVERIFY2(std::abs(*gain.correlation.r - 0.8607731) < 1e-6,
                 qPrintable(QString::number(*gain.correlation.r, 'g', 10)));
        QVERIFY2(bench.page.plot().verdict().startsWith(
                     QStringLiteral("Pearson r = 0.86, too few for an interval")),
                 qPrintable(bench.page.plot().verdict()));
        for (const int block : {1, 5, 15})
            QVERIFY(bench.page.plot().axisRect()->rect().contains(
                bench.page.plot().pixelOf({id, block})->toPoint()));
        bench.session.runs().add(residualRun("other"), Origin::Measured);
        bench.settle();
        QCOMPARE(bench.page.plot().gain().points.size(), 6U);
        QVERIFY(bench.page.plot().verdict().contains(QStringLiteral("95 % interval")));
        bench.session.runs().setVisible(id, false);
        bench.settle();
        QCOMPARE(bench.page.plot().gain().points.size(), 3U);
        QVERIFY(!bench.page.plot().pixelOf({id, 5}));
    }

    void theSourceIsChosen() {
        Bench bench;
        const RunId id = bench.session.runs().add(residualRun("smol"), Origin::Measured);
        QComboBox& box = *bench.page.sourceBox();
        const int degree2 = box.findText(QStringLiteral("degree 2"), Qt::MatchStartsWith);
        box.setCurrentIndex(degree2);
        Q_EMIT box.activated(degree2);
        bench.settle();
        QCOMPARE(bench.page.plot().source().degree, 2);
        QVERIFY(std::abs(bench.page.plot().gain().points[1].gain - 0.259) < 1e-12);
        QVERIFY(bench.page.plot().hoverText({id, 5}).contains(QStringLiteral("0.259")));
        const QStringList lines = bench.page.text(QLatin1Char(',')).split(QLatin1Char('\n'));
        QCOMPARE(lines.size(), 5);
        QVERIFY2(lines[2].startsWith(QStringLiteral("smol,text.txt,5,0.58")), qPrintable(lines[2]));
    }

    // A run with ceilings only is not met with an empty plot.
    void theFirstSourceThereIsIsTaken() {
        Bench bench;
        study::Run run = residualRun("smol");
        for (study::BlockResult& block : run.blocks)
            block.probes.clear();
        bench.session.runs().add(run, Origin::Measured);
        QTRY_COMPARE(bench.page.plot().source().kind, GainSource::CeilingGain);
        QCOMPARE(bench.page.plot().source().degree, 2);
    }

    void aPointChoosesItsBlocksCurves() {
        Bench bench;
        const RunId id = bench.session.runs().add(residualRun("smol"), Origin::Measured);
        bench.settle();
        QTest::mouseClick(&bench.page.plot(), Qt::LeftButton, {},
                          bench.page.plot().pixelOf({id, 5})->toPoint());
        QCOMPARE(bench.session.selection().points(), (PointSelection::Points{{id, 5}}));
        bench.settle();
        const auto& rank = bench.page.curves(Kind::Rank).curves();
        QCOMPARE(rank.size(), 1U);
        QCOMPARE(rank[0].y.size(), 4U);
        QCOMPARE(rank[0].marks.size(), 2U);
        QCOMPARE(rank[0].marks[0].first, 1U);  // rank 2 reaches 90 %
        const auto& training = bench.page.curves(Kind::Training).curves();
        QCOMPARE(training.size(), 2U);
        QCOMPARE(training[1].name, QStringLiteral("trained linear"));
        QCOMPARE(training[1].level, std::optional(0.416));
        QCOMPARE(training[1].y, (std::vector{-0.5, 0.2, 0.3}));
        QCOMPARE(bench.page.curves(Kind::Healing).curves().size(), 2U);
        QTRY_VERIFY(bench.page.curves(Kind::Healing).isVisible());
        for (const char* part :
             {"0.416", "0.675", "0.602", "412", "0.232", "0.404", "exact kernel ridge", "0.001"})
            QVERIFY2(bench.page.notes().contains(QLatin1String(part)), qPrintable(bench.page.notes()));
        // A block without healing has no room for it.
        bench.session.selection().set({{id, 1}});
        QTRY_VERIFY(!bench.page.curves(Kind::Healing).isVisible());
        QVERIFY(bench.page.curves(Kind::Training).isVisible());
        bench.session.selection().set({{id, 1}, {id, 15}});
        bench.settle();
        QCOMPARE(bench.page.curves(Kind::Training).curves().size(), 4U);
        QCOMPARE(bench.page.curves(Kind::Rank).curves().size(), 2U);
        QVERIFY(bench.page.notes().contains(QStringLiteral("Block 15")));
    }

    void curvesGrowWhileALayerIsTrained() {
        Bench bench;
        study::Run run = residualRun("smol");
        study::BlockResult whole = run.blocks[1];
        run.blocks.resize(1);
        run.blocks[0].block = 5;
        run.blocks[0].probes.clear();
        const RunId id = bench.session.runs().add(run, Origin::Measured, Activity::Running);
        const auto point = [](std::int64_t step, double value) {
            return study::TrainingPoint{5, study::info(study::Probe::Bilinear).name, false, {step, value}};
        };
        bench.session.runs().addTraining(id, {point(200, 0.1), point(400, 0.2)});
        bench.session.runs().addTraining(id, {point(600, 0.3)});
        bench.settle();
        QCOMPARE(bench.page.curves(Kind::Training).curves().size(), 1U);
        QCOMPARE(bench.page.curves(Kind::Training).curves()[0].x, (std::vector{200.0, 400.0, 600.0}));
        QTRY_VERIFY(bench.page.curves(Kind::Training).isVisible());
        bench.session.runs().addBlock(id, whole);  // what is stored takes its place
        QVERIFY(bench.session.runs().find(id)->live.empty());
        bench.settle();
        QCOMPARE(bench.page.curves(Kind::Training).curves()[0].x, (std::vector{200.0, 400.0}));
    }

    void curvesAreDrawnIntoFiguresToo() {
        Bench bench;
        const RunId id = bench.session.runs().add(residualRun("smol"), Origin::Measured);
        bench.session.selection().set({{id, 15}});
        bench.settle();
        RunList runs;
        PointSelection selection;
        const auto plot = bench.page.curves(Kind::Training).sameFor(runs, selection, PlotStyle::printed());
        const RunId copy = runs.add(residualRun("smol"), Origin::Measured);
        selection.set({{copy, 15}});
        plot->flush();
        QCOMPARE(static_cast<CurvePlot&>(*plot).curves().size(), 2U);
        QVERIFY(
            bench.page.curves(Kind::Rank)
                .toText(QLatin1Char(','))
                .startsWith(QStringLiteral("model,corpus,block,curve,rank,r2\nsmol,text.txt,15,,1,0.337\n")));
    }

    void withoutAChoiceTheFirstBlockThatHasMore() {
        RunList runs;
        PointSelection selection;
        QVERIFY(shownBlocks(runs, selection).empty());
        runs.add(runWith("plain", {0.5, 0.6}), Origin::Measured);
        const RunId id = runs.add(residualRun("smol"), Origin::Measured);
        QCOMPARE(shownBlocks(runs, selection), (std::vector<PointId>{{id, 1}}));
        selection.set({{id, 15}, {id, 5}, {id, 99}});
        QCOMPARE(shownBlocks(runs, selection), (std::vector<PointId>{{id, 5}, {id, 15}}));
        runs.setVisible(id, false);
        QVERIFY(shownBlocks(runs, selection).empty());
    }
};

QTEST_MAIN(TestResidualPage)
#include "tst_residual_page.moc"
