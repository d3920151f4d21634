// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <functional>
#include <stop_token>
#include <thread>

#include "study/models/fetch.h"

namespace straightedge::ui {

// Fetches one model on a thread of its own. Lives on the window's thread, where its signals are emitted.
class Fetcher : public QObject {
    Q_OBJECT

  public:
    using Fetch = std::function<study::Fetched(const std::string&, std::stop_token, study::FetchObserver&)>;

    explicit Fetcher(Fetch fetch = study::fetch, QObject* parent = nullptr);
    ~Fetcher() override;  // stops and waits, which takes a moment

    void start(const QString& id);  // when none is under way
    void stop() { m_worker.request_stop(); }
    bool isBusy() const { return m_busy; }

  Q_SIGNALS:
    void progressed(const study::FetchProgress& progress);
    void noted(const QString& note);
    void fetched(const QString& path);
    void failed(const QString& message);
    void stopped();

  private:
    class Reporter;
    void over(const std::function<void()>& tell);

    Fetch m_fetch;
    bool m_busy = false;
    std::jthread m_worker;
};

}  // namespace straightedge::ui
