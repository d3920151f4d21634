// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <functional>

namespace straightedge::linearity {

// Told how much of a long computation is done, 0 to 1, on its own thread; may throw (Cancelled) to stop it.
// May be empty.
using Tick = std::function<void(double fraction)>;

}  // namespace straightedge::linearity
