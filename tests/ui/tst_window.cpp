// SPDX-License-Identifier: GPL-3.0-or-later
// The window driven end to end with a tiny checkpoint and the real measurement.
#include <QCheckBox>
#include <QComboBox>
#include <QDir>
#include <QDropEvent>
#include <QFile>
#include <QImage>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QMimeData>
#include <QProgressBar>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QStatusBar>
#include <QTabWidget>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <condition_variable>
#include <mutex>

#include "blocks/block_table_view.h"
#include "clean_place.h"
#include "compare/corpora_view.h"
#include "compression/cost_page.h"
#include "error.h"
#include "example_runs.h"
#include "export/exporter.h"
#include "hub/cache_folder.h"
#include "main_window.h"
#include "models/extras_panel.h"
#include "models/fetch_dialog.h"
#include "models/measure_panel.h"
#include "residual/residual_page.h"
#include "runs/comparison_note.h"
#include "style/card_delegate.h"
#include "style/card_list.h"
#include "style/format.h"
#include "style/message_bar.h"
#include "style/theme.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

const QString tinyModel = QStringLiteral(TEST_DATA "/tiny/llama");
const QString tinyText = QStringLiteral(TEST_DATA "/text.txt");

int blocksOf(const QString& model) {
    QFile file(model + QStringLiteral("/config.json"));
    return file.open(QIODevice::ReadOnly) ? QJsonDocument::fromJson(file.readAll())
                                                .object()
                                                .value(QStringLiteral("num_hidden_layers"))
                                                .toInt()
                                          : 0;
}

// Passes all on; after the first block it waits until the run is asked to stop, so that a cancel comes in
// time.
class Gate : public study::Observer {
  public:
    Gate(study::Observer& next, std::stop_token stop) : m_next(next), m_stop(std::move(stop)) {}
    void started(const study::RunHeader& header) override { m_next.started(header); }
    void progressed(const study::Progress& progress) override { m_next.progressed(progress); }
    void noted(const std::string& note) override { m_next.noted(note); }
    void blockFinished(const study::BlockResult& block) override {
        m_next.blockFinished(block);
        std::unique_lock lock(m_mutex);
        m_never.wait(lock, m_stop, [] { return false; });
    }

  private:
    study::Observer& m_next;
    std::stop_token m_stop;
    std::mutex m_mutex;
    std::condition_variable_any m_never;
};

struct Bench {
    QTemporaryDir folder;
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
    Theme theme{*qApp};
    std::unique_ptr<MainWindow> window;

    explicit Bench(JobQueue::Measure measure = measureInMemory) {
        qputenv("STRAIGHTEDGE_MODELS", folder.filePath(QStringLiteral("models.txt")).toUtf8());
        open(std::move(measure));
    }
    void open(JobQueue::Measure measure = measureInMemory) {
        window = std::make_unique<MainWindow>(settings, theme, std::filesystem::path(), std::move(measure));
        window->show();
    }
    RunList& runs() { return window->session().runs(); }
    MeasurePanel& panel() { return window->measurePanel(); }
    // The tiny checkpoint on the text, few tokens.
    void choose(const QString& model = tinyModel) {
        panel().models().add(toPath(model));
        panel().setCorpus(tinyText);
        panel().tokensBox()->setValue(1'024);
        panel().windowBox()->setValue(32);
    }
    const RunEntry& last() { return runs().at(runs().size() - 1); }
};

}  // namespace

