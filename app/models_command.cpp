// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "command_line.h"
#include "error.h"
#include "study/inspect.h"
#include "study/models/find_models.h"
#include "study/models/model_folders.h"
#include "tables.h"

namespace straightedge::app {

namespace {

struct Listed {
    study::FoundModel model;
    study::ModelSummary summary;  // its problem: why it cannot be measured
};

std::vector<Listed> lookAt(std::vector<study::FoundModel> models) {
    std::vector<Listed> listed;
    for (study::FoundModel& model : models) {
        study::ModelSummary summary;
        try {
            summary = study::inspectWeights(model.path);
        } catch (const Error& error) {
            summary.problem = error.what();
        }
        listed.push_back({std::move(model), std::move(summary)});
    }
    return listed;
}

void printJson(const std::vector<Listed>& listed) {
    nlohmann::ordered_json models = nlohmann::ordered_json::array();
    for (const auto& [model, summary] : listed) {
        nlohmann::ordered_json entry = {{"name", model.name},
                                        {"source", study::sourceName(model.source)},
                                        {"revision", model.revision},
                                        {"path", model.path.string()},
                                        {"format", summary.format},
                                        {"family", summary.family},
                                        {"blocks", summary.blocks},
                                        {"width", summary.width},
                                        {"parameters", summary.parameters},
                                        {"bytes", summary.bytes}};
        if (!summary.supported())
            entry["problem"] = summary.problem;
        models.push_back(std::move(entry));
    }
    using Handler = nlohmann::ordered_json::error_handler_t;
    std::cout << nlohmann::ordered_json{{"models", models}}.dump(2, ' ', false, Handler::replace) << '\n';
}

std::string megabytes(std::uint64_t bytes) {
    return grouped(static_cast<std::int64_t>((bytes + 500'000) / 1'000'000)) + " MB";
}

int list(bool all, bool json) {
    study::FoundModels found = study::findModels();
    std::vector<Listed> listed = lookAt(std::move(found.models));
    const std::size_t unread =
        all ? 0 : std::erase_if(listed, [](const Listed& entry) { return !entry.summary.supported(); });
    for (const std::string& note : found.notes)
        std::cerr << "note: " << note << '\n';
    if (json) {
        printJson(listed);
        return Done;
    }
    std::vector<std::vector<std::string>> rows = {
        {"where", "family", "blocks", "width", "size", "format", "name"}};
    for (const auto& [model, summary] : listed)
        rows.push_back({std::string(study::sourceName(model.source)), summary.family,
                        summary.blocks > 0 ? std::to_string(summary.blocks) : "",
                        summary.width > 0 ? grouped(summary.width) : "",
                        summary.bytes > 0 ? megabytes(summary.bytes) : "", summary.format, model.name});
    if (rows.size() > 1)
        printTable(std::cout, rows);
    else
        std::cerr << "no models are here; straightedge fetch ID brings one from the hub\n";
    for (const auto& [model, summary] : listed)
        if (!summary.supported())
            std::cout << '\n' << model.name << " cannot be measured: " << summary.problem << '\n';
    if (unread > 0)
        std::cerr << "\n" << unread << " more cannot be measured (--all says why)\n";
    return Done;
}

void addFolders(CLI::App& models, Command& chosen) {
    const auto change = [&](const char* name, const char* help, void (*how)(const std::filesystem::path&)) {
        const auto paths = std::make_shared<std::vector<std::string>>();
        CLI::App* command = models.add_subcommand(name, help);
        command->add_option("path", *paths, "A folder of checkpoints, or a checkpoint")->required();
        command->callback([paths, how, &chosen] {
            chosen = [paths, how] {
                for (const std::string& path : *paths)
                    how(path);
                return static_cast<int>(Done);
            };
        });
    };
    change("add", "Look for models in another folder too", [](const std::filesystem::path& path) {
        std::error_code ignored;
        if (!std::filesystem::exists(path, ignored))
            throw Error({.what = "there is no such file or folder", .where = path.string()});
        study::addModelFolder(path);
    });
    change("remove", "Look there no longer; the files stay", study::removeModelFolder);
}

}  // namespace

void addModelsCommand(CLI::App& app, Command& chosen) {
    struct Options {
        bool all = false, json = false;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("models", "List the models that are on this machine");
    command->add_flag("--all", options->all, "List those too that cannot be measured, and why");
    command->add_flag("--json", options->json, "As JSON, with paths");
    command->require_subcommand(0, 1);
    command->footer(
        "Looked at: the Hugging Face cache (HF_HUB_CACHE, else HF_HOME, else ~/.cache/huggingface), the "
        "folders\n"
        "and files that were added here or in the window, the sample. --model takes the names.");
    // The parent's callback comes after its subcommand's.
    command->callback([command, options, &chosen] {
        if (command->get_subcommands().empty())
            chosen = [options] { return list(options->all, options->json); };
    });
    addFolders(*command, chosen);
}

}  // namespace straightedge::app
