// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "command_line.h"
#include "study/export/export_replacement.h"
#include "study/store/store.h"

namespace straightedge::app {

void addExportReplacementCommand(CLI::App& app, Command& chosen) {
    struct Options {
        std::string id, blocks, out, fit = "linear";
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand(
        "export-replacement",
        "Write a stored run's fitted maps as safetensors, with the Python that puts them in");
    command->add_option("--run", options->id, "The run's id, or at least 4 characters of its beginning")
        ->required();
    command->add_option("--blocks", options->blocks,
                        "Blocks to write, from 0, such as 1,2 (default: all measured)");
    std::vector<std::string> names;
    for (const study::ReplacementInfo& replacement : study::replacements())
        names.emplace_back(replacement.name);
    command->add_option("--fit", options->fit, "Which replacement")
        ->check(CLI::IsMember(names))
        ->capture_default_str();
    command->add_option("--out", options->out, "The folder to write to")->required();
    command->callback([options, &chosen] {
        chosen = [options] {
            const study::Store store;
            const study::StoredRun stored = store.run(store.find(options->id));
            std::vector<int> blocks;
            if (options->blocks.empty())
                for (const study::BlockResult& block : stored.run.blocks)
                    blocks.push_back(block.block);
            else
                blocks = study::BlockSelection::parse(options->blocks).resolve(stored.run.header.modelBlocks);
            study::exportReplacements(store.runFolder(stored.id), stored.run, blocks,
                                      *study::replacementNamed(options->fit), options->out);
            std::cout << blocks.size() << " blocks written to " << options->out << '\n';
            return static_cast<int>(Done);
        };
    });
}

}  // namespace straightedge::app
