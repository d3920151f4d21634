// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <functional>

namespace straightedge::app {

// What the program leaves with; the help says so too.
enum ExitCode : int {
    Done = 0,
    Internal = 1,       // a fault of the program's own
    BadInput = 2,       // usage, files, models: one message says what
    BlocksFailed = 3,   // measured, but some blocks gave no values
    Interrupted = 130,  // stopped by Ctrl-C; what was finished has been written
};

// What can be named as a model; study::resolveModel() reads it.
inline constexpr const char* modelHelp =
    "A Hugging Face folder or one of its files, a GGUF file, or a name as straightedge models lists them";

// Each adds one subcommand; `chosen` becomes what runs it when it is the one that was asked for.
using Command = std::function<int()>;
void addMeasureCommand(CLI::App& app, Command& chosen);
void addFetchCommand(CLI::App& app, Command& chosen);
void addModelsCommand(CLI::App& app, Command& chosen);
void addCompareCommand(CLI::App& app, Command& chosen);
void addInspectCommand(CLI::App& app, Command& chosen);
void addFamiliesCommand(CLI::App& app, Command& chosen);
void addTokenizeCommand(CLI::App& app, Command& chosen);
void addRunsCommand(CLI::App& app, Command& chosen);
void addExportCommand(CLI::App& app, Command& chosen);
void addExportReplacementCommand(CLI::App& app, Command& chosen);

// Runs a subcommand's line. argv[1] need not be one: usage errors leave with BadInput and help with Done.
int runCommandLine(int argc, char** argv);

}  // namespace straightedge::app
