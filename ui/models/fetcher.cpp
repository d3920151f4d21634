// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetcher.h"

#include "error.h"
#include "style/format.h"

namespace straightedge::ui {

// On the worker; the fetcher waits for that before it goes.
class Fetcher::Reporter : public study::FetchObserver {
  public:
    explicit Reporter(Fetcher& fetcher) : m_fetcher(fetcher) {}

    void progressed(const study::FetchProgress& progress) override {
        QMetaObject::invokeMethod(
            &m_fetcher, [this_ = &m_fetcher, progress] { Q_EMIT this_->progressed(progress); },
            Qt::QueuedConnection);
    }
    void noted(const std::string& note) override {
        QMetaObject::invokeMethod(
            &m_fetcher, [this_ = &m_fetcher, note = toQString(note)] { Q_EMIT this_->noted(note); },
            Qt::QueuedConnection);
    }

  private:
    Fetcher& m_fetcher;
};

Fetcher::Fetcher(Fetch fetch, QObject* parent) : QObject(parent), m_fetch(std::move(fetch)) {}

Fetcher::~Fetcher() = default;

// From the worker: `tell` on the window's thread, once nothing is under way.
void Fetcher::over(const std::function<void()>& tell) {
    QMetaObject::invokeMethod(
        this,
        [this, tell] {
            m_busy = false;
            tell();
        },
        Qt::QueuedConnection);
}

void Fetcher::start(const QString& id) {
    if (m_busy)
        return;
    m_busy = true;
    m_worker = std::jthread([this, what = id.toStdString()](const std::stop_token& stop) {
        Reporter reporter(*this);
        try {
            const QString path = pathText(m_fetch(what, stop, reporter).path);
            over([this, path] { Q_EMIT fetched(path); });
        } catch (const Cancelled&) {
            over([this] { Q_EMIT stopped(); });
        } catch (const std::exception& error) {
            over([this, message = QString::fromUtf8(error.what())] { Q_EMIT failed(message); });
        }
    });
}

}  // namespace straightedge::ui
