// SPDX-License-Identifier: GPL-3.0-or-later
#include "session.h"

#include <utility>

#include "style/format.h"

namespace straightedge::ui {

Session::Session(JobQueue::Measure measure, QObject* parent) : QObject(parent), m_jobs(std::move(measure)) {
    connect(&m_jobs, &JobQueue::started, &m_runs, &RunList::start);
    connect(&m_jobs, &JobQueue::headerKnown, &m_runs, &RunList::setHeader);
    connect(&m_jobs, &JobQueue::progressed, &m_runs, &RunList::setProgress);
    connect(&m_jobs, &JobQueue::blockFinished, &m_runs, &RunList::addBlock);
    connect(&m_jobs, &JobQueue::noted, &m_runs, &RunList::addNote);
    connect(&m_jobs, &JobQueue::failed, &m_runs, &RunList::fail);
    connect(&m_jobs, &JobQueue::dropped, &m_runs, &RunList::cancelWaiting);
    connect(&m_jobs, &JobQueue::stopping, &m_runs, &RunList::markStopping);
    connect(&m_jobs, &JobQueue::finished, this, [this](RunId id, study::Run run) {
        // Stopped before it knew its own name: keep the one it was queued under.
        if (const RunEntry* entry = m_runs.find(id); entry && run.header.model.empty())
            run.header = entry->run.header;
        m_runs.finish(id, std::move(run));
    });
    connect(&m_runs, &RunList::removed, &m_selection, &PointSelection::forget);
}

RunId Session::measure(const study::StudySettings& settings, const QString& modelName) {
    study::Run run;
    run.header.model = modelName.toStdString();
    run.header.corpus = pathText(settings.corpus.filename()).toStdString();
    run.header.modelPath = pathText(settings.model).toStdString();
    run.header.settings = settings;
    const RunId id = m_runs.add(std::move(run), Origin::Measured, Activity::Waiting);
    m_jobs.enqueue(id, settings);
    return id;
}

void Session::remove(RunId id) {
    m_jobs.cancel(id);
    m_runs.remove(id);
}

}  // namespace straightedge::ui
