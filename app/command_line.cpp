// SPDX-License-Identifier: GPL-3.0-or-later
#include "command_line.h"

#include <iostream>

#include "error.h"

namespace straightedge::app {

int runCommandLine(int argc, char** argv) {
    CLI::App app{
        "Straightedge measures how linear each feed-forward block of a transformer language model is, and\n"
        "what it would cost to replace it. Without a command it opens the window."};
    app.name("straightedge");
    app.set_version_flag("--version", std::string("straightedge ") + STRAIGHTEDGE_VERSION);
    app.require_subcommand(1);
    app.footer(
        "Exit codes: 0 done, 2 bad input or usage, 3 some blocks gave no values, 130 stopped by Ctrl-C "
        "(what\n"
        "was finished has been written), 1 a fault of the program.\n\n"
        "Try: straightedge measure --sample");
    Command chosen;
    addMeasureCommand(app, chosen);
    addModelsCommand(app, chosen);
    addCompareCommand(app, chosen);
    addFetchCommand(app, chosen);
    addInspectCommand(app, chosen);
    addFamiliesCommand(app, chosen);
    addTokenizeCommand(app, chosen);
    addRunsCommand(app, chosen);
    addExportCommand(app, chosen);
    addExportReplacementCommand(app, chosen);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? Done : BadInput;
    }
    try {
        return chosen();
    } catch (const Error& error) {
        std::cerr << "straightedge: " << error.what() << '\n';
        return BadInput;
    } catch (const std::exception& error) {
        std::cerr << "straightedge: a fault of the program: " << error.what() << '\n';
        return Internal;
    }
}

}  // namespace straightedge::app
