// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <stop_token>
#include <thread>

namespace straightedge::app {

// Turns Ctrl-C and SIGTERM into a stop request while it lives; a second Ctrl-C ends the program at once. Make
// it before any other thread, so that all inherit the blocked signals.
class StopOnSignal {
  public:
    StopOnSignal();
    ~StopOnSignal();

    std::stop_token token() const { return m_stop.get_token(); }
    bool stopped() const { return m_stop.stop_requested(); }

  private:
    std::stop_source m_stop;
    std::jthread m_waiter;
};

}  // namespace straightedge::app
