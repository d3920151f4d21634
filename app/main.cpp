// SPDX-License-Identifier: GPL-3.0-or-later
#include <cstring>

#include "command_line.h"
#include "ui/window_main.h"

int main(int argc, char** argv) {
    // Qt's own options ("-platform offscreen") go to the window; anything else is a command line.
    const bool window =
        argc < 2 || (argv[1][0] == '-' && argv[1][1] != '-' && std::strcmp(argv[1], "-h") != 0);
    return window ? straightedge::ui::runWindow(argc, argv) : straightedge::app::runCommandLine(argc, argv);
}
