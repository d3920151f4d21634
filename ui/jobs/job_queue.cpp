// SPDX-License-Identifier: GPL-3.0-or-later
#include "job_queue.h"

#include <algorithm>
#include <utility>

#include "error.h"

namespace straightedge::ui {

study::Run measureInMemory(const Task& task, std::stop_token stop, Listener& listener) {
    return study::measure(task.settings, std::move(stop), listener);
}

// Turns the observer's calls into letters.
class JobQueue::Reporter : public Listener {
  public:
    Reporter(JobQueue& queue, RunId id) : m_queue(queue), m_id(id) {}

    void started(const study::RunHeader& header) override { m_queue.post(m_id, header); }
    void progressed(const study::Progress& progress) override { m_queue.post(m_id, progress); }
    void blockFinished(const study::BlockResult& block) override { m_queue.post(m_id, block); }
    void trained(const study::TrainingPoint& point) override { m_queue.post(m_id, CurvePoints{point}); }
    void noted(const std::string& note) override { m_queue.post(m_id, Note{note}); }
    void kept(const Kept& kept) override { m_queue.post(m_id, kept); }

  private:
    JobQueue& m_queue;
    RunId m_id;
};

JobQueue::JobQueue(Measure measure, QObject* parent)
    : QObject(parent),
      m_measure(std::move(measure)),
      m_worker([this](std::stop_token quit) { work(quit); }) {}

JobQueue::~JobQueue() {
    shutDown();
    m_worker.join();
}

void JobQueue::enqueue(RunId id, Task task) {
    ++m_unfinished;
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.push_back({id, std::move(task), {}});
    }
    m_arrival.notify_one();
}

void JobQueue::cancel(RunId id) {
    bool wasWaiting = false;
    std::stop_source running(std::nostopstate);
    {
        const std::lock_guard lock(m_mutex);
        wasWaiting = std::erase_if(m_waiting, [id](const Job& job) { return job.id == id; }) > 0;
        if (m_running && m_running->id == id)
            running = m_running->stop;
    }
    if (running.request_stop())
        Q_EMIT stopping(id);
    if (wasWaiting) {
        Q_EMIT dropped(id);
        oneLess();
    }
}

void JobQueue::cancelAll() {
    std::vector<RunId> ids;
    {
        const std::lock_guard lock(m_mutex);
        for (const Job& job : m_waiting)
            ids.push_back(job.id);
        if (m_running)
            ids.push_back(m_running->id);
    }
    for (const RunId id : ids)
        cancel(id);
}

void JobQueue::shutDown() {
    m_closed = true;
    std::stop_source running(std::nostopstate);
    {
        const std::lock_guard lock(m_mutex);
        m_waiting.clear();
        if (m_running)
            running = m_running->stop;
    }
    running.request_stop();
    m_worker.request_stop();
}

void JobQueue::work(std::stop_token quit) {
    while (true) {
        Job job;
        {
            std::unique_lock lock(m_mutex);
            if (!m_arrival.wait(lock, quit, [this] { return !m_waiting.empty(); }) || quit.stop_requested())
                return;
            job = std::move(m_waiting.front());
            m_waiting.pop_front();
            m_running = job;  // shares the stop source
        }
        perform(job);
        const std::lock_guard lock(m_mutex);
        m_running.reset();
    }
}

void JobQueue::perform(const Job& job) {
    post(job.id, Started{});
    Reporter reporter(*this, job.id);
    try {
        post(job.id, m_measure(job.task, job.stop.get_token(), reporter));
    } catch (const Cancelled&) {
        study::Run nothing;
        nothing.header.settings = job.task.settings;
        nothing.state = study::RunState::Cancelled;
        post(job.id, std::move(nothing));
    } catch (const std::exception& error) {
        post(job.id, Failure{error.what()});
    }
}

void JobQueue::post(RunId id, News news) {
    const std::lock_guard lock(m_mutex);
    if (!joinLast(id, news))
        m_mailbox.push_back({id, std::move(news)});
    if (!std::exchange(m_callPending, true))
        QMetaObject::invokeMethod(this, &JobQueue::deliver, Qt::QueuedConnection);
}

// Progress and points of curves come in turns, thousands a second: each joins the letter of its kind, unless
// something else was said since.
bool JobQueue::joinLast(RunId id, News& news) {
    const auto isGathered = [](const News& what) {
        return std::holds_alternative<study::Progress>(what) || std::holds_alternative<CurvePoints>(what);
    };
    if (!isGathered(news))
        return false;
    for (auto last = m_mailbox.rbegin(); last != m_mailbox.rend() && last->id == id && isGathered(last->news);
         ++last) {
        if (last->news.index() != news.index())
            continue;
        if (auto* points = std::get_if<CurvePoints>(&last->news))
            points->push_back(std::get<CurvePoints>(news).front());
        else
            last->news = std::move(news);
        return true;
    }
    return false;
}

void JobQueue::deliver() {
    std::vector<Letter> letters;
    {
        const std::lock_guard lock(m_mutex);
        letters.swap(m_mailbox);
        m_callPending = false;
    }
    for (const Letter& letter : letters)
        if (!m_closed)
            tell(letter);
}

void JobQueue::tell(const Letter& letter) {
    const RunId id = letter.id;
    struct Visitor {
        JobQueue& queue;
        RunId id;
        void operator()(const Started&) const { Q_EMIT queue.started(id); }
        void operator()(const study::RunHeader& header) const { Q_EMIT queue.headerKnown(id, header); }
        void operator()(const study::Progress& progress) const { Q_EMIT queue.progressed(id, progress); }
        void operator()(const study::BlockResult& block) const { Q_EMIT queue.blockFinished(id, block); }
        void operator()(const CurvePoints& points) const { Q_EMIT queue.trained(id, points); }
        void operator()(const Note& note) const { Q_EMIT queue.noted(id, note.text); }
        void operator()(const Kept& kept) const { Q_EMIT queue.kept(id, kept); }
        void operator()(const study::Run& run) const {
            Q_EMIT queue.finished(id, run);
            queue.oneLess();
        }
        void operator()(const Failure& failure) const {
            Q_EMIT queue.failed(id, failure.message);
            queue.oneLess();
        }
    };
    std::visit(Visitor{*this, id}, letter.news);
}

void JobQueue::oneLess() {
    if (--m_unfinished == 0)
        Q_EMIT idle();
}

}  // namespace straightedge::ui
