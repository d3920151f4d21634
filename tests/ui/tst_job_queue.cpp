// SPDX-License-Identifier: GPL-3.0-or-later
#include <QSignalSpy>
#include <QTest>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <numeric>

#include "error.h"
#include "example_runs.h"
#include "jobs/session.h"

using namespace straightedge;
using namespace straightedge::ui;

namespace {

study::StudySettings settingsNamed(const std::string& model) {
    study::StudySettings settings;
    settings.model = model;
    settings.corpus = "text.txt";
    return settings;
}

// Stands in for study::measure: two blocks, a word about each.
study::Run twoBlocks(const Task& task, std::stop_token, study::Observer& observer) {
    study::Run run = runWith(task.settings.model.string(), {0.25, 0.75});
    observer.started(run.header);
    for (const study::BlockResult& block : run.blocks)
        observer.blockFinished(block);
    return run;
}

// One block, then work without end until it is asked to stop.
study::Run endless(const Task& task, std::stop_token stop, study::Observer& observer) {
    study::Run run = runWith(task.settings.model.string(), {0.25});
    run.header.modelBlocks = 99;
    observer.started(run.header);
    observer.blockFinished(run.blocks.front());
    std::mutex mutex;
    std::condition_variable_any forever;
    std::unique_lock lock(mutex);
    forever.wait(lock, stop, [] { return false; });
    run.state = study::RunState::Cancelled;
    return run;
}

bool isIdle(Session& session) {
    return session.jobs().isIdle();
}

}  // namespace

