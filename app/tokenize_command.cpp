// SPDX-License-Identifier: GPL-3.0-or-later
#include <charconv>
#include <iostream>
#include <memory>

#include "command_line.h"
#include "study/models/find_models.h"
#include "study/tokenize.h"

namespace straightedge::app {

void addTokenizeCommand(CLI::App& app, Command& chosen) {
    struct Options {
        std::string model, file;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("tokenize", "Print a text's token ids, one a line");
    command
        ->add_option("--model", options->model,
                     "A model, by path or name, or a folder with nothing but its tokenizer")
        ->required();
    command->add_option("--file", options->file, "A text file")->required();
    command->callback([options, &chosen] {
        chosen = [options] {
            const std::filesystem::path model = study::resolveModel(options->model);
            std::string text;
            char digits[16];
            for (const std::int32_t id : study::tokenizeFile(model, options->file)) {
                text.append(digits, std::to_chars(digits, digits + sizeof digits, id).ptr);
                text += '\n';
            }
            std::cout << text << std::flush;
            return static_cast<int>(Done);
        };
    });
}

}  // namespace straightedge::app
