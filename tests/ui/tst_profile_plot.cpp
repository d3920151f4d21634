// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QWheelEvent>
#include <cmath>
#include <set>

#include "plot/profile_plot.h"
#include "plot/run_legend.h"
#include "residual_run.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

struct Bench {
    RunList runs;
    PointSelection selection;
    ProfilePlot plot{runs, selection, PlotStyle::onScreen(lightColours())};

    Bench() {
        plot.resize(800, 400);
        plot.show();
    }
    void settle() {
        plot.flush();
        plot.replot(QCustomPlot::rpImmediateRefresh);
    }
    QPoint at(RunId run, int block) { return plot.pixelOf({run, block})->toPoint(); }
};

int distance(const QColor& a, const QColor& b) {
    return std::abs(a.red() - b.red()) + std::abs(a.green() - b.green()) + std::abs(a.blue() - b.blue());
}

// A thin line is blended with what is behind it: nearer to its colour than to white is enough.
bool isColour(const QColor& seen, const QColor& wanted) {
    return distance(seen, wanted) < distance(seen, Qt::white);
}

using Stretches = std::vector<std::pair<int, int>>;

}  // namespace

class TestProfilePlot : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void undefinedAndMissingBlocksAreGaps() {
        Bench bench;
        study::Run run = runWith("a", {0.1, 0.2, std::nullopt, 0.4, std::nullopt, 0.6, 0.7, 0.8});
        run.blocks.erase(run.blocks.begin() + 6);  // not asked for
        const RunId id = bench.runs.add(run, Origin::Measured);
        bench.settle();
        QCOMPARE(bench.plot.curve(id)->stretches(), (Stretches{{0, 1}, {3, 3}, {5, 5}, {6, 6}}));

