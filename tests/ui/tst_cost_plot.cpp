// SPDX-License-Identifier: GPL-3.0-or-later
#include <QLabel>
#include <QTest>
#include <cmath>

#include "example_runs.h"
#include "plot/cost_plot.h"
#include "plot/profile_plot.h"
#include "plot/symlog.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

using study::ReplacementKind;

struct Bench {
    RunList runs;
    PointSelection selection;
    CostPlot plot{runs, selection, PlotStyle::onScreen(lightColours())};

    Bench() {
        plot.resize(800, 400);
        plot.show();
    }
    void settle() {
        plot.flush();
        plot.replot(QCustomPlot::rpImmediateRefresh);
    }
    QPoint at(RunId run, int block, ReplacementKind kind) {
        return plot.pixelOf({run, block}, static_cast<int>(kind))->toPoint();
    }
};

}  // namespace

class TestCostPlot : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    // asinh: sinh(1) = 1.17520..., odd, monotonic over +-1e6.
    void theScaleTakesBothSigns() {
        QCOMPARE(symlog(0), 0.0);
        QVERIFY(std::abs(symlog(1.1752011936438014) - 1) < 1e-15);
        for (const double value : {0.001, 0.5, 1.0, 9.4, 316.0, 1e6}) {
            QVERIFY(std::abs(fromSymlog(symlog(value)) - value) < 1e-9 * value);
            QCOMPARE(symlog(-value), -symlog(value));
        }
        QVERIFY(std::isfinite(fromSymlog(1e300)));
    }

    void onePointForPublishedKeptAndSwitched() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("smol"), Origin::Measured);
        bench.settle();
        const auto& points = bench.plot.points(id);
        QCOMPARE(points.size(), 4U);  // block 3 is unmeasured, 4/5 not kept
        QVERIFY(!bench.plot.pixelOf({id, 3}));
        QVERIFY(!bench.plot.pixelOf({id, 11}, static_cast<int>(ReplacementKind::BalancedFourFifths)));
        QCOMPARE(points[0].key, 0.976);
        QCOMPARE(points[0].value, std::asinh(316.0));
        QCOMPARE(points[0].low, std::asinh(304.0));
        QCOMPARE(points[0].high, std::asinh(328.0));
        QVERIFY(points[0].ringed && points[0].named);
        QVERIFY(!points[3].ringed && !points[3].named);
        QVERIFY(points[0].look.marker != points[1].look.marker &&
                points[1].look.marker != points[2].look.marker);
        // One above the other, all within the axes, the negative one lowest.
        const QPoint published = bench.at(id, 11, ReplacementKind::Linear),
                     kept = bench.at(id, 11, ReplacementKind::BalancedHalf),
                     switched = bench.at(id, 11, ReplacementKind::Switched),
                     ordinary = bench.at(id, 15, ReplacementKind::Linear);
        QCOMPARE(published.x(), kept.x());
        QVERIFY(published.y() < kept.y() && kept.y() < switched.y() && switched.y() < ordinary.y());
        for (const QPoint& point : {published, kept, switched, ordinary})
            QVERIFY(bench.plot.axisRect()->rect().contains(point));
        const auto labels = bench.plot.yAxis->tickVectorLabels().toList();
        for (const char* label : {"0", "+1", "+10", "+100"})
            QVERIFY2(labels.contains(QLatin1String(label)), qPrintable(labels.join(QLatin1Char(' '))));
    }

    void withoutAChoiceBothBalancedMapsAreShown() {
        Bench bench;
        study::Run run = costlyRun("smol");
        for (study::ReplacementResult& swap : run.blocks[1].replacements)
            swap.kept = false;
        const RunId id = bench.runs.add(run, Origin::Measured);
        bench.settle();
        QCOMPARE(bench.plot.points(id).size(), 5U);
    }

    void smallCostsHaveTicksToo() {
        Bench bench;
        study::Run run = costlyRun("smol");
        run.blocks.erase(run.blocks.begin(), run.blocks.begin() + 2);
        bench.runs.add(run, Origin::Measured);
        bench.settle();
        bench.plot.showRange({0, 1}, {symlog(-0.012), symlog(0.031)});
        bench.settle();
        const auto labels = bench.plot.yAxis->tickVectorLabels().toList();
        QVERIFY2(labels.contains(QStringLiteral("−0.01")) && labels.contains(QStringLiteral("+0.02")),
                 qPrintable(labels.join(QLatin1Char(' '))));
    }

    void hoverTellsTheReplacementsAndWhy() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("smol"), Origin::Measured);
        bench.settle();
        const auto* card = bench.plot.findChild<QLabel*>();
        QVERIFY(!card->isVisible());
        QTest::mouseMove(&bench.plot, bench.at(id, 11, ReplacementKind::Switched));
        QTRY_VERIFY(card->isVisible());
        QCOMPARE(card->text(), bench.plot.hoverText({id, 11}, static_cast<int>(ReplacementKind::Switched)));
        for (const char* part : {"smol", "+316 ± 12", "+9.40 ± 0.60", "+0.60 ± 0.11", "kept", "119", "0.522"})
            QVERIFY2(card->text().contains(QString::fromUtf8(part)), qPrintable(card->text()));
        QVERIFY(card->text().contains(QStringLiteral("<b>+0.60 ± 0.11</b>")));
        QVERIFY(bench.plot.rect().contains(card->geometry()));
        QCOMPARE(bench.plot.pointNear(bench.at(id, 15, ReplacementKind::Linear)),
                 std::optional(PointId{id, 15}));
    }

    void theSelectionIsSharedWithTheProfile() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("smol"), Origin::Measured);
        ProfilePlot profile(bench.runs, bench.selection, PlotStyle::onScreen(lightColours()));
        profile.resize(800, 400);
        profile.show();
        profile.flush();
        profile.replot(QCustomPlot::rpImmediateRefresh);
        bench.settle();
        QTest::mouseClick(&bench.plot, Qt::LeftButton, {}, bench.at(id, 11, ReplacementKind::BalancedHalf));
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{id, 11}}));
        QTest::mouseClick(&profile, Qt::LeftButton, {}, profile.pixelOf({id, 15})->toPoint());
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{id, 15}}));
        QTest::keyClick(&bench.plot, Qt::Key_Left);
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{id, 11}}));
    }

    void anotherScoreMovesThePoints() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("smol"), Origin::Measured);
        bench.settle();
        bench.plot.setScore(Score::Typical);
        bench.settle();
        QCOMPARE(bench.plot.points(id).front().key, 0.522);
        QVERIFY(!bench.plot.points(id).front().ringed);
        bench.runs.setVisible(id, false);
        bench.settle();
        QVERIFY(bench.plot.points(id).empty());
        QVERIFY(!bench.plot.pixelOf({id, 11}));
    }

    void profileCardsNameTheCost() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("smol"), Origin::Measured);
        ProfilePlot profile(bench.runs, bench.selection, PlotStyle::onScreen(lightColours()));
        QVERIFY(profile.hoverText({id, 11}).contains(QStringLiteral("+316 ± 12")));
        QVERIFY(profile.hoverText({id, 3}).contains(QStringLiteral("perplexity not measured")));
    }
};

QTEST_MAIN(TestCostPlot)
#include "tst_cost_plot.moc"
