// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace straightedge::ui {

// Opens the window and stays until it is closed. Arguments that Qt does not take are paths to open. Returns
// the exit code.
int runWindow(int& argc, char** argv);

}  // namespace straightedge::ui
