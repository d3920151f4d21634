// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>

#include "command_line.h"
#include "study/families.h"

namespace straightedge::app {

namespace {

void print() {
    for (const study::FamilySummary& family : study::families()) {
        std::cout << family.title << "\n    model_type " << family.name
                  << (family.gguf.empty() ? "" : ", in GGUF " + family.gguf) << "\n    " << family.positions
                  << "; " << family.norm << "\n    " << family.site << '\n';
        if (!family.perplexity)
            std::cout << "    a masked model: measured without perplexity\n";
    }
}

}  // namespace

void addFamiliesCommand(CLI::App& app, Command& chosen) {
    const auto markdown = std::make_shared<bool>(false);
    CLI::App* command = app.add_subcommand("families", "List the families of models that can be measured");
    command->add_flag("--markdown", *markdown, "As the README has it");
    command->callback([markdown, &chosen] {
        chosen = [markdown] {
            if (*markdown)
                std::cout << study::familiesAsMarkdown();
            else
                print();
            return static_cast<int>(Done);
        };
    });
}

}  // namespace straightedge::app
