// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QThreadPool>
#include <filesystem>
#include <functional>
#include <vector>

#include "job_queue.h"
#include "study/store/store.h"

namespace straightedge::ui {

// study::measureRecorded and resumeRecorded in the store of this folder. A store that cannot be opened costs
// a note: the run is kept in memory.
JobQueue::Measure measureInStore(std::filesystem::path folder);

// The store as the window sees it: everything is done on a thread of its own, one thing after the other, and
// answered by a signal.
class RunStore : public QObject {
    Q_OBJECT

  public:
    explicit RunStore(std::filesystem::path folder, QObject* parent = nullptr);
    ~RunStore() override;  // waits until what was begun is done

    const std::filesystem::path& folder() const { return m_folder; }
    std::filesystem::path runFolder(const std::string& id) const;

    void load();
    void rename(const std::string& id, const QString& name);
    void setHidden(const std::string& id, bool hidden);
    void remove(const std::string& id);

  Q_SIGNALS:
    void loaded(const std::vector<study::StoredRun>& runs);  // hidden ones too, newest last
    void unavailable(const QString& why);                    // it cannot be opened
    void failed(const QString& why);                         // at something else

  private:
    void inBackground(std::function<void(study::Store&)> work);

    std::filesystem::path m_folder;
    QThreadPool m_pool;
};

}  // namespace straightedge::ui
