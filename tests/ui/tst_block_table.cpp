// SPDX-License-Identifier: GPL-3.0-or-later
#include <QApplication>
#include <QClipboard>
#include <QMimeData>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "blocks/block_table_view.h"
#include "example_runs.h"
#include "style/column_choice.h"
#include "style/theme.h"

using namespace straightedge;
using namespace straightedge::ui;

class TestBlockTable : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { QLocale::setDefault(QLocale::c()); }

    void columnsAreTheMetricsInOrder() {
        Table table;
        int column = BlockTableModel::FirstMetricColumn;
        for (const study::MetricInfo& metric : study::metrics())
            QCOMPARE(table.model.headerData(column++, Qt::Horizontal).toString().toStdString(),
                     std::string(metric.title));
        QCOMPARE(column, BlockTableModel::remarkColumn());
        const int r2 = BlockTableModel::columnOf(study::Metric::R2Lin);
        const QString tip = table.model.headerData(r2, Qt::Horizontal, Qt::ToolTipRole).toString();
        QVERIFY(tip.contains(QString::fromUtf8(study::info(study::Metric::R2Lin).explanation.data())));
    }

    void undefinedIsEmptyAndLastInBothOrders() {
        Table table;
        table.runs.add(runWith("a", {0.5, std::nullopt, 0.9, -0.25}), Origin::Measured);
        const int r2 = BlockTableModel::columnOf(study::Metric::R2Lin);
        QCOMPARE(table.model.index(1, r2).data().toString(), QString());
        QVERIFY(!table.model.index(1, r2).data(BlockTableModel::ValueRole).isValid());
        table.model.sort(r2, Qt::AscendingOrder);
        QCOMPARE(table.blocks(), (std::vector{3, 0, 2, 1}));
        table.model.sort(r2, Qt::DescendingOrder);
        QCOMPARE(table.blocks(), (std::vector{2, 0, 3, 1}));
        table.model.sort(-1, Qt::AscendingOrder);
        QCOMPARE(table.blocks(), (std::vector{0, 1, 2, 3}));
        QCOMPARE(table.model.index(3, r2).data().toString(), QStringLiteral("−0.250"));
    }

    void numbersAreSortedAsNumbers() {
        Table table;
        std::vector<std::optional<double>> scores;
        for (int i = 0; i < 12; ++i)
            scores.push_back(0.1 * i);
        table.runs.add(runWith("a", scores), Origin::Measured);
        table.model.sort(BlockTableModel::BlockColumn, Qt::DescendingOrder);
        QCOMPARE(table.blocks().front(), 11);
        QCOMPARE(table.blocks().back(), 0);
    }

    void aBlockArrivesInItsPlace() {
        Table table;
        const RunId run = table.runs.add(runWith("a", {0.5, 0.7}), Origin::Measured, Activity::Running);
        table.model.sort(BlockTableModel::columnOf(study::Metric::R2Lin), Qt::DescendingOrder);
        study::BlockResult block = massiveBlock(2);
        block.values.set(study::Metric::R2Lin, 0.6);
        table.runs.addBlock(run, block);
        QCOMPARE(table.blocks(), (std::vector{1, 2, 0}));
    }

    void whatMoreIsKnownOfABlockIsShownAndSorted() {
        Table table;
        const RunId run = table.runs.add(runWith("a", {0.5, 0.7, 0.9}), Origin::Measured, Activity::Running);
        const int dppl = BlockTableModel::columnOf(study::Metric::Dppl),
                  r2 = BlockTableModel::columnOf(study::Metric::R2Lin);
        QVERIFY(table.model.index(2, r2)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(QStringLiteral("perplexity not measured")));
        table.model.sort(dppl, Qt::DescendingOrder);
        study::BlockResult block = table.runs.find(run)->run.blocks[1];
        block.values.set(study::Metric::Dppl, 12.5);
        table.runs.addBlock(run, block);
        QCOMPARE(table.blocks(), (std::vector{1, 0, 2}));
        QCOMPARE(table.model.index(0, dppl).data().toString(), QStringLiteral("12.50"));
        QVERIFY(table.model.index(0, r2).data(Qt::ToolTipRole).toString().contains(QStringLiteral("+12.5")));
    }

    void hiddenRunsLeaveTheTable() {
        Table table;
        const RunId a = table.runs.add(runWith("a", {0.5, 0.7}), Origin::Measured);
        table.runs.add(runWith("b", {0.6}), Origin::Measured);
        table.model.sort(BlockTableModel::columnOf(study::Metric::R2Lin),
                         Qt::AscendingOrder);  // b lies between a's rows
        table.runs.setVisible(a, false);
        QCOMPARE(table.model.rowCount(), 1);
        QCOMPARE(table.model.index(0, BlockTableModel::ModelColumn).data().toString(), QStringLiteral("b"));
        table.runs.setVisible(a, true);
        QCOMPARE(table.blocks(), (std::vector{0, 0, 1}));
        table.runs.remove(a);
        QCOMPARE(table.model.rowCount(), 1);
    }

    void massiveAndFailedBlocksSayWhy() {
        Table table;
        study::Run run = runWith("a", {});
        run.blocks = {massiveBlock(0), {.block = 1, .values = {}, .failure = "output is not finite"}};
        table.runs.add(run, Origin::Measured);
        const QModelIndex remark = table.model.index(0, BlockTableModel::remarkColumn());
        QVERIFY(remark.data().toString().contains(QStringLiteral("119")));
        QVERIFY(remark.data().toString().contains(QStringLiteral("0.522")));
        QVERIFY(table.model.index(0, BlockTableModel::columnOf(study::Metric::R2Lin))
                    .data()
                    .toString()
                    .startsWith(QStringLiteral("◎")));
        QCOMPARE(table.model.index(1, BlockTableModel::remarkColumn()).data().toString(),
                 QStringLiteral("output is not finite"));
    }

    void copiesFullPrecisionInTheCLocale() {
        QLocale::setDefault(QLocale(QLocale::German));
        Table table;
        table.runs.add(runWith("a\tb", {1.0 / 3.0, std::nullopt}), Origin::Measured);
        const int r2 = BlockTableModel::columnOf(study::Metric::R2Lin);
        QCOMPARE(table.model.index(0, r2).data().toString(), QStringLiteral("0,333"));
        QCOMPARE(table.model.toTsv({0, 1}, {BlockTableModel::BlockColumn, BlockTableModel::ModelColumn, r2}),
                 QStringLiteral("block\tmodel\tr2_lin\n0\ta b\t0.3333333333333333\n1\ta b\t\n"));
        QLocale::setDefault(QLocale::c());
    }

    void theSelectionIsShared() {
        Table table;
        const RunId run = table.runs.add(runWith("a", {0.5, 0.7, 0.6}), Origin::Measured);
        PointSelection selection;
        BlockTableView view(table.model, selection);
        view.selectRow(1);
        QCOMPARE(selection.points(), (PointSelection::Points{{run, 1}}));
        selection.set({{run, 2}, {run, 0}});
        QCOMPARE(view.selectionModel()->selectedRows().size(), 2);
        view.sortByColumn(BlockTableModel::columnOf(study::Metric::R2Lin), Qt::DescendingOrder);
        QCOMPARE(selection.points(),
                 (PointSelection::Points{{run, 0}, {run, 2}}));  // rows moved, points did not
        QVERIFY(view.selectionModel()->isRowSelected(1) && view.selectionModel()->isRowSelected(2));
        view.copy();
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 3);
        view.clearSelection();
        view.copy();
        QCOMPARE(QApplication::clipboard()->text().count(QLatin1Char('\n')), 4);
        QVERIFY(
            QApplication::clipboard()->mimeData()->hasFormat(QStringLiteral("text/tab-separated-values")));
    }

    void columnsThatNoRunShownHasAreHidden() {
        Table table;
        PointSelection selection;
        table.runs.add(runWith("published", {0.5}), Origin::Published);
        BlockTableView view(table.model, selection);
        const int dppl = BlockTableModel::columnOf(study::Metric::Dppl),
                  r2 = BlockTableModel::columnOf(study::Metric::R2Lin),
                  base = BlockTableModel::columnOf(study::Metric::BasePpl);
        QVERIFY(view.isColumnHidden(dppl) && !view.isColumnHidden(r2));
        const RunId run = table.runs.add(costlyRun("smol"), Origin::Measured);
        QTRY_VERIFY(!view.isColumnHidden(dppl));
        QVERIFY(view.isColumnHidden(base));  // of use in a file: only when the reader wants it
        view.columns().setWanted(base, true);
        QVERIFY(!view.isColumnHidden(base));
        view.columns().setWanted(r2, false);
        table.runs.setVisible(run, false);
        QTRY_VERIFY(view.isColumnHidden(dppl) && view.isColumnHidden(base));
        QTemporaryDir folder;
        QSettings settings(folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat);
        view.save(settings);
        BlockTableView again(table.model, selection);
        again.restore(settings);
        QVERIFY(again.isColumnHidden(r2) && again.isColumnHidden(dppl));
        table.runs.setVisible(run, true);
        QTRY_VERIFY(!again.isColumnHidden(dppl) && !again.isColumnHidden(base));
        QVERIFY(again.isColumnHidden(r2));
    }

  private:
    struct Table {
        RunList runs;
        Theme theme{*qApp};
        BlockTableModel model{runs, theme};

        std::vector<int> blocks() const {
            std::vector<int> numbers;
            for (int row = 0; row < model.rowCount(); ++row)
                numbers.push_back(model.pointAt(row).block);
            return numbers;
        }
    };
};

QTEST_MAIN(TestBlockTable)
#include "tst_block_table.moc"
