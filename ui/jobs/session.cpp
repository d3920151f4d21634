// SPDX-License-Identifier: GPL-3.0-or-later
#include "session.h"

#include <QElapsedTimer>
#include <algorithm>
#include <utility>

#include "style/format.h"

namespace straightedge::ui {

namespace {

constexpr int sliceMs = 12;  // of the window's thread, for runs that arrive from the store

JobQueue::Measure measureFor(const std::filesystem::path& store, JobQueue::Measure given) {
    return given ? std::move(given) : store.empty() ? measureInMemory : measureInStore(store);
}

}  // namespace

Session::Session(const std::filesystem::path& store, JobQueue::Measure measure, QObject* parent)
    : QObject(parent),
      m_store(store.empty() ? nullptr : std::make_unique<RunStore>(store)),
      m_jobs(measureFor(store, std::move(measure))) {
    connect(&m_jobs, &JobQueue::started, &m_runs, &RunList::start);
    connect(&m_jobs, &JobQueue::headerKnown, &m_runs, &RunList::setHeader);
    connect(&m_jobs, &JobQueue::progressed, &m_runs, &RunList::setProgress);
    connect(&m_jobs, &JobQueue::blockFinished, &m_runs, &RunList::addBlock);
    connect(&m_jobs, &JobQueue::trained, &m_runs, &RunList::addTraining);
    connect(&m_jobs, &JobQueue::noted, &m_runs, &RunList::addNote);
    connect(&m_jobs, &JobQueue::dropped, &m_runs, &RunList::cancelWaiting);
    connect(&m_jobs, &JobQueue::stopping, &m_runs, &RunList::markStopping);
    connect(&m_jobs, &JobQueue::kept, this, [this](RunId id, const Kept& kept) {
        const RunEntry* entry = m_runs.find(id);
        if (entry && entry->kept.id.empty() && !entry->name.isEmpty())
            m_store->rename(kept.id, entry->name);  // named before there was anything to name
        m_runs.setKept(id, kept);
        if (const auto doomed = m_doomed.find(id); doomed != m_doomed.end())
            doomed->second = kept.id;
    });
    connect(&m_jobs, &JobQueue::finished, this, [this](RunId id, study::Run run) {
        // Stopped before it knew its own name: keep the one it was queued under.
        if (const RunEntry* entry = m_runs.find(id); entry && run.header.model.empty())
            run.header = entry->run.header;
        m_runs.finish(id, std::move(run));
        forget(id);
    });
    connect(&m_jobs, &JobQueue::failed, this, [this](RunId id, const std::string& message) {
        m_runs.fail(id, message);
        forget(id);
    });
    connect(&m_runs, &RunList::removed, &m_selection, &PointSelection::forget);
    m_takeSome.setInterval(0);
    connect(&m_takeSome, &QTimer::timeout, this, &Session::takeSome);
    if (!m_store)
        return;
    connect(m_store.get(), &RunStore::loaded, this, &Session::sortIn);
    connect(m_store.get(), &RunStore::unavailable, this, &Session::storeUnavailable);
    connect(m_store.get(), &RunStore::failed, this, &Session::storeFailed);
}

RunId Session::measure(const study::StudySettings& settings, const QString& modelName) {
    study::Run run;
    run.header.model = modelName.toStdString();
    run.header.corpus = pathText(settings.corpus.filename()).toStdString();
    run.header.modelPath = pathText(settings.model).toStdString();
    run.header.settings = settings;
    const RunId id = m_runs.add(std::move(run), Origin::Measured, Activity::Waiting);
    m_jobs.enqueue(id, {settings});
    return id;
}

bool Session::canResume(const RunEntry& entry) const {
    return m_store && !entry.kept.id.empty() && !entry.isActive() &&
           (entry.run.state == study::RunState::Interrupted ||
            entry.run.state == study::RunState::Cancelled || entry.run.state == study::RunState::Failed);
}

void Session::resume(RunId id) {
    const RunEntry* entry = m_runs.find(id);
    if (!entry || !canResume(*entry))
        return;
    const Task task{entry->run.header.settings, entry->kept.id};
    m_runs.restart(id);
    m_jobs.enqueue(id, task);
}

void Session::remove(RunId id) {
    const RunEntry* entry = m_runs.find(id);
    if (!entry)
        return;
    const std::string stored = entry->kept.id;
    const bool working = entry->activity == Activity::Running || entry->activity == Activity::Stopping;
    if (working)
        m_doomed[id] = stored;
    m_jobs.cancel(id);
    m_runs.remove(id);
    if (m_store && !working && !stored.empty())
        m_store->remove(stored);
}

// A run that was taken away while it was at work has stopped: now it can be deleted.
void Session::forget(RunId id) {
    const auto doomed = m_doomed.find(id);
    if (doomed == m_doomed.end())
        return;
    if (m_store && !doomed->second.empty())
        m_store->remove(doomed->second);
    m_doomed.erase(doomed);
}

void Session::hide(RunId id) {
    const RunEntry* entry = m_runs.find(id);
    if (!entry || !m_store || entry->kept.id.empty() || entry->isActive())
        return;
    m_store->setHidden(entry->kept.id, true);
    m_hidden.push_back({.id = entry->kept.id,
                        .name = entry->name.toStdString(),
                        .hidden = true,
                        .resumable = entry->kept.resumable,
                        .run = entry->run});
    m_runs.remove(id);
}

void Session::bringBack(const std::string& storedId) {
    const auto found = std::ranges::find(m_hidden, storedId, &study::StoredRun::id);
    if (found == m_hidden.end())
        return;
    study::StoredRun stored = std::move(*found);
    m_hidden.erase(found);
    m_store->setHidden(stored.id, false);
    m_runs.add(std::move(stored));
}

void Session::rename(RunId id, const QString& name) {
    const RunEntry* entry = m_runs.find(id);
    if (!entry || entry->name == name.trimmed())
        return;
    m_runs.rename(id, name.trimmed());
    if (m_store && !entry->kept.id.empty())
        m_store->rename(entry->kept.id, entry->name);
}

void Session::load(const QStringList& faint) {
    m_faint = faint;
    if (m_store)
        m_store->load();
}

void Session::sortIn(const std::vector<study::StoredRun>& stored) {
    m_hidden.clear();
    for (const study::StoredRun& run : stored)
        if (run.hidden)
            m_hidden.push_back(run);
        else
            m_arriving.push_back(run);
    m_takeSome.start();
}

void Session::takeSome() {
    QElapsedTimer timer;
    timer.start();
    while (!m_arriving.empty() && timer.elapsed() < sliceMs) {
        study::StoredRun stored = std::move(m_arriving.front());
        m_arriving.pop_front();
        const RunEntry* known = m_runs.findKept(stored.id);
        if (!known) {
            const bool visible = !m_faint.contains(toQString(stored.id));
            m_runs.add(std::move(stored), visible);
        } else if (!known->isActive()) {
            // Another program may have gone on with it.
            m_runs.setKept(known->id, {stored.id, stored.resumable});
            if (known->name != toQString(stored.name))
                m_runs.rename(known->id, toQString(stored.name));
            m_runs.finish(known->id, std::move(stored.run));
        }
    }
    if (!m_arriving.empty())
        return;
    m_takeSome.stop();
    Q_EMIT loaded();
}

}  // namespace straightedge::ui