class TestJobQueue : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void runsOneAfterTheOther() {
        std::atomic<int> atOnce = 0, most = 0;
        Session session({}, [&](const Task& task, std::stop_token stop, study::Observer& observer) {
            most = std::max<int>(most, ++atOnce);
            study::Run run = twoBlocks(task, stop, observer);
            --atOnce;
            return run;
        });
        std::vector<std::pair<RunId, int>> order;
        connect(&session.jobs(), &JobQueue::blockFinished, this,
                [&](RunId id, const study::BlockResult& block) {
                    QCOMPARE(QThread::currentThread(), thread());
                    order.emplace_back(id, block.block);
                });
        QSignalSpy idle(&session.jobs(), &JobQueue::idle);
        std::vector<RunId> ids;
        for (const char* name : {"a", "b", "c"})
            ids.push_back(session.measure(settingsNamed(name), QString::fromLatin1(name)));
        QVERIFY(!session.jobs().isIdle());
        QTRY_VERIFY(isIdle(session));
        std::vector<std::pair<RunId, int>> expected;
        for (const RunId id : ids)
            for (const int block : {0, 1})
                expected.emplace_back(id, block);
        QCOMPARE(order, expected);
        QCOMPARE(most.load(), 1);
        QCOMPARE(idle.count(), 1);
        for (const RunId id : ids) {
            QCOMPARE(session.runs().find(id)->run.state, study::RunState::Finished);
            QCOMPARE(session.runs().find(id)->run.blocks.size(), 2U);
        }
    }

    void aCancelledRunKeepsWhatItHasAndTheNextIsUntouched() {
        Session session({}, [](const Task& task, std::stop_token stop, study::Observer& observer) {
            return task.settings.model == "endless" ? endless(task, stop, observer)
                                                    : twoBlocks(task, stop, observer);
        });
        const RunId first = session.measure(settingsNamed("endless"), QStringLiteral("endless"));
        const RunId second = session.measure(settingsNamed("b"), QStringLiteral("b"));
        QTRY_COMPARE(session.runs().find(first)->run.blocks.size(), 1U);
        QCOMPARE(session.runs().find(first)->activity, Activity::Running);
        QCOMPARE(session.runs().find(second)->activity, Activity::Waiting);
        session.jobs().cancel(first);
        QCOMPARE(session.runs().find(first)->activity, Activity::Stopping);
        QTRY_VERIFY(isIdle(session));
        QCOMPARE(session.runs().find(first)->run.state, study::RunState::Cancelled);
        QCOMPARE(session.runs().find(first)->run.blocks.size(), 1U);
        QCOMPARE(session.runs().find(second)->run.state, study::RunState::Finished);
        QCOMPARE(session.runs().find(second)->run.blocks.size(), 2U);
        QCOMPARE(session.runs().find(second)->run.header.modelBlocks, 2);
    }

    void aWaitingRunIsDropped() {
        std::atomic<int> calls = 0;
        Session session({}, [&](const Task& task, std::stop_token stop, study::Observer& observer) {
            ++calls;
            return endless(task, stop, observer);
        });
        const RunId running = session.measure(settingsNamed("a"), QStringLiteral("a"));
        const RunId waiting = session.measure(settingsNamed("b"), QStringLiteral("b"));
        QTRY_COMPARE(session.runs().find(running)->activity, Activity::Running);
        session.jobs().cancel(waiting);
        QCOMPARE(session.runs().find(waiting)->run.state, study::RunState::Cancelled);
        session.jobs().cancelAll();
        QTRY_VERIFY(isIdle(session));
        QCOMPARE(calls.load(), 1);
    }

    void aRemovedRunIsNotHeardOfAgain() {
        Session session({}, endless);
        const RunId id = session.measure(settingsNamed("a"), QStringLiteral("a"));
        QTRY_COMPARE(session.runs().find(id)->run.blocks.size(), 1U);
        session.remove(id);
        QCOMPARE(session.runs().size(), 0);
        QTRY_VERIFY(isIdle(session));
        QCOMPARE(session.runs().size(), 0);
    }

    void errorsAreWholeAndTheQueueGoesOn() {
        const Error error({.what = "tensor is missing",
                           .where = "model.safetensors",
                           .expected = "wte.weight",
                           .advice = "fetch it again"});
        Session session({}, [&](const Task& task, std::stop_token stop, study::Observer& observer) {
            if (task.settings.model == "a")
                throw error;
            if (task.settings.model == "b")
                throw std::bad_alloc();
            return twoBlocks(task, stop, observer);
        });
        std::vector<RunId> ids;
        for (const char* name : {"a", "b", "c"})
            ids.push_back(session.measure(settingsNamed(name), QString::fromLatin1(name)));
        QTRY_VERIFY(isIdle(session));
        QCOMPARE(session.runs().find(ids[0])->run.state, study::RunState::Failed);
        QCOMPARE(session.runs().find(ids[0])->run.failure, std::string(error.what()));
        QCOMPARE(session.runs().find(ids[1])->run.state, study::RunState::Failed);
        QVERIFY(!session.runs().find(ids[1])->run.failure.empty());
        QCOMPARE(session.runs().find(ids[2])->run.state, study::RunState::Finished);
    }

    void whatMoreIsKnownOfABlockReplacesIt() {
        Session session({}, [](const Task& task, std::stop_token stop, study::Observer& observer) {
            study::Run run = twoBlocks(task, stop, observer);
            study::BlockResult& block = run.blocks.front();
            block.values.set(study::Metric::BasePpl, 20.0);
            block.values.set(study::Metric::Dppl, 3.5);
            run.basePpl = 20.0;
            observer.blockFinished(block);
            return run;
        });
        QSignalSpy added(&session.runs(), &RunList::blockAdded),
            changed(&session.runs(), &RunList::blockChanged), reset(&session.runs(), &RunList::blocksReset);
        const RunId id = session.measure(settingsNamed("a"), QStringLiteral("a"));
        QTRY_COMPARE(changed.count(), 1);
        QCOMPARE(session.runs().find(id)->run.basePpl, std::optional(20.0));
        QTRY_VERIFY(isIdle(session));
        QCOMPARE(added.count(), 2);
        QCOMPARE(reset.count(), 0);
        QCOMPARE(session.runs().find(id)->run.blocks.size(), 2U);
        QCOMPARE(session.runs().find(id)->run.blocks[0].values[study::Metric::Dppl], std::optional(3.5));
    }

    void progressIsGathered() {
        constexpr int calls = 20'000;
        Session session({}, [](const Task& task, std::stop_token stop, study::Observer& observer) {
            for (int i = 1; i <= calls; ++i)
                observer.progressed({.stage = "block 0", .fraction = static_cast<double>(i) / calls});
            return twoBlocks(task, stop, observer);
        });
        int heard = 0;
        double last = 0;
        connect(&session.jobs(), &JobQueue::progressed, this, [&](RunId, const study::Progress& progress) {
            ++heard;
            last = progress.fraction;
        });
        session.measure(settingsNamed("a"), QStringLiteral("a"));
        QTest::qSleep(50);  // the window is busy: reports pile up
        QTRY_VERIFY(isIdle(session));
        QVERIFY2(heard < calls / 10, qPrintable(QString::number(heard)));
        QCOMPARE(last, 1.0);
    }

    // Between thousands of progress reports every point of every curve comes, in order and before the result.
    void pointsOfCurvesAllArriveTogether() {
        constexpr int steps = 5'000;
        Session session({}, [](const Task& task, std::stop_token, study::Observer& observer) {
            study::Run run = runWith(task.settings.model.string(), {0.25});
            observer.started(run.header);
            observer.blockFinished(run.blocks.front());
            for (int step = 1; step <= steps; ++step) {
                observer.progressed(
                    {.stage = "block 0: probe", .fraction = static_cast<double>(step) / steps});
                observer.trained({0, study::info(study::Probe::Bilinear).name, false, {step, 0.5}});
            }
            run.blocks.front().probes = {{.probe = study::Probe::Bilinear, .curve = {{steps, 0.5}}}};
            observer.blockFinished(run.blocks.front());
            return run;
        });
        int letters = 0;
        std::size_t live = 0;
        std::vector<std::int64_t> heard;
        connect(&session.jobs(), &JobQueue::trained, this, [&](RunId id, const CurvePoints& points) {
            ++letters;
            for (const study::TrainingPoint& point : points)
                heard.push_back(point.point.step);
            live = session.runs().find(id)->live.front().points.size();
        });
        const RunId id = session.measure(settingsNamed("a"), QStringLiteral("a"));
        QTest::qSleep(50);
        QTRY_VERIFY(isIdle(session));
        std::vector<std::int64_t> expected(steps);
        std::iota(expected.begin(), expected.end(), 1);
        QCOMPARE(heard, expected);
        QCOMPARE(live, static_cast<std::size_t>(steps));
        QVERIFY2(letters < steps / 10, qPrintable(QString::number(letters)));
        QVERIFY(session.runs().find(id)->live.empty());
        QCOMPARE(session.runs().find(id)->run.blocks[0].probes.size(), 1U);
    }

    void closingStopsTheRunAndDeliversNothingMore() {
        auto session = std::make_unique<Session>(std::filesystem::path(), endless);
        const RunId id = session->measure(settingsNamed("a"), QStringLiteral("a"));
        session->measure(settingsNamed("b"), QStringLiteral("b"));
        QTRY_COMPARE(session->runs().find(id)->run.blocks.size(), 1U);
        int heard = 0;
        connect(&session->jobs(), &JobQueue::finished, this, [&] { ++heard; });
        connect(&session->jobs(), &JobQueue::started, this, [&] { ++heard; });
        session->jobs().shutDown();
        QTest::qWait(50);
        session.reset();
        QCOMPARE(heard, 0);
    }
};

QTEST_MAIN(TestJobQueue)
#include "tst_job_queue.moc"