        // The point between two gaps is seen, the gap beside it is not bridged.
        const QImage image = bench.plot.grab().toImage();
        const QColor colour = lightColours().curve(bench.runs.find(id)->colour);
        QVERIFY(isColour(image.pixelColor(bench.at(id, 3)), colour));
        const QPoint middle = (bench.at(id, 3) + bench.at(id, 1)) / 2;
        for (int dy = -6; dy <= 6; ++dy)
            QVERIFY(!isColour(image.pixelColor(middle + QPoint(0, dy)), colour));
        const QPoint joined = (bench.at(id, 0) + bench.at(id, 1)) / 2;
        bool line = false;
        for (int dy = -2; dy <= 2; ++dy)
            line = line || isColour(image.pixelColor(joined + QPoint(0, dy)), colour);
        QVERIFY(line);
        QVERIFY(!bench.plot.pixelOf({id, 2}));
    }

    void publishedRunsAreDashedAndMarkersTellTheActivation() {
        Bench bench;
        const RunId published = bench.runs.add(runWith("gpt2", {0.1, 0.2}), Origin::Published);
        const RunId measured = bench.runs.add(runWith("llama", {0.1, 0.2}, "silu-gated"), Origin::Measured);
        const RunId same = bench.runs.add(runWith("GPT2", {0.1, 0.3}), Origin::Measured);
        bench.settle();
        QVERIFY(!curvePen(bench.plot.curve(published)->look).dashPattern().isEmpty());
        QCOMPARE(curvePen(bench.plot.curve(measured)->look).style(), Qt::SolidLine);
        QCOMPARE(bench.plot.curve(published)->look.marker, Marker::Disc);
        QCOMPARE(bench.plot.curve(measured)->look.marker, Marker::Diamond);
        QCOMPARE(bench.plot.curve(same)->look.colour, bench.plot.curve(published)->look.colour);
        QVERIFY(bench.plot.curve(measured)->look.colour != bench.plot.curve(published)->look.colour);
        QVERIFY(markerFor("relu") != markerFor("gelu"));
        QVERIFY(markerFor("gelu-tanh") != markerFor("gelu"));
    }

    void massivePeaksAreRingedAndSayWhy() {
        Bench bench;
        study::Run run = runWith("smol", {0.6, 0.7});
        run.blocks.push_back(massiveBlock(2));
        const RunId id = bench.runs.add(run, Origin::Measured);
        bench.settle();
        QVERIFY(bench.plot.curve(id)->isRinged(2));
        QVERIFY(!bench.plot.curve(id)->isRinged(1));
        const QString text = bench.plot.hoverText({id, 2});
        for (const char* part : {"smol", "block", "0.976", "0.522", "119"})
            QVERIFY2(text.contains(QLatin1String(part)), part);
        QVERIFY(!bench.plot.hoverText({id, 1}).contains(QStringLiteral("massive")));
        bench.plot.setScore(Score::Typical);
        bench.settle();
        QVERIFY(!bench.plot.curve(id)->isRinged(2));  // this score is what the ring warns for
        QCOMPARE(bench.plot.curve(id)->points[2].y, 0.522);
        QVERIFY(std::isnan(bench.plot.curve(id)->points[0].y));
    }

    void hoverFindsThePointUnderTheCursor() {
        Bench bench;
        const RunId a = bench.runs.add(runWith("a", {0.2, 0.4, 0.6}), Origin::Measured);
        const RunId b = bench.runs.add(runWith("b", {0.9, 0.8, 0.7}), Origin::Measured);
        bench.settle();
        QCOMPARE(bench.plot.pointNear(bench.at(a, 1) + QPoint(3, -3)), std::optional(PointId{a, 1}));
        QCOMPARE(bench.plot.pointNear(bench.at(b, 2)), std::optional(PointId{b, 2}));
        QCOMPARE(bench.plot.pointNear(bench.at(a, 1) + QPoint(40, 40)), std::optional<PointId>());
        const auto* card = bench.plot.findChild<QLabel*>();
        QVERIFY(!card->isVisible());
        QTest::mouseMove(&bench.plot, bench.at(a, 1));
        QTRY_VERIFY(card->isVisible());
        QCOMPARE(card->text(), bench.plot.hoverText({a, 1}));
        QVERIFY(bench.plot.rect().contains(card->geometry()));
    }

    void logViewPutsLinearBlocksOnTop() {
        Bench bench;
        const RunId id = bench.runs.add(runWith("a", {0.5, 0.99, -3.0, 1.0}), Origin::Measured);
        bench.plot.setLog(true);
        bench.settle();
        const ProfileCurve& curve = *bench.plot.curve(id);
        QCOMPARE(curve.points[0].y, 0.5);
        QVERIFY(std::abs(curve.points[1].y - 0.01) < 1e-12);
        QCOMPARE(curve.points[2].y, 4.0);
        QVERIFY(std::isnan(curve.points[3].y));  // no logarithm of nothing
        QVERIFY(bench.at(id, 1).y() < bench.at(id, 0).y());
        QVERIFY(bench.at(id, 0).y() < bench.at(id, 2).y());
        const auto labels = bench.plot.yAxis->tickVectorLabels();
        QVERIFY2(labels.contains(QStringLiteral("0.01")) && labels.contains(QStringLiteral("0.5")),
                 qPrintable(labels.toList().join(QLatin1Char(' '))));
        const auto scores = bench.plot.yAxis2->tickVectorLabels();
        QVERIFY2(scores.contains(QStringLiteral("0.99")) && scores.contains(QStringLiteral("−1")),
                 qPrintable(scores.toList().join(QLatin1Char(' '))));
        bench.plot.setLog(false);
        bench.settle();
        QVERIFY(bench.at(id, 1).y() < bench.at(id, 0).y());
    }

    void aClickInTheLegendHidesAndShows() {
        Bench bench;
        const RunId a = bench.runs.add(runWith("a", {0.2, 0.4}), Origin::Measured);
        const RunId b = bench.runs.add(runWith("b", {0.3, 0.5}), Origin::Measured);
        bench.settle();
        const QPoint place = bench.plot.runLegend()->rectOf(b).center().toPoint();
        QVERIFY(!bench.plot.axisRect()->rect().contains(place));
        QTest::mouseClick(&bench.plot, Qt::LeftButton, {}, place);
        QVERIFY(!bench.runs.find(b)->visible);
        bench.settle();
        QVERIFY(!bench.plot.curve(b)->visible);
        QVERIFY(bench.plot.curve(a)->visible);
        QTest::mouseClick(&bench.plot, Qt::LeftButton, {}, place);
        QVERIFY(bench.runs.find(b)->visible);
    }

    void aLongLegendSaysHowManyMore() {
        Bench bench;
        std::vector<RunId> ids;
        for (int i = 0; i < 60; ++i)
            ids.push_back(bench.runs.add(runWith("run " + std::to_string(i), {0.1, 0.2}), Origin::Measured));
        bench.settle();
        QVERIFY(!bench.plot.runLegend()->rectOf(ids.front()).isEmpty());
        QVERIFY(bench.plot.runLegend()->rectOf(ids.back()).isEmpty());
    }

    void wheelZoomsDragPansDoubleClickFits() {
        Bench bench;
        const RunId id = bench.runs.add(runWith("a", {0.2, 0.4, 0.6}), Origin::Measured);
        bench.settle();
        const QCPRange blocks = bench.plot.xAxis->range(), scores = bench.plot.yAxis->range();
        const QPoint middle = bench.plot.axisRect()->center();
        QWheelEvent wheel(middle, bench.plot.mapToGlobal(middle), {}, {0, 120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QApplication::sendEvent(&bench.plot, &wheel);
        QVERIFY(bench.plot.xAxis->range().size() < blocks.size() &&
                bench.plot.yAxis->range().size() < scores.size());
        const double before = bench.plot.xAxis->range().lower;
        QTest::mousePress(&bench.plot, Qt::LeftButton, {}, middle);
        for (const int step : {10, 30, 60}) {
            QMouseEvent move(QEvent::MouseMove, middle + QPoint(step, 0),
                             bench.plot.mapToGlobal(middle + QPoint(step, 0)), Qt::NoButton, Qt::LeftButton,
                             {});
            QApplication::sendEvent(&bench.plot, &move);
        }
        QTest::mouseRelease(&bench.plot, Qt::LeftButton, {}, middle + QPoint(60, 0));
        QVERIFY(bench.plot.xAxis->range().lower < before);
        // News of the run leaves the reader's view alone until he asks for all of it again.
        const QCPRange chosen = bench.plot.xAxis->range();
        study::BlockResult block = massiveBlock(3);
        bench.runs.addBlock(id, block);
        bench.settle();
        QCOMPARE(bench.plot.xAxis->range(), chosen);
        QTest::mouseDClick(&bench.plot, Qt::LeftButton, {}, middle);
        bench.settle();
        QVERIFY(bench.plot.xAxis->range().contains(3) && bench.plot.xAxis->range().contains(0));
        QCOMPARE(bench.plot.yAxis->range(), scores);
    }

    void foldBarsAreShownWhenAsked() {
        Bench bench;
        study::Run run = runWith("a", {0.5, 0.6});
        run.blocks[1].values.set(study::Metric::KfoldMean, 0.4);
        run.blocks[1].values.set(study::Metric::KfoldStd, 0.1);
        const RunId id = bench.runs.add(run, Origin::Measured);
        bench.settle();
        QVERIFY(bench.plot.errorBars().bars(id).empty());
        bench.plot.setShowsFolds(true);
        bench.settle();
        QCOMPARE(bench.plot.errorBars().bars(id).size(), 1U);
        const ErrorBar bar = bench.plot.errorBars().bars(id).front();
        QVERIFY(bar.key > 1 && bar.key < 1.5);  // beside the block's point
        QCOMPARE(bar.mean, 0.4);
        QVERIFY(std::abs(bar.low - 0.3) < 1e-12 && std::abs(bar.high - 0.5) < 1e-12);
        const QImage image = bench.plot.grab().toImage();
        const QPoint at(static_cast<int>(bench.plot.xAxis->coordToPixel(bar.key)),
                        static_cast<int>(bench.plot.yAxis->coordToPixel(0.45)));
        bool seen = false;
        for (int dx = -2; dx <= 2; ++dx)
            seen = seen || isColour(image.pixelColor(at + QPoint(dx, 0)),
                                    lightColours().curve(bench.runs.find(id)->colour));
        QVERIFY(seen);
        bench.plot.setLog(true);
        bench.settle();
        QVERIFY(std::abs(bench.plot.errorBars().bars(id).front().mean - 0.6) < 1e-12);
        bench.runs.setVisible(id, false);
        bench.settle();
        QVERIFY(bench.plot.errorBars().bars(id).empty());
    }

    void stacksSplitABlockIntoLineDegreesAndRest() {
        Bench bench;
        bench.runs.add(runWith("plain", {0.9, 0.8}), Origin::Published);
        const study::Run run = residualRun("smol");
        const RunId id = bench.runs.add(run, Origin::Measured);
        bench.plot.setStacked(true);
        bench.settle();
        const auto& stacks = bench.plot.stackBars().stacks();
        QCOMPARE(stacks.size(), 3U);  // of the run that has ceilings
        QCOMPARE(stacks[1].block, 5);
        QCOMPARE(stacks[1].line, 0.416);
        QCOMPARE(stacks[1].degree2, std::optional(0.675));
        QVERIFY(!stacks[1].degree3);
        QCOMPARE(stacks[1].top(), 0.675);
        QVERIFY(!bench.plot.curve(id)->visible);
        const QImage image = bench.plot.grab().toImage();
        const auto colourAt = [&](double score) {
            return image.pixelColor(static_cast<int>(bench.plot.xAxis->coordToPixel(5)),
                                    static_cast<int>(bench.plot.yAxis->coordToPixel(score)));
        };
        using Layer = StackBars::Layer;
        QCOMPARE(colourAt(0.2), bench.plot.stackBars().colour(Layer::Line));
        QCOMPARE(colourAt(0.55), bench.plot.stackBars().colour(Layer::Degree2));
        QCOMPARE(colourAt(0.9), bench.plot.stackBars().colour(Layer::Left));
        // The chosen block's run is stacked; hovering and choosing go on.
        QTest::mouseClick(&bench.plot, Qt::LeftButton, {}, bench.at(id, 5));
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{id, 5}}));
        const RunId other = bench.runs.add(residualRun("other"), Origin::Measured);
        bench.selection.set({{other, 1}});
        bench.settle();
        QVERIFY(bench.plot.pixelOf({other, 1}) && !bench.plot.pixelOf({id, 1}));
        bench.plot.setStacked(false);
        bench.settle();
        QVERIFY(bench.plot.curve(id)->visible);
        QVERIFY(bench.plot.stackBars().stacks().empty());
    }

    void aRunOfTheSameNameHasAWordOfItsOwn() {
        RunList runs;
        study::Run run = runWith("a", {0.5});
        const RunId one = runs.add(run, Origin::Measured);
        QCOMPARE(runs.textOf(*runs.find(one)), QStringLiteral("text.txt"));
        const RunId two = runs.add(run, Origin::Measured);
        QCOMPARE(runs.textOf(*runs.find(one)), QStringLiteral("text.txt · #1"));
        QCOMPARE(runs.textOf(*runs.find(two)), QStringLiteral("text.txt · #2"));
        run.header.corpus = "other.txt";
        const RunId three = runs.add(run, Origin::Measured);
        QCOMPARE(runs.textOf(*runs.find(three)), QStringLiteral("other.txt"));
        std::set<int> colours{runs.find(one)->colour, runs.find(two)->colour, runs.find(three)->colour};
        QCOMPARE(colours.size(), 3U);
    }

    void ticksShowAllTheirDigits() {
        Bench bench;
        bench.runs.add(runWith("a", {0.5, 0.6}), Origin::Measured);
        bench.settle();
        bench.plot.showRange({0, 1}, {0, 0.13});
        bench.plot.yAxis->ticker()->setTickCount(5);
        bench.settle();
        const auto labels = bench.plot.yAxis->tickVectorLabels().toList();
        QVERIFY2(labels.contains(QStringLiteral("0.025")) && labels.contains(QStringLiteral("0.100")),
                 qPrintable(labels.join(QLatin1Char(' '))));
    }

    void manyPointsCostFewReplots() {
        Bench bench;
        study::Run run = runWith("a", {});
        run.header.modelBlocks = 200;
        const RunId id = bench.runs.add(run, Origin::Measured, Activity::Running);
        bench.settle();
        QTest::qWait(100);
        QSignalSpy replots(&bench.plot, &QCustomPlot::afterReplot);
        for (int block = 0; block < 200; ++block) {
            bench.runs.addBlock(id, massiveBlock(block));
            QCoreApplication::processEvents();
        }
        QTRY_COMPARE(bench.plot.curve(id)->points.size(), std::size_t(200));
        QTest::qWait(60);
        QVERIFY2(replots.count() >= 1 && replots.count() < 60, qPrintable(QString::number(replots.count())));
        QVERIFY(bench.plot.xAxis->range().contains(199));
    }

    // While the reader drags, the picture is moved and its borders are drawn: it must show what drawing all
    // of it shows.
    void draggingShowsWhatDrawingShows() {
        Bench bench;
        std::vector<std::optional<double>> jagged;
        for (int block = 0; block < 60; ++block)
            jagged.emplace_back(0.5 + 0.45 * std::sin(37.0 * block));
        jagged[20].reset();
        study::Run massive = runWith("massive", {0.2, 0.4});
        massive.blocks.push_back(massiveBlock(2));
        bench.runs.add(runWith("published", jagged), Origin::Published);
        bench.runs.add(runWith("measured", {jagged.rbegin(), jagged.rend()}, "silu-gated"), Origin::Measured);
        bench.runs.add(massive, Origin::Measured);
        bench.settle();
        bench.plot.showRange({-0.5, 30}, {0.2, 0.9});
        bench.settle();
        const QImage start = bench.plot.grab().toImage();
        QPoint mouse = bench.plot.axisRect()->rect().center();
        QTest::mousePress(&bench.plot, Qt::LeftButton, {}, mouse);
        for (const QPoint step : {QPoint(-7, 0), QPoint(0, 5), QPoint(13, -11), QPoint(-90, 40),
                                  QPoint(200, -120), QPoint(-350, 2), QPoint(3, 4)}) {
            mouse += step;
            QMouseEvent move(QEvent::MouseMove, QPointF(mouse), bench.plot.mapToGlobal(QPointF(mouse)),
                             Qt::NoButton, Qt::LeftButton, Qt::NoModifier);
            QCoreApplication::sendEvent(&bench.plot, &move);
            bench.plot.replot(QCustomPlot::rpImmediateRefresh);
            const QRect axes = bench.plot.axisRect()->rect();
            const QImage moved = bench.plot.grab().toImage().copy(axes);
            QVERIFY(moved != start.copy(axes));
            auto fresh = bench.plot.sameFor(bench.runs, bench.selection, PlotStyle::onScreen(lightColours()));
            fresh->resize(bench.plot.size());
            fresh->show();
            fresh->showRange(bench.plot.xAxis->range(), bench.plot.yAxis->range());
            fresh->flush();
            fresh->replot(QCustomPlot::rpImmediateRefresh);
            QCOMPARE(fresh->axisRect()->rect(), axes);
            const QImage whole = fresh->grab().toImage().copy(axes);
            int largest = 0;
            for (int y = 0; y < moved.height(); ++y)
                for (int x = 0; x < moved.width(); ++x)
                    largest = std::max(largest, distance(moved.pixelColor(x, y), whole.pixelColor(x, y)));
            QVERIFY2(largest <= 24, qPrintable(QString::number(largest)));
        }
        QTest::mouseRelease(&bench.plot, Qt::LeftButton, {}, mouse);
    }

    void clickAndKeysChoosePoints() {
        Bench bench;
        const RunId a = bench.runs.add(runWith("a", {0.2, std::nullopt, 0.6}), Origin::Measured);
        const RunId b = bench.runs.add(runWith("b", {0.9, 0.8, 0.7}), Origin::Measured);
        bench.settle();
        QTest::mouseClick(&bench.plot, Qt::LeftButton, {}, bench.at(a, 0));
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{a, 0}}));
        QTest::mouseClick(&bench.plot, Qt::LeftButton, Qt::ControlModifier, bench.at(b, 1));
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{a, 0}, {b, 1}}));
        bench.selection.set({{a, 0}});
        QTest::keyClick(&bench.plot, Qt::Key_Right);
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{a, 2}}));  // over the gap
        QTest::keyClick(&bench.plot, Qt::Key_Down);
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{b, 2}}));
        QTest::keyClick(&bench.plot, Qt::Key_Escape);
        QVERIFY(bench.selection.points().empty());
    }
};

QTEST_MAIN(TestProfilePlot)
#include "tst_profile_plot.moc"
