// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <chrono>

namespace straightedge::hub {

// How often and how long to try again when a connection breaks.
struct Patience {
    int retries = 5;  // in a row that bring nothing
    std::chrono::milliseconds pause{1'000};
    int timeout = 30'000;  // ms without a byte
};

}  // namespace straightedge::hub
