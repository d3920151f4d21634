// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>
#include <variant>
#include <vector>

#include "runs/run_list.h"
#include "study/measure.h"

namespace straightedge::ui {

// What is to be done: a new run, or one of the store that was broken off.
struct Task {
    study::StudySettings settings;
    std::string resumed = {};  // its id in the store; empty: a new one
};

// Is told, besides, where the run is kept.
class Listener : public study::Observer {
  public:
    virtual void kept(const Kept&) {}
};

// study::measure that keeps nothing on disk.
study::Run measureInMemory(const Task& task, std::stop_token stop, Listener& listener);

// Measures one run after the other on a thread of its own. Lives on the window's thread, where all its
// signals are emitted; every one carries the run it speaks of.
//
// The worker never waits for the window: what it has to say goes into a mailbox that one queued call empties.
// Of several progress reports in a row only the last is kept; points of growing curves travel together.
class JobQueue : public QObject {
    Q_OBJECT

  public:
    using Measure = std::function<study::Run(const Task&, std::stop_token, Listener&)>;

    explicit JobQueue(Measure measure = measureInMemory, QObject* parent = nullptr);
    ~JobQueue() override;  // stops what runs and waits for it

    void enqueue(RunId id, Task task);
    // A waiting job is dropped, the running one asked to stop; what it has finished by then still arrives.
    void cancel(RunId id);
    void cancelAll();
    // For closing: asks everything to stop and returns at once; nothing is delivered from here on.
    void shutDown();

    bool isIdle() const { return m_unfinished == 0; }

  Q_SIGNALS:
    void started(RunId id);
    void headerKnown(RunId id, const study::RunHeader& header);
    void progressed(RunId id, const study::Progress& progress);
    void blockFinished(RunId id, const study::BlockResult& block);
    void trained(RunId id, const CurvePoints& points);  // all of them, in their order
    void noted(RunId id, const std::string& note);
    void kept(RunId id, const Kept& kept);
    void finished(RunId id, const study::Run& run);  // whole, or cancelled with what was done
    void failed(RunId id, const std::string& message);
    void dropped(RunId id);   // cancelled before it began
    void stopping(RunId id);  // asked to, not there yet
    void idle();              // nothing runs, nothing waits

  private:
    struct Job {
        RunId id = 0;
        Task task;
        std::stop_source stop;
    };
    struct Started {};
    struct Note {
        std::string text;
    };
    struct Failure {
        std::string message;
    };
    using News = std::variant<Started, study::RunHeader, study::Progress, study::BlockResult, CurvePoints,
                              Note, Kept, study::Run, Failure>;
    struct Letter {
        RunId id;
        News news;
    };
    class Reporter;

    // On the worker.
    void work(std::stop_token quit);
    void perform(const Job& job);
    void post(RunId id, News news);
    bool joinLast(RunId id, News& news);
    // On the window's thread.
    void deliver();
    void tell(const Letter& letter);
    void oneLess();

    Measure m_measure;
    int m_unfinished = 0;  // enqueued and not yet reported as over; the window's thread only
    bool m_closed = false;

    std::mutex m_mutex;  // guards what follows
    std::condition_variable_any m_arrival;
    std::deque<Job> m_waiting;
    std::optional<Job> m_running;
    std::vector<Letter> m_mailbox;
    bool m_callPending = false;

    std::jthread m_worker;  // last: it starts when all else stands
};

}  // namespace straightedge::ui
