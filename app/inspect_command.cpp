// SPDX-License-Identifier: GPL-3.0-or-later
#include <iomanip>
#include <iostream>
#include <memory>

#include "command_line.h"
#include "study/inspect.h"
#include "study/models/find_models.h"
#include "tables.h"

namespace straightedge::app {

namespace {

void print(const study::ModelSummary& model, bool tensors) {
    const auto line = [](const char* name, const std::string& value) {
        if (!value.empty())
            std::cout << std::left << std::setw(16) << name << value << '\n';
    };
    line("model", model.name);
    line("where", model.location.string());
    line("format", model.format + ", " + grouped(static_cast<std::int64_t>(model.bytes)) + " bytes");
    line("family", model.family);
    if (model.blocks > 0) {
        line("parameters", grouped(model.parameters));
        line("blocks", std::to_string(model.blocks));
        line("width", grouped(model.width));
        line("FFN", grouped(model.ffnWidth) + " wide, " + model.activation + ", " +
                        grouped(model.ffnParameters) + " parameters a block");
        line("heads", std::to_string(model.heads) +
                          (model.kvHeads == model.heads
                               ? std::string()
                               : ", " + std::to_string(model.kvHeads) + " for keys and values"));
        line("vocabulary", grouped(model.vocabulary));
        line("positions", model.maxPositions > 0 ? grouped(model.maxPositions) : "not said");
        line("site", model.site);
    }
    line("tokenizer", model.tokenizer);
    for (const std::string& note : model.notes)
        line("note", note);
    if (model.supported())
        line("supported", "yes");
    else
        line("supported", "no\n" + model.problem);
    if (tensors) {
        std::cout << '\n';
        for (const auto& tensor : model.tensors)
            std::cout << std::left << std::setw(56) << tensor.name << std::setw(8) << tensor.dtype
                      << tensor.shape << '\n';
    } else {
        line("tensors", std::to_string(model.tensors.size()) + " (--tensors lists them)");
    }
}

}  // namespace

void addInspectCommand(CLI::App& app, Command& chosen) {
    struct Options {
        std::string path;
        bool tensors = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("inspect", "Say what a checkpoint is and whether it can be measured");
    command->add_option("model", options->path, modelHelp)->required();
    command->add_flag("--tensors", options->tensors, "List every tensor with its type and shape");
    command->callback([options, &chosen] {
        chosen = [options] {
            const study::ModelSummary model = study::inspect(study::resolveModel(options->path));
            print(model, options->tensors);
            return static_cast<int>(model.supported() ? Done : BadInput);
        };
    });
}

}  // namespace straightedge::app
