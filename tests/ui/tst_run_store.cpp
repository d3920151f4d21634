// SPDX-License-Identifier: GPL-3.0-or-later
// The window and the store: runs come back, are renamed, hidden, deleted, resumed.
#include <QCheckBox>
#include <QFile>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QSignalSpy>
#include <QSpinBox>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "compression/cost_page.h"
#include "example_runs.h"
#include "export/exporter.h"
#include "main_window.h"
#include "models/measure_panel.h"
#include "runs/runs_panel.h"
#include "study/store/recorded_run.h"
#include "style/card_delegate.h"
#include "style/card_list.h"
#include "style/format.h"
#include "style/message_bar.h"
#include "style/theme.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

const QString tinyModel = QStringLiteral(TEST_DATA "/tiny/llama_massive");
const QString tinyText = QStringLiteral(TEST_DATA "/text.txt");

study::StudySettings tinySettings() {
    study::StudySettings settings;
    settings.model = toPath(tinyModel);
    settings.corpus = toPath(tinyText);
    settings.tokens = 1'024;
    settings.seqLen = 32;
    settings.perplexity = settings.balanced = settings.switched = true;
    settings.evaluationBatches = 2;
    return settings;
}

// Asks to stop as soon as it hears of this block.
struct StopAt : study::Observer {
    explicit StopAt(int block) : last(block) {}
    void blockFinished(const study::BlockResult& block) override {
        if (block.block == last)
            stop.request_stop();
    }
    int last;
    std::stop_source stop;
};

struct Bench {
    QTemporaryDir folder;
    std::filesystem::path store = toPath(folder.filePath(QStringLiteral("store")));
    QSettings settings{folder.filePath(QStringLiteral("settings.ini")), QSettings::IniFormat};
    Theme theme{*qApp};
    std::unique_ptr<MainWindow> window;

    Bench() { qputenv("STRAIGHTEDGE_STORE", folder.filePath(QStringLiteral("store")).toLocal8Bit()); }
    void open() {
        window = std::make_unique<MainWindow>(settings, theme, study::storeFolder());
        QSignalSpy loaded(&window->session(), &Session::loaded);
        window->show();
        QVERIFY(loaded.wait(20'000));
    }
    void close() {
        window->close();
        window.reset();
    }
    RunList& runs() { return window->session().runs(); }
    const RunEntry& last() { return runs().at(runs().size() - 1); }
    // A run in the store, as another program would have left it.
    std::string storeRun(const std::string& model, study::RunState state = study::RunState::Finished) {
        study::Store made(store);
        study::Run run = costlyRun(model);
        run.state = state;
        const std::string id = made.begin(run.header);
        for (const study::BlockResult& block : run.blocks)
            made.saveBlock(id, block);
        if (state != study::RunState::Running)
            made.finish(id, run);
        return id;
    }
    void choose(const QString& item) {
        const RunId id = last().id;
        std::unique_ptr<QMenu> menu(window->runsPanel().menuFor(id));
        for (QAction* action : menu->actions())
            if (action->text() == item) {
                QVERIFY2(action->isEnabled(), qPrintable(item));
                return action->trigger();
            }
        QFAIL(qPrintable(item + QStringLiteral(" is not in the menu")));
    }
};

void compareRuns(const study::Run& a, const study::Run& b) {
    QCOMPARE(a.basePpl, b.basePpl);
    QCOMPARE(a.blocks.size(), b.blocks.size());
    for (std::size_t i = 0; i < a.blocks.size(); ++i) {
        QCOMPARE(a.blocks[i].block, b.blocks[i].block);
        QVERIFY(a.blocks[i].values == b.blocks[i].values);
        QVERIFY(a.blocks[i].replacements == b.blocks[i].replacements);
    }
}

}  // namespace

class TestRunStore : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() {
        QLocale::setDefault(QLocale::c());
        qputenv("STRAIGHTEDGE_SAMPLE", "/nowhere");
    }