class TestWindow : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { enterCleanPlace(); }

    void theFirstStartShowsThePublishedProfiles() {
        Bench bench;
        QCOMPARE(bench.runs().size(), 3);
        for (int row = 0; row < 3; ++row) {
            const RunEntry& entry = bench.runs().at(row);
            QCOMPARE(entry.run.blocks.size(), 12U);
            QVERIFY(bench.window->plot().curve(entry.id)->look.published);
            QCOMPARE(bench.window->plot().curve(entry.id)->points.size(), std::size_t(12));
        }
        QCOMPARE(bench.window->table().model()->rowCount(), 36);
        QVERIFY(bench.window->message().isVisible());
        QVERIFY(!bench.panel().measureButton()->isEnabled());
    }

    void measuresAndExports() {
        Bench bench;
        bench.choose();
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        QCOMPARE(bench.runs().size(), 4);
        const RunId id = bench.last().id;
        QVERIFY(!bench.window->message().isVisible());
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(id)->activity, Activity::Done, 60'000);
        const RunEntry& entry = *bench.runs().find(id);
        QVERIFY2(entry.run.failure.empty(), entry.run.failure.c_str());
        QCOMPARE(entry.run.state, study::RunState::Finished);
        const int blocks = blocksOf(tinyModel);
        QVERIFY(blocks > 0);
        QCOMPARE(static_cast<int>(entry.run.blocks.size()), blocks);

        bench.window->plot().flush();
        const ProfileCurve& curve = *bench.window->plot().curve(id);
        QCOMPARE(static_cast<int>(curve.points.size()), blocks);
        for (int i = 0; i < blocks; ++i)
            QCOMPARE(curve.points[static_cast<std::size_t>(i)].y,
                     *entry.run.blocks[static_cast<std::size_t>(i)].values[study::Metric::R2Lin]);
        QCOMPARE(bench.window->table().model()->rowCount(), 36 + blocks);

        QSignalSpy saved(&bench.window->exporter(), &Exporter::saved);
        const QString png = bench.folder.filePath(QStringLiteral("plot.png")),
                      csv = bench.folder.filePath(QStringLiteral("runs.csv"));
        bench.window->exporter().savePlot(bench.window->plot(), bench.runs(), toPath(png), {183, 95, 150});
        bench.window->exporter().saveData(toPath(csv), bench.runs().visibleRuns());
        QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 2, 20'000);
        QCOMPARE(QImage(png).size(), QSize(1081, 561));
        QFile file(csv);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QList<QByteArray> lines = file.readAll().trimmed().split('\n');
        QCOMPARE(lines.size(), 1 + 36 + blocks);
        const qsizetype column = lines[0].split(',').indexOf("r2_lin");
        QCOMPARE(lines.last().split(',').at(column).toDouble(),
                 *entry.run.blocks.back().values[study::Metric::R2Lin]);
    }

    // A fetched text goes by its name; one that was not says how to fetch it.
    void textsGoByName() {
        Bench bench;
        const QString texts = bench.folder.filePath(QStringLiteral("texts"));
        qputenv("STRAIGHTEDGE_TEXTS", texts.toUtf8());
        bench.choose();
        bench.panel().setCorpus(QStringLiteral("moby-dick"));
        QTRY_VERIFY(bench.panel().hint().contains(QStringLiteral("straightedge fetch corpus:moby-dick")));
        QVERIFY(!bench.panel().measureButton()->isEnabled());
        const QString file = texts + QStringLiteral("/moby-dick.txt");
        QVERIFY(QDir().mkpath(texts) && QFile::copy(tinyText, file));
        bench.panel().setCorpus(QString());
        bench.panel().setCorpus(QStringLiteral("moby-dick"));
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        const auto requests = bench.panel().requests();
        QCOMPARE(requests.size(), std::size_t(1));
        QCOMPARE(requests[0].settings.corpus, toPath(file));
        qunsetenv("STRAIGHTEDGE_TEXTS");
    }

    // Perplexity, balanced and switched fits of a model with massive rows: from the panel to plot and table.
    void measuresWhatSwapsCost() {
        Bench bench;
        bench.choose(QStringLiteral(TEST_DATA "/tiny/llama_massive"));
        QVERIFY(!bench.panel().batchesBox()->isEnabled());
        for (QCheckBox* box :
             {bench.panel().perplexityBox(), bench.panel().balancedBox(), bench.panel().switchedBox()}) {
            QVERIFY(!box->toolTip().isEmpty());
            box->click();
        }
        bench.panel().batchesBox()->setValue(2);
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        const RunId id = bench.last().id;
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(id)->activity, Activity::Done, 60'000);
        const study::Run& run = bench.runs().find(id)->run;
        QVERIFY2(run.state == study::RunState::Finished, run.failure.c_str());
        QCOMPARE(run.header.settings.evaluationBatches, 2);

        // The same by the core alone.
        study::StudySettings settings = run.header.settings;
        study::Observer nobody;
        const study::Run expected = study::measure(settings, {}, nobody);
        QCOMPARE(run.basePpl, expected.basePpl);
        QVERIFY(run.basePpl.has_value());
        int rows = 0, massive = 0;
        for (std::size_t i = 0; i < run.blocks.size(); ++i) {
            QVERIFY(run.blocks[i].replacements == expected.blocks[i].replacements);
            QVERIFY(run.blocks[i].values == expected.blocks[i].values);
            rows += static_cast<int>(run.blocks[i].replacements.size());
            massive += run.blocks[i].values[study::Metric::DpplSwitched].has_value();
        }
        QVERIFY(massive > 0);

        bench.window->showTab(1);
        CostPage& page = bench.window->costPage();
        page.plot().flush();
        QTRY_VERIFY(page.runBox()->findData(QVariant::fromValue(id)) > 0);
        page.runBox()->setCurrentIndex(page.runBox()->findData(QVariant::fromValue(id)));
        QTRY_COMPARE(page.table().model()->rowCount(), rows);
        for (const study::BlockResult& block : run.blocks)
            for (const study::ReplacementResult& swap : block.replacements)
                if (swap.kind == study::ReplacementKind::Linear ||
                    swap.kind == study::ReplacementKind::Switched)
                    QVERIFY(page.plot().pixelOf({id, block.block}, static_cast<int>(swap.kind)));

        // One selection for both plots and both tables.
        page.table().selectRow(0);
        const PointId chosen{id, run.blocks[0].block};
        QCOMPARE(bench.window->session().selection().points(), (PointSelection::Points{chosen}));
        QCOMPARE(bench.window->table().selectionModel()->selectedRows().size(), 1);
        QVERIFY(page.story().contains(QStringLiteral("Block %1").arg(chosen.block)));
    }

    // Folds, rank, a ceiling, a probe and healing, asked for in the panel: the run is what the core alone
    // gives, and the choices are there at the next start.
    void extrasAreAskedForShownAndRemembered() {
        Bench bench;
        bench.choose();
        ExtrasPanel& extras = bench.panel().extras();
        QVERIFY(!extras.isUnfolded());
        extras.foldButton()->click();
        QVERIFY(extras.foldsBox()->isVisible());
        QVERIFY(!extras.healBox()->isEnabled());
        bench.panel().perplexityBox()->click();
        bench.panel().batchesBox()->setValue(2);
        for (QCheckBox* box : {extras.foldsBox(), extras.rankBox(), extras.probeBox(study::Probe::Bilinear),
                               extras.ceilingBox(2), extras.healBox()}) {
            QVERIFY(!box->toolTip().isEmpty());
            box->click();
            QVERIFY(box->isChecked());
        }
        extras.foldCountBox()->setValue(3);
        extras.healStepsBox()->setValue(4);
        extras.seedBox()->setValue(7);
        QTRY_VERIFY_WITH_TIMEOUT(bench.panel().hint().startsWith(QStringLiteral("about ")), 20'000);
        extras.setBlocks(QStringLiteral("1-"));
        QVERIFY(!bench.panel().measureButton()->isEnabled());
        bench.window->session().selection().set({{bench.runs().at(0).id, 1}});
        extras.chosenButton()->click();
        QCOMPARE(extras.blocksEdit()->text(), QStringLiteral("1"));
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        const RunId id = bench.last().id;
        QSignalSpy grown(&bench.runs(), &RunList::curvesGrown);
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(id)->activity, Activity::Done, 120'000);
        const study::Run& run = bench.runs().find(id)->run;
        QVERIFY2(run.state == study::RunState::Finished, run.failure.c_str());
        const study::StudySettings asked = run.header.settings;  // the window will be gone
        QCOMPARE(asked.folds, 3);
        QVERIFY(asked.effectiveRank && asked.heal);
        QCOMPARE(asked.probes, (std::vector{study::Probe::Bilinear}));
        QCOMPARE(asked.ceilings, (std::vector{2}));
        QCOMPARE(asked.healSteps, 4);
        QCOMPARE(asked.residualBlocks.text(), std::string("1"));
        QCOMPARE(asked.seed, 7U);
        QVERIFY(run.blocks[0].probes.empty() && run.blocks[0].folds.size() == 3);
        QCOMPARE(run.blocks[1].probes.size(), 1U);
        QCOMPARE(run.blocks[1].ceilings.size(), 1U);
        QVERIFY(grown.count() > 0);
        QVERIFY(bench.runs().find(id)->live.empty());

        bench.window->showTab(2);
        bench.window->session().selection().set({{id, 1}});
        ResidualPage& page = bench.window->residualPage();
        for (const auto kind : {CurvePlot::Kind::Rank, CurvePlot::Kind::Training, CurvePlot::Kind::Healing}) {
            QTRY_VERIFY(page.curves(kind).isVisible());
            page.curves(kind).flush();
        }
        QCOMPARE(page.curves(CurvePlot::Kind::Rank).curves()[0].y, run.blocks[1].rankCurve);
        QCOMPARE(page.curves(CurvePlot::Kind::Healing).curves()[0].x.size(), 4U);

        bench.window->close();
        bench.window.reset();
        bench.open();
        ExtrasPanel& again = bench.panel().extras();
        QVERIFY(again.isUnfolded());
        study::StudySettings remembered;
        again.apply(remembered);
        QCOMPARE(remembered.folds, 3);
        QVERIFY(remembered.effectiveRank && remembered.heal);
        QCOMPARE(remembered.probes, asked.probes);
        QCOMPARE(remembered.seed, 7U);
        QCOMPARE(again.summary(), QStringLiteral("3 folds, rank, 1 probe, 1 ceiling, healing"));
    }

    // Two texts in the field: two runs, told apart, compared below the plot while both are shown.
    void twoTextsAreMeasuredAndCompared() {
        Bench bench;
        bench.choose();
        const QString other = bench.folder.filePath(QStringLiteral("other.txt"));
        QFile from(tinyText), to(other);
        QVERIFY(from.open(QIODevice::ReadOnly) && to.open(QIODevice::WriteOnly));
        QByteArray bytes = from.readAll();
        std::ranges::reverse(bytes);
        to.write(bytes);
        to.close();
        bench.window->open({tinyText, other});
        QTRY_COMPARE(bench.panel().measureButton()->text(), QStringLiteral("Measure 1 × 2 texts"));
        CorporaView& corpora = bench.window->corpora();
        QVERIFY(corpora.isEmpty() && !corpora.isVisible());
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        QCOMPARE(bench.runs().size(), 5);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->session().jobs().isIdle(), 60'000);
        const RunEntry &first = bench.runs().at(3), &second = bench.runs().at(4);
        QVERIFY2(second.run.state == study::RunState::Finished, second.run.failure.c_str());
        QCOMPARE(second.run.header.corpus, std::string("other.txt"));
        QVERIFY(first.colour != second.colour);
        QTRY_VERIFY(!corpora.isEmpty());
        auto* tabs = bench.window->findChild<QTabWidget*>(QStringLiteral("tables"));
        QVERIFY(tabs && tabs->count() == 2);
        tabs->setCurrentWidget(&corpora);
        QVERIFY(corpora.isVisible());

        const study::Run* runs[] = {&first.run, &second.run};
        const auto expected = study::compareCorpora(runs);
        QCOMPARE(expected.size(), 1U);
        QCOMPARE(corpora.pairs().rowCount(), 1);
        const auto value = [&](int column) {
            return corpora.pairs().index(0, column).data(CorporaModel::ValueRole).toDouble();
        };
        QCOMPARE(value(CorporaModel::BlocksColumn), static_cast<double>(blocksOf(tinyModel)));
        QCOMPARE(value(CorporaModel::MeanColumn), *expected[0].meanDifference);
        QCOMPARE(value(CorporaModel::LargestColumn), *expected[0].largestDifference);
        corpora.selectRow(0);
        QCOMPARE(bench.window->session().selection().points(),
                 (PointSelection::Points{{first.id, expected[0].largestBlock},
                                         {second.id, expected[0].largestBlock}}));
        QVERIFY(corpora.pairs().toCsv().contains(QStringLiteral("text.txt,other.txt,r2_lin,")));
        bench.window->plot().setScore(Score::Centred);
        QVERIFY(corpora.pairs().toCsv().contains(QStringLiteral(",r2_lin_centred,")));
        bench.runs().setVisible(second.id, false);
        QTRY_COMPARE(tabs->count(), 1);
        bench.runs().setVisible(second.id, true);
        QTRY_COMPARE(tabs->count(), 2);
    }

    void theScoreIsThatOfBothPlots() {
        Bench bench;
        bench.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(bench.window.get()));
        bench.window->showTab(1);
        QTest::keyClick(bench.window.get(), Qt::Key_3, Qt::ControlModifier);
        QCOMPARE(bench.window->plot().score(), Score::Typical);
        QCOMPARE(bench.window->costPage().plot().score(), Score::Typical);
    }

    void runsThatCannotBeComparedSaySo() {
        Bench bench;
        study::Run a = costlyRun("a"), b = costlyRun("b");
        bench.runs().add(a, Origin::Measured);
        const RunId id = bench.runs().add(b, Origin::Measured);
        QCOMPARE(comparisonNote(bench.runs()).brief, QString());
        b.header.textHash = "bb";
        bench.runs().setHeader(id, b.header);
        QCOMPARE(comparisonNote(bench.runs()).brief, QStringLiteral("different texts"));
        b.header.tokenizer = "other";
        bench.runs().setHeader(id, b.header);
        QCOMPARE(comparisonNote(bench.runs()).brief, QStringLiteral("different texts and tokenizers"));
        const auto labels = bench.window->statusBar()->findChildren<QLabel*>();
        const auto says = [](const QLabel* label) {
            return label->isVisible() && label->text() == QStringLiteral("different texts and tokenizers");
        };
        QVERIFY(std::ranges::any_of(labels, says));
        bench.runs().setVisible(id, false);
        QCOMPARE(comparisonNote(bench.runs()).brief, QString());
        QVERIFY(std::ranges::none_of(labels, says));
    }

    void cancelsTheSecondAndForgetsTheThird() {
        Bench bench([](const Task& task, std::stop_token stop, study::Observer& observer) {
            Gate gate(observer, stop);
            return study::measure(task.settings, stop, gate);
        });
        bench.choose();
        bench.choose(QStringLiteral(TEST_DATA "/tiny/gpt2"));
        QTRY_COMPARE(bench.panel().models().chosen().size(), 2U);
        QCOMPARE(bench.panel().measureButton()->text(), QStringLiteral("Measure 2 models"));
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        const RunId first = bench.runs().at(3).id, second = bench.runs().at(4).id;
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(first)->run.blocks.size(), 1U, 60'000);
        bench.window->plot().flush();
        QCOMPARE(bench.window->plot().curve(first)->points.size(), std::size_t(1));  // seen while it runs
        QTest::mouseClick(bench.panel().cancelButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->session().jobs().isIdle(), 60'000);
        QCOMPARE(bench.runs().find(first)->run.state, study::RunState::Cancelled);
        QCOMPARE(bench.runs().find(first)->run.blocks.size(), 1U);
        QCOMPARE(bench.runs().find(second)->run.state, study::RunState::Cancelled);
        QVERIFY(bench.runs().find(second)->run.blocks.empty());
        QVERIFY(!bench.panel().cancelButton()->isEnabled());
    }

    void closingStopsARun() {
        Bench bench([](const Task& task, std::stop_token stop, study::Observer& observer) {
            Gate gate(observer, stop);
            return study::measure(task.settings, stop, gate);
        });
        bench.choose();
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        QTRY_COMPARE_WITH_TIMEOUT(bench.last().run.blocks.size(), 1U, 60'000);
        QVERIFY(bench.window->close());
        QVERIFY(!bench.window->isVisible());
        bench.window.reset();  // would hang if the run were not told to stop
    }

    void errorsStandBesideTheirRun() {
        Bench bench;
        bench.choose();
        bench.panel().setCorpus(QStringLiteral("/nowhere/text.txt"));
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        QTest::mouseClick(bench.panel().measureButton(), Qt::LeftButton);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->session().jobs().isIdle(), 60'000);
        const RunEntry& entry = bench.last();
        QCOMPARE(entry.run.state, study::RunState::Failed);
        QVERIFY(entry.run.failure.find("/nowhere/text.txt") != std::string::npos);
        const auto lists = bench.window->findChildren<CardList*>();
        const auto shows = [&](const CardList* list) {
            const QModelIndex lastIndex = list->model()->index(list->model()->rowCount() - 1, 0);
            return lastIndex.data(CardDelegate::ProblemRole).toString() ==
                   QString::fromStdString(entry.run.failure);
        };
        QVERIFY(std::ranges::any_of(lists, shows));
    }

    void whatIsWrongIsSaidBeforeMeasuring() {
        Bench bench;
        bench.choose();
        QTRY_VERIFY(bench.panel().measureButton()->isEnabled());
        bench.panel().blocksEdit()->setText(QStringLiteral("3-"));
        QVERIFY(!bench.panel().measureButton()->isEnabled());
        bench.panel().blocksEdit()->setText(QStringLiteral("0,1"));
        QVERIFY(bench.panel().measureButton()->isEnabled());
        bench.panel().models().add("/nowhere/model");
        QTRY_VERIFY(!bench.panel().models().isReading());
        const auto& models = bench.panel().models();
        QVERIFY(!models.index(1).data(CardDelegate::ProblemRole).toString().isEmpty());
        QCOMPARE(models.chosen().size(), 1U);
        QVERIFY(
            models.index(0).data(CardDelegate::SubtitleRole).toString().contains(QStringLiteral("llama")));
    }

    void filesAreDroppedAndRemembered() {
        Bench bench;
        QMimeData mime;
        mime.setUrls({QUrl::fromLocalFile(tinyModel), QUrl::fromLocalFile(tinyText)});
        QDragEnterEvent enter(QPoint(500, 300), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(bench.window.get(), &enter);
        QVERIFY(enter.isAccepted());
        QDropEvent drop(QPointF(500, 300), Qt::CopyAction, &mime, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(bench.window.get(), &drop);
        QTRY_COMPARE(bench.panel().models().chosen().size(), 1U);
        QCOMPARE(bench.panel().corpus(), tinyText);
        bench.panel().blocksEdit()->setText(QStringLiteral("0"));
        bench.theme.setMode(Theme::Mode::Dark);
        bench.window->close();
        bench.window.reset();
        bench.theme.setMode(Theme::Mode::Light);
        bench.open();
        QTRY_COMPARE(bench.panel().models().chosen().size(), 1U);
        QCOMPARE(bench.panel().corpus(), tinyText);
        QCOMPARE(bench.panel().blocksEdit()->text(), QStringLiteral("0"));
        QCOMPARE(bench.theme.mode(), Theme::Mode::Dark);
        QVERIFY(bench.theme.colours().dark);
    }

    void modelsOfTheCacheAreListedWithoutBeingAsked() {
        QTemporaryDir cache;
        const std::filesystem::path model = toPath(cache.path()) / "models--org--tiny";
        const std::string commit(40, 'a');
        hub::laySnapshot(model, commit, toPath(tinyModel));
        hub::layRef(model, "main", commit);
        std::filesystem::create_directories(toPath(cache.path()) / "models--org--empty/snapshots" / commit);
        qputenv("HF_HUB_CACHE", cache.path().toUtf8());
        Bench bench;
        const auto models = [&]() -> ModelList& { return bench.panel().models(); };
        QTRY_COMPARE(models().rowCount(), 1);
        QCOMPARE(models().index(0).data().toString(), QStringLiteral("org/tiny"));
        QVERIFY(models().chosen().empty());  // found, not asked for
        models().setData(models().index(0), Qt::Checked, Qt::CheckStateRole);
        QCOMPARE(models().chosen().size(), 1U);
        QVERIFY(models().paths().isEmpty());
        const auto reopen = [&] {
            bench.window->close();
            bench.window.reset();
            bench.open();
        };
        reopen();
        QTRY_COMPARE(models().chosen().size(), 1U);
        models().remove(0);
        reopen();
        models().look({}, models().hiddenPaths());
        QTest::qWait(300);
        QCOMPARE(models().rowCount(), 0);
        models().look();
        QTRY_COMPARE(models().rowCount(), 1);
        qputenv("HF_HUB_CACHE", "/nowhere");
    }

    void aModelIsFetchedFromTheHub() {
        FetchDialog dialog([](const std::string& id, std::stop_token stop,
                              study::FetchObserver& observer) -> study::Fetched {
            if (id == "org/absent")
                throw Error({.what = "model org/absent is not on the hub", .advice = "check the ID"});
            observer.progressed({"model.safetensors", 250, 1'000, 0});
            while (id == "org/slow" && !stop.stop_requested())
                std::this_thread::sleep_for(std::chrono::milliseconds(1));
            if (stop.stop_requested())
                throw Cancelled();
            return {id, "/cache/there", 750};
        });
        QSignalSpy fetched(&dialog, &FetchDialog::fetched);
        dialog.show();
        QVERIFY(!dialog.fetchButton()->isEnabled());
        dialog.idEdit()->setText(QStringLiteral("org/absent"));
        QTest::mouseClick(dialog.fetchButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.message()->text().contains(QStringLiteral("what to do: check the ID")));
        QVERIFY(dialog.isVisible());
        dialog.idEdit()->setText(QStringLiteral(" org/slow "));
        QTest::mouseClick(dialog.fetchButton(), Qt::LeftButton);
        QTRY_COMPARE(dialog.bar()->value(), 250);
        QVERIFY(!dialog.fetchButton()->isEnabled());
        QTest::mouseClick(dialog.cancelButton(), Qt::LeftButton);
        QTRY_VERIFY(dialog.message()->text().contains(QStringLiteral("Stopped")));
        QVERIFY(dialog.isVisible() && fetched.isEmpty());
        dialog.idEdit()->setText(QStringLiteral("org/quick"));
        QTest::keyClick(dialog.idEdit(), Qt::Key_Return);
        QTRY_COMPARE(fetched.size(), 1);
        QCOMPARE(fetched[0][0].toString(), QStringLiteral("/cache/there"));
        QVERIFY(!dialog.isVisible());
    }

    void everyControlHasANameAndEveryActionAPlaceInTheMenus() {
        Bench bench;
        for (const QAbstractButton* button : bench.window->findChildren<QAbstractButton*>())
            QVERIFY2(!button->text().isEmpty() || !button->accessibleName().isEmpty() ||
                         !button->toolTip().isEmpty() || !button->isVisible(),
                     qPrintable(button->objectName()));
        bench.window->activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(bench.window.get()));
        for (const Score score : {Score::Centred, Score::Typical, Score::Published}) {
            QTest::keyClick(bench.window.get(), static_cast<Qt::Key>(Qt::Key_1 + static_cast<int>(score)),
                            Qt::ControlModifier);
            QCOMPARE(bench.window->plot().score(), score);
        }
        QTest::keyClick(bench.window.get(), Qt::Key_L, Qt::ControlModifier);
        QVERIFY(bench.window->plot().isLog());
    }
};

QTEST_MAIN(TestWindow)
#include "tst_window.moc"
