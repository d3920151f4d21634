// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QStringList>
#include <QTimer>
#include <deque>
#include <map>
#include <memory>

#include "job_queue.h"
#include "run_store.h"
#include "runs/point_selection.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// What the window works on: the runs, the chosen points, the queue that makes more runs, and the store that
// keeps them. Every view is given this.
class Session : public QObject {
    Q_OBJECT

  public:
    // Without a store's folder, runs live as long as the session; without `measure`, they are measured by
    // study::, and recorded where there is a store.
    explicit Session(const std::filesystem::path& store = {}, JobQueue::Measure measure = {},
                     QObject* parent = nullptr);

    RunList& runs() { return m_runs; }
    const RunList& runs() const { return m_runs; }
    PointSelection& selection() { return m_selection; }
    JobQueue& jobs() { return m_jobs; }
    RunStore* store() const { return m_store.get(); }  // none: in memory

    // Puts a run into the list, shown as waiting under `modelName`, and into the queue.
    RunId measure(const study::StudySettings& settings, const QString& modelName);
    // Whether a run was broken off and can go on, or start over where its state is gone.
    bool canResume(const RunEntry& entry) const;
    void resume(RunId id);
    // Takes a run away, out of the store too; one that is still at work is stopped first.
    void remove(RunId id);
    // Off the list, but kept in the store.
    void hide(RunId id);
    void rename(RunId id, const QString& name);

    // Reads the store: what is not in the list yet comes into it, a few runs at a time. Runs whose ids are in
    // `faint` are not shown in the views at first.
    void load(const QStringList& faint = {});
    const std::vector<study::StoredRun>& hiddenRuns() const { return m_hidden; }
    void bringBack(const std::string& storedId);

  Q_SIGNALS:
    void loaded();  // all of them are there
    void storeUnavailable(const QString& why);
    void storeFailed(const QString& why);

  private:
    void sortIn(const std::vector<study::StoredRun>& stored);
    void takeSome();
    void forget(RunId id);

    RunList m_runs;
    PointSelection m_selection;
    std::unique_ptr<RunStore> m_store;
    std::vector<study::StoredRun> m_hidden;
    std::deque<study::StoredRun> m_arriving;
    QStringList m_faint;
    QTimer m_takeSome;
    std::map<RunId, std::string> m_doomed;  // to be deleted once they have stopped: their ids in the store
    JobQueue m_jobs;                        // destroyed first
};

}  // namespace straightedge::ui
