// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "command_line.h"
#include "outputs.h"
#include "study/store/store.h"
#include "tables.h"

namespace straightedge::app {

void addExportCommand(CLI::App& app, Command& chosen) {
    struct Options {
        std::vector<std::string> ids;
        Outputs outputs;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("export", "Write stored runs to files, or print them");
    command
        ->add_option("--run", options->ids,
                     "A run's id, or at least 4 characters of its beginning; may be given several times")
        ->required()
        ->take_all();
    options->outputs.addOptions(*command);
    command->footer("Without a file to write it prints the tables. straightedge runs lists what is stored.");
    command->callback([options, &chosen] {
        chosen = [options] {
            options->outputs.check();
            const study::Store store;
            std::vector<study::Run> runs;
            for (const std::string& id : options->ids)
                runs.push_back(store.run(store.find(id)).run);
            if (!options->outputs.any())
                for (const study::Run& run : runs) {
                    printRun(std::cout, run);
                    printCompression(std::cout, run);
                }
            options->outputs.write(runs);
            return static_cast<int>(Done);
        };
    });
}

}  // namespace straightedge::app
