// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QTest>
#include <QTreeWidget>

#include "blocks/swap_text.h"
#include "compression/compression_view.h"
#include "compression/replacement_dialog.h"
#include "example_runs.h"
#include "plot/cost_plot.h"
#include "style/theme.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

using study::ReplacementKind;

struct Bench {
    RunList runs;
    PointSelection selection;
    Theme theme{*qApp};
    CompressionModel model{runs, theme};
    CompressionFilter filter{model};
    CompressionView view{model, filter, selection};

    // "11 linear" and so on, as they stand.
    QStringList shown() const {
        QStringList lines;
        for (int row = 0; row < filter.rowCount(); ++row)
            lines += text(row, CompressionModel::BlockColumn) + QLatin1Char(' ') +
                     text(row, CompressionModel::ReplacementColumn);
        return lines;
    }
    QString text(int row, int column) const { return filter.index(row, column).data().toString(); }
};

const QStringList all = {QStringLiteral("3 linear"),      QStringLiteral("11 linear"),
                         QStringLiteral("11 balanced ½"), QStringLiteral("11 balanced ⅘"),
                         QStringLiteral("11 switched"),   QStringLiteral("15 linear")};

}  // namespace

class TestCompressionTable : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale(QLocale::English, QLocale::UnitedStates)); }

    void aRowForEachReplacementOfEachBlock() {
        Bench bench;
        bench.runs.add(costlyRun("smol"), Origin::Measured);
        QCOMPARE(bench.shown(), all);
        QCOMPARE(bench.text(1, CompressionModel::CostColumn), QStringLiteral("+316 ± 12"));
        QCOMPARE(bench.text(4, CompressionModel::CostColumn), QStringLiteral("+0.60 ± 0.11"));
        QCOMPARE(bench.text(5, CompressionModel::CostColumn), QStringLiteral("−0.500 ± 0.040"));
        QCOMPARE(bench.text(1, CompressionModel::ParametersColumn), QStringLiteral("332,352"));
        QCOMPARE(bench.text(1, CompressionModel::CompressionColumn), QStringLiteral("×8.0"));  // 2,654,208
        QCOMPARE(bench.text(1, CompressionModel::SavedColumn), QStringLiteral("1.73 %"));
        QCOMPARE(bench.text(2, CompressionModel::KeptColumn), QStringLiteral("kept"));
    }

    void aCostlySwapStandsOutAndSaysWhy() {
        Bench bench;
        bench.runs.add(costlyRun("smol"), Origin::Measured);
        QCOMPARE(bench.text(1, CompressionModel::R2Column), QStringLiteral("† 0.976"));
        const QString remark = bench.text(1, CompressionModel::RemarkColumn);
        for (const char* part : {"119", "100.0 %", "0.522", "-88.9", "+316"})
            QVERIFY2(remark.contains(QLatin1String(part)), qPrintable(remark));
        const auto colour = [&](int row) {
            return bench.filter.index(row, CompressionModel::CostColumn).data(Qt::ForegroundRole);
        };
        QCOMPARE(colour(1).value<QColor>(), bench.theme.colours().error);
        QVERIFY(bench.text(4, CompressionModel::RemarkColumn).isEmpty());
        QVERIFY(!colour(4).isValid());
        const auto point = mostTelling(bench.runs);
        QVERIFY(point && point->block == 11);
        const RunEntry& entry = *bench.runs.find(point->run);
        const QString story = costStory(entry, *entry.block(11), lightColours());
        for (const char* part : {"119 of 14,976", "+316 ± 12", "+9.40 ± 0.60", "+0.60 ± 0.11", "−88.90"})
            QVERIFY2(story.contains(QString::fromUtf8(part)), qPrintable(story));
    }

    void r2IsNeverShownWithoutItsCost() {
        Bench bench;
        bench.runs.add(costlyRun("smol"), Origin::Measured);
        QCOMPARE(bench.text(0, CompressionModel::R2Column), QStringLiteral("0.950"));
        QCOMPARE(bench.text(0, CompressionModel::CostColumn), QStringLiteral("not measured"));
        for (const int column : {CompressionModel::R2Column, CompressionModel::R2CentredColumn})
            QVERIFY(bench.filter.index(0, column)
                        .data(Qt::ToolTipRole)
                        .toString()
                        .contains(QStringLiteral("perplexity not measured")));
    }

    void sortsByValueWithTheUndefinedLast() {
        Bench bench;
        bench.runs.add(costlyRun("smol"), Origin::Measured);
        bench.view.sortByColumn(CompressionModel::CostColumn, Qt::AscendingOrder);
        QCOMPARE(bench.shown(), (QStringList{all[5], all[4], all[2], all[3], all[1], all[0]}));
        bench.view.sortByColumn(CompressionModel::CostColumn, Qt::DescendingOrder);
        QCOMPARE(bench.shown(), (QStringList{all[1], all[3], all[2], all[4], all[5], all[0]}));
        bench.view.sortByColumn(CompressionModel::R2TypicalColumn, Qt::DescendingOrder);
        QCOMPARE(bench.shown().first(), all[5]);
        QCOMPARE(bench.shown().last(), all[0]);  // no typical score
        bench.view.sortByColumn(-1, Qt::AscendingOrder);
        QCOMPARE(bench.shown(), all);
    }

    void filters_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QStringList>("rows");
        QTest::newRow("threshold") << "r2>0.9 dppl<1" << QStringList{all[4]};
        QTest::newRow("equal or more, spaces")
            << "dppl >= 9.4 block=11" << QStringList{all[1], all[2], all[3]};
        QTest::newRow("negative") << "dppl<-0.4" << QStringList{all[5]};
        QTest::newRow("words") << "switch SMOL" << QStringList{all[4]};
        QTest::newRow("word and number") << "linear r2_typical<0.6" << QStringList{all[1]};
        QTest::newRow("per cent, by its beginning") << "saved>1.7 kept" << QStringList{all[2], all[5]};
        QTest::newRow("the reader's signs") << QString::fromUtf8("ΔPPL≤0.6 R²≥0.9") << QStringList{all[4]};
        QTest::newRow("not understood") << "r3>1" << QStringList();
        QTest::newRow("half typed") << "r2>" << QStringList();
        QTest::newRow("nothing") << "  " << all;
    }
    void filters() {
        QFETCH(QString, text);
        QFETCH(QStringList, rows);
        Bench bench;
        bench.runs.add(costlyRun("smol"), Origin::Measured);
        bench.filter.setText(text);
        QCOMPARE(bench.shown(), rows);
    }

    void filtersByRunAndKind() {
        Bench bench;
        const RunId a = bench.runs.add(costlyRun("a"), Origin::Measured);
        const RunId b = bench.runs.add(costlyRun("b"), Origin::Measured);
        QCOMPARE(bench.filter.rowCount(), 12);
        bench.filter.setRun(b);
        QCOMPARE(bench.shown(), all);
        QCOMPARE(bench.text(0, CompressionModel::ModelColumn), QStringLiteral("b"));
        bench.filter.setWhich(CompressionFilter::Kept);
        QCOMPARE(bench.shown(), (QStringList{all[2], all[5]}));
        bench.filter.setWhich(CompressionFilter::Costly);
        QCOMPARE(bench.shown(), (QStringList{all[1], all[2]}));
        bench.filter.setRun(std::nullopt);
        QCOMPARE(bench.shown(), (QStringList{all[1], all[2], all[1], all[2]}));
        bench.filter.setWhich(CompressionFilter::FirstKind + static_cast<int>(ReplacementKind::Switched));
        QCOMPARE(bench.shown(), (QStringList{all[4], all[4]}));
        bench.runs.setVisible(a, false);
        QCOMPARE(bench.shown(), (QStringList{all[4]}));
        bench.runs.remove(b);
        QCOMPARE(bench.filter.rowCount(), 0);
    }

    void whatMoreIsKnownOfABlockIsTakenUp() {
        Bench bench;
        study::Run run = costlyRun("a");
        const study::BlockResult measured = run.blocks[1];
        for (study::ReplacementResult& swap : run.blocks[1].replacements)
            swap.dppl = swap.dpplSe = std::nullopt;
        const RunId id = bench.runs.add(run, Origin::Measured, Activity::Running);
        bench.view.sortByColumn(CompressionModel::CostColumn, Qt::AscendingOrder);
        QCOMPARE(bench.shown().first(), all[5]);
        bench.runs.addBlock(id, measured);
        QCOMPARE(bench.shown(), (QStringList{all[5], all[4], all[2], all[3], all[1], all[0]}));
        study::BlockResult more = measured;
        more.block = 20;
        more.replacements.resize(1);
        bench.runs.addBlock(id, more);
        QCOMPARE(bench.filter.rowCount(), 7);
        more.replacements = measured.replacements;
        bench.runs.addBlock(id, more);
        QCOMPARE(bench.filter.rowCount(), 10);
    }

    void theSelectionIsSharedAndTheShownIsExported() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("a"), Origin::Measured);
        bench.selection.set({{id, 11}});
        QCOMPARE(bench.view.selectionModel()->selectedRows().size(), 4);
        bench.view.clearSelection();
        QVERIFY(bench.selection.points().empty());
        bench.view.selectRow(5);
        QCOMPARE(bench.selection.points(), (PointSelection::Points{{id, 15}}));
        bench.view.copy();
        const QStringList lines = QApplication::clipboard()->text().split(QLatin1Char('\n'));
        QVERIFY(lines[0].contains(QStringLiteral("\tdppl\tdppl_se\t")));
        QVERIFY2(lines[1].startsWith(QStringLiteral("15\ta\ttext.txt\tlinear\t-0.5\t0.04\tkept\t0.674\t")),
                 qPrintable(lines[1]));
        QCOMPARE(lines.size(), 3);

        bench.filter.setText(QStringLiteral("dppl<10"));
        const std::vector<study::Run> runs = bench.view.shownRuns();
        QCOMPARE(runs.size(), 1U);
        std::vector<std::size_t> counts;
        for (const study::BlockResult& block : runs[0].blocks)
            counts.push_back(block.replacements.size());
        QCOMPARE(counts, (std::vector<std::size_t>{0, 2, 1}));
        bench.filter.setText(QStringLiteral("nothing"));
        QVERIFY(bench.view.shownRuns().empty());
    }

    // Beside a healed cost stands what the same training gives the block's own FFN, which is no replacement.
    void healedCostsHaveTheirBaseline() {
        Bench bench;
        study::Run run = costlyRun("smol");
        const RunId plain = bench.runs.add(run, Origin::Measured);
        QTRY_VERIFY(bench.view.isColumnHidden(CompressionModel::HealedColumn));
        study::BlockResult& block = run.blocks[2];
        block.replacements[0].dpplHealed = -1.5;
        block.replacements[0].dpplHealedSe = 0.2;
        block.values.set(study::Metric::DpplHealed, -1.5);
        block.values.set(study::Metric::DpplHealedOriginal, -2.25);
        block.replacements.push_back(
            {.kind = ReplacementKind::Bilinear, .parameters = 360'576, .r2 = 0.687, .dppl = -0.4});
        study::ReplacementResult own{.kind = ReplacementKind::Original, .parameters = 2'654'208, .r2 = 1.0};
        own.dpplHealed = -2.25;
        own.dpplHealedSe = 0.3;
        block.replacements.push_back(own);
        bench.runs.remove(plain);
        const RunId id = bench.runs.add(run, Origin::Measured);
        QTRY_VERIFY(!bench.view.isColumnHidden(CompressionModel::HealedColumn));
        bench.filter.setText(QStringLiteral("block=15"));
        QCOMPARE(bench.filter.rowCount(), 3);
        QCOMPARE(bench.text(0, CompressionModel::HealedColumn), QStringLiteral("−1.50 ± 0.20"));
        QCOMPARE(bench.text(0, CompressionModel::OwnHealedColumn), QStringLiteral("−2.25"));
        QCOMPARE(bench.text(1, CompressionModel::OwnHealedColumn), QString());  // was not healed
        QCOMPARE(bench.text(2, CompressionModel::CostColumn), QStringLiteral("baseline"));
        QCOMPARE(bench.text(2, CompressionModel::OwnHealedColumn), QStringLiteral("−2.25 ± 0.30"));
        for (const int column : {CompressionModel::R2Column, CompressionModel::CompressionColumn,
                                 CompressionModel::SavedColumn, CompressionModel::HealedColumn})
            QCOMPARE(bench.text(2, column), QString());
        bench.filter.setText(QStringLiteral("r2>0.99"));
        QCOMPARE(bench.filter.rowCount(), 0);
        ReplacementDialog dialog(*bench.runs.find(id), {});
        QVERIFY(dialog.kindBox()->findText(QStringLiteral("bilinear, rank 16")) >= 0);
        QCOMPARE(dialog.kindBox()->findText(QStringLiteral("own FFN")), -1);
        CostPlot plot(bench.runs, bench.selection, PlotStyle::onScreen(lightColours()));
        plot.flush();
        QVERIFY(plot.pixelOf({id, 15}, static_cast<int>(ReplacementKind::Bilinear)));
        QVERIFY(!plot.pixelOf({id, 15}, static_cast<int>(ReplacementKind::Original)));
        QCOMPARE(plot.points(id).back().look.marker, Marker::Triangle);
        QVERIFY(!plot.hoverText({id, 15}, 0).contains(QStringLiteral("own FFN")));
    }

    // No block is offered for its R²: only those that the reader chose are checked.
    void theExportOfReplacementsOffersNothing() {
        Bench bench;
        const RunId id = bench.runs.add(costlyRun("a"), Origin::Measured);
        ReplacementDialog empty(*bench.runs.find(id), {});
        QVERIFY(empty.blocks().empty());
        QCOMPARE(empty.list()->topLevelItem(0)->text(1), QStringLiteral("perplexity not measured"));
        ReplacementDialog chosen(*bench.runs.find(id), {11, 15});
        QCOMPARE(chosen.blocks(), (std::vector{11, 15}));
        chosen.kindBox()->setCurrentIndex(chosen.kindBox()->findText(QStringLiteral("switched")));
        QCOMPARE(chosen.kind(), ReplacementKind::Switched);
        QCOMPARE(chosen.blocks(), (std::vector{11}));  // 15 has none
    }
};

QTEST_MAIN(TestCompressionTable)
#include "tst_compression_table.moc"