    void whatIsMeasuredComesBack() {
        Bench bench;
        bench.open();
        QVERIFY(bench.window->message().isVisible());  // nothing yet: the greeting
        MeasurePanel& panel = bench.window->measurePanel();
        panel.models().add(toPath(tinyModel));
        panel.setCorpus(tinyText);
        panel.tokensBox()->setValue(1'024);
        panel.windowBox()->setValue(32);
        panel.perplexityBox()->setChecked(true);
        panel.balancedBox()->setChecked(true);
        panel.batchesBox()->setValue(2);
        QTRY_VERIFY(panel.measureButton()->isEnabled());
        QTest::mouseClick(panel.measureButton(), Qt::LeftButton);
        const RunId id = bench.last().id;
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(id)->activity, Activity::Done, 60'000);
        const study::Run run = bench.runs().find(id)->run;
        QVERIFY2(run.state == study::RunState::Finished, run.failure.c_str());
        QVERIFY(!bench.runs().find(id)->kept.id.empty());
        bench.window->session().rename(id, QStringLiteral("  mine "));
        bench.runs().setVisible(id, false);
        bench.close();

        bench.open();
        QCOMPARE(bench.runs().size(), 4);
        QCOMPARE(bench.last().title(), QStringLiteral("mine"));
        QVERIFY(!bench.last().visible);  // as it was left
        QCOMPARE(bench.last().run.state, study::RunState::Finished);
        compareRuns(bench.last().run, run);
        QVERIFY(!bench.window->message().isVisible());
        QVERIFY(bench.window->measurePanel().perplexityBox()->isChecked());
    }

    void runsAreHiddenAndBroughtBack() {
        Bench bench;
        const std::string a = bench.storeRun("a"), b = bench.storeRun("b");
        bench.open();
        QCOMPARE(bench.runs().size(), 5);
        QCOMPARE(bench.last().title(), QStringLiteral("b"));
        bench.choose(QStringLiteral("Hide"));
        QCOMPARE(bench.last().title(), QStringLiteral("a"));
        bench.close();
        QVERIFY(study::Store(bench.store).run(b).hidden);
        bench.open();
        QCOMPARE(bench.runs().size(), 4);
        QCOMPARE(bench.window->session().hiddenRuns().size(), 1U);
        bench.window->session().bringBack(b);
        QCOMPARE(bench.last().title(), QStringLiteral("b"));
        bench.close();
        QVERIFY(!study::Store(bench.store).run(b).hidden);
    }

    void deletingAsksFirst() {
        Bench bench;
        bench.storeRun("a");
        bench.open();
        const auto question = [&] { return bench.window->findChild<QMessageBox*>(); };
        bench.choose(QStringLiteral("Delete …"));
        QVERIFY(question());
        QTest::mouseClick(question()->button(QMessageBox::Cancel), Qt::LeftButton);
        QTRY_VERIFY(!question());
        QCOMPARE(bench.runs().size(), 4);
        bench.choose(QStringLiteral("Delete …"));
        const auto buttons = question()->buttons();
        const auto yes = std::ranges::find(buttons, QStringLiteral("Delete"), &QAbstractButton::text);
        QVERIFY(yes != buttons.end());
        QTest::mouseClick(*yes, Qt::LeftButton);
        QCOMPARE(bench.runs().size(), 3);
        bench.close();
        QVERIFY(study::Store(bench.store).runs().empty());
    }

    void aCancelledRunGoesOnToTheSameNumbers() {
        Bench bench;
        study::Observer nobody;
        const study::Run whole = study::measure(tinySettings(), {}, nobody);
        QCOMPARE(whole.state, study::RunState::Finished);
        {
            study::Store store(bench.store);
            StopAt observer(1);
            const study::Run part =
                study::measureRecorded(tinySettings(), store, observer.stop.get_token(), observer);
            QCOMPARE(part.state, study::RunState::Cancelled);
        }
        bench.open();
        const RunId id = bench.last().id;
        QCOMPARE(bench.last().run.state, study::RunState::Cancelled);
        QVERIFY(bench.last().kept.resumable);
        QVERIFY(bench.last().run.blocks.size() < whole.blocks.size());
        // The word on the card.
        CardList& list = *bench.window->runsPanel().list();
        const QModelIndex card = list.model()->index(list.model()->rowCount() - 1, 0);
        QCOMPARE(card.data(CardDelegate::ActionRole).toString(), QStringLiteral("Resume"));
        QCOMPARE(card.data(CardDelegate::StatusRole).toString(), QStringLiteral("cancelled at 2"));
        QVERIFY(list.model()->setData(card, true, CardDelegate::ActionRole));
        QVERIFY(bench.last().isActive());
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(id)->activity, Activity::Done, 60'000);
        QVERIFY2(bench.last().run.state == study::RunState::Finished, bench.last().run.failure.c_str());
        compareRuns(bench.last().run, whole);
        QVERIFY(card.data(CardDelegate::ActionRole).toString().isEmpty());
        bench.close();
        bench.open();
        compareRuns(bench.last().run, whole);
    }

    void anInterruptedRunIsOffered() {
        Bench bench;
        const std::string id = bench.storeRun("a", study::RunState::Running);  // its program is gone
        bench.open();
        QCOMPARE(bench.last().run.state, study::RunState::Interrupted);
        const MessageBar& message = bench.window->message();
        QVERIFY(message.isVisible());
        QVERIFY2(message.text().contains(QStringLiteral("interrupted")), qPrintable(message.text()));
        QVERIFY(message.button()->isVisible());
        QTest::mouseClick(message.button(), Qt::LeftButton);
        QVERIFY(!message.isVisible());
        // Its model is nowhere: it fails, beside the run, and can be tried again.
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->session().jobs().isIdle(), 60'000);
        QCOMPARE(bench.last().run.state, study::RunState::Failed);
        QVERIFY(!bench.last().run.failure.empty());
        QCOMPARE(bench.last().run.blocks.size(), 3U);
    }

    void aRunningRunIsDeletedWhenItHasStopped() {
        Bench bench;
        bench.open();
        study::StudySettings settings = tinySettings();
        settings.evaluationBatches = 200;
        const RunId id = bench.window->session().measure(settings, QStringLiteral("tiny"));
        QTRY_VERIFY_WITH_TIMEOUT(!bench.runs().find(id)->kept.id.empty(), 60'000);
        bench.window->session().remove(id);
        QCOMPARE(bench.runs().size(), 3);
        QTRY_VERIFY_WITH_TIMEOUT(bench.window->session().jobs().isIdle(), 60'000);
        bench.close();
        QVERIFY(study::Store(bench.store).runs().empty());
    }

    void whatAnotherProgramAddsIsReloaded() {
        Bench bench;
        bench.open();
        bench.storeRun("b");
        QSignalSpy loaded(&bench.window->session(), &Session::loaded);
        bench.window->session().load();
        QVERIFY(loaded.wait(20'000));
        QCOMPARE(bench.last().title(), QStringLiteral("b"));
        bench.window->session().load();
        QVERIFY(loaded.wait(20'000));
        QCOMPARE(bench.runs().size(), 4);  // once
    }

    // A file where the store's folder should be: the window says so whole and works in memory.
    void withoutAStoreTheWindowWorksInMemory() {
        Bench bench;
        QFile blocked(bench.folder.filePath(QStringLiteral("store")));
        QVERIFY(blocked.open(QIODevice::WriteOnly));
        blocked.close();
        MainWindow window(bench.settings, bench.theme, bench.store);
        QSignalSpy unavailable(&window.session(), &Session::storeUnavailable);
        window.show();
        QVERIFY(unavailable.wait(20'000));
        QVERIFY(window.message().isVisible());
        QVERIFY2(window.message().text().contains(blocked.fileName()), qPrintable(window.message().text()));
        QVERIFY(window.message().text().contains(QStringLiteral("in memory")));
        const RunId id = window.session().measure(tinySettings(), QStringLiteral("tiny"));
        QTRY_COMPARE_WITH_TIMEOUT(window.session().runs().find(id)->activity, Activity::Done, 60'000);
        const RunEntry& entry = *window.session().runs().find(id);
        QVERIFY2(entry.run.state == study::RunState::Finished, entry.run.failure.c_str());
        QVERIFY(entry.kept.id.empty());
        QVERIFY(std::ranges::any_of(entry.run.notes, [](const std::string& note) {
            return note.find("in memory") != std::string::npos;
        }));
    }

    void aReplacementLeavesTheWindow() {
        Bench bench;
        bench.open();
        const RunId id = bench.window->session().measure(tinySettings(), QStringLiteral("tiny"));
        QTRY_COMPARE_WITH_TIMEOUT(bench.runs().find(id)->activity, Activity::Done, 60'000);
        const RunEntry& entry = *bench.runs().find(id);
        QSignalSpy saved(&bench.window->exporter(), &Exporter::saved),
            failed(&bench.window->exporter(), &Exporter::failed);
        const QString out = bench.folder.filePath(QStringLiteral("out"));
        bench.window->exporter().saveReplacements(bench.window->session().store()->runFolder(entry.kept.id),
                                                  entry.run, {0, 2}, study::ReplacementKind::Linear,
                                                  toPath(out));
        QTRY_COMPARE_WITH_TIMEOUT(saved.count() + failed.count(), 1, 20'000);
        QVERIFY2(failed.isEmpty(), qPrintable(failed.value(0).value(0).toString()));
        QVERIFY(QFile::exists(out + QStringLiteral("/block-0.safetensors")));
        QVERIFY(QFile::exists(out + QStringLiteral("/block-2.safetensors")));
        QVERIFY(!QFile::exists(out + QStringLiteral("/block-1.safetensors")));
    }
};

QTEST_MAIN(TestRunStore)
#include "tst_run_store.moc"
