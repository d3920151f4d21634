// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QString>

#include "job_queue.h"
#include "runs/point_selection.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// What the window works on: the runs, the chosen points, and the queue that makes more runs. Every view is
// given this.
class Session : public QObject {
    Q_OBJECT

  public:
    explicit Session(JobQueue::Measure measure = measureInMemory, QObject* parent = nullptr);

    RunList& runs() { return m_runs; }
    PointSelection& selection() { return m_selection; }
    JobQueue& jobs() { return m_jobs; }

    // Puts a run into the list, shown as waiting under `modelName`, and into the queue.
    RunId measure(const study::StudySettings& settings, const QString& modelName);
    // Takes a run away; one that is still at work is stopped first.
    void remove(RunId id);

  private:
    RunList m_runs;
    PointSelection m_selection;
    JobQueue m_jobs;  // destroyed first
};

}  // namespace straightedge::ui
