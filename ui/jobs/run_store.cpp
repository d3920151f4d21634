// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_store.h"

#include <memory>
#include <optional>
#include <utility>

#include "error.h"
#include "study/store/recorded_run.h"

namespace straightedge::ui {

namespace {

// Passes everything on, and the run's id in the store before anything else.
class Relay : public study::Observer {
  public:
    Relay(Listener& listener, const std::string& id) : m_listener(listener), m_id(id) {}

    void started(const study::RunHeader& header) override {
        announce();
        m_listener.started(header);
    }
    void progressed(const study::Progress& progress) override {
        announce();
        m_listener.progressed(progress);
    }
    void blockFinished(const study::BlockResult& block) override { m_listener.blockFinished(block); }
    void trained(const study::TrainingPoint& point) override { m_listener.trained(point); }
    void noted(const std::string& note) override { m_listener.noted(note); }

  private:
    void announce() {
        if (!m_id.empty() && !std::exchange(m_announced, true))
            m_listener.kept({m_id, false});
    }

    Listener& m_listener;
    const std::string& m_id;
    bool m_announced = false;
};

}  // namespace

JobQueue::Measure measureInStore(std::filesystem::path folder) {
    return [folder = std::move(folder)](const Task& task, std::stop_token stop, Listener& listener) {
        std::optional<study::Store> store;
        try {
            store.emplace(folder);
        } catch (const Error& error) {
            if (!task.resumed.empty())
                throw;
            const std::string note = "kept in memory only: " + error.parts().what;
            listener.noted(note);
            study::Run run = measureInMemory(task, std::move(stop), listener);
            run.notes.push_back(note);
            return run;
        }
        std::string id = task.resumed;
        Relay relay(listener, id);
        const auto tellWhatIsKept = [&] {
            if (!id.empty())
                listener.kept({id, store->run(id).resumable});
        };
        study::Run run;
        try {
            run = id.empty() ? study::measureRecorded(task.settings, *store, std::move(stop), relay, &id)
                             : study::resumeRecorded(id, *store, std::move(stop), relay);
        } catch (...) {
            try {
                tellWhatIsKept();
            } catch (const Error&) {
                // What went wrong with the run is the news.
            }
            throw;
        }
        try {
            tellWhatIsKept();
            // Stopped early, the run returned may know less than what an earlier part of it has left.
            if (!id.empty() && run.state == study::RunState::Cancelled)
                return store->run(id).run;
        } catch (const Error& error) {
            run.notes.push_back(error.what());
        }
        return run;
    };
}

RunStore::RunStore(std::filesystem::path folder, QObject* parent)
    : QObject(parent), m_folder(std::move(folder)) {
    m_pool.setMaxThreadCount(1);
}

RunStore::~RunStore() {
    m_pool.waitForDone();
}

std::filesystem::path RunStore::runFolder(const std::string& id) const {
    return m_folder / "runs" / id;
}

void RunStore::inBackground(std::function<void(study::Store&)> work) {
    m_pool.start([this, work = std::move(work)] {
        const auto tell = [this](auto signal, const std::exception& error) {
            QMetaObject::invokeMethod(
                this,
                [this, signal, text = QString::fromUtf8(error.what())] {
                    Q_EMIT(this->*signal)
                    (text);
                },
                Qt::QueuedConnection);
        };
        std::optional<study::Store> store;
        try {
            store.emplace(m_folder);
        } catch (const std::exception& error) {
            return tell(&RunStore::unavailable, error);
        }
        try {
            work(*store);
        } catch (const std::exception& error) {
            tell(&RunStore::failed, error);
        }
    });
}

void RunStore::load() {
    inBackground([this](study::Store& store) {
        auto runs = std::make_shared<std::vector<study::StoredRun>>(store.runs());
        QMetaObject::invokeMethod(
            this, [this, runs] { Q_EMIT loaded(*runs); }, Qt::QueuedConnection);
    });
}

void RunStore::rename(const std::string& id, const QString& name) {
    inBackground([id, name](study::Store& store) { store.rename(id, name.toStdString()); });
}

void RunStore::setHidden(const std::string& id, bool hidden) {
    inBackground([id, hidden](study::Store& store) { store.setHidden(id, hidden); });
}

void RunStore::remove(const std::string& id) {
    inBackground([id](study::Store& store) { store.remove(id); });
}

}  // namespace straightedge::ui
