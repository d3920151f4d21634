// SPDX-License-Identifier: GPL-3.0-or-later
#include "stop_on_signal.h"

#include <csignal>
#include <cstdio>
#include <ctime>

#include "command_line.h"

namespace straightedge::app {

namespace {

sigset_t stopSignals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
}

}  // namespace

StopOnSignal::StopOnSignal() {
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
    m_waiter = std::jthread([this](const std::stop_token& over) {
        const sigset_t waited = stopSignals();
        const timespec moment{0, 50'000'000};
        while (!over.stop_requested()) {
            if (sigtimedwait(&waited, nullptr, &moment) < 0)
                continue;
            if (m_stop.stop_requested())
                std::_Exit(Interrupted);
            std::fputs("\nstopping; what is finished is kept (once more to leave at once)\n", stderr);
            m_stop.request_stop();
        }
    });
}

StopOnSignal::~StopOnSignal() {
    m_waiter.request_stop();
    m_waiter.join();
    const sigset_t set = stopSignals();
    pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
}

}  // namespace straightedge::app
