// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDateTime>
#include <iostream>
#include <memory>

#include "command_line.h"
#include "study/store/store.h"
#include "tables.h"

namespace straightedge::app {

namespace {

// "2025-03-01 14:05", in the reader's time zone.
std::string localTime(const std::string& utc) {
    const QDateTime time = QDateTime::fromString(QString::fromStdString(utc), Qt::ISODate);
    return time.isValid() ? time.toLocalTime().toString(QStringLiteral("yyyy-MM-dd HH:mm")).toStdString()
                          : utc;
}

int listRuns(bool all) {
    std::vector<std::vector<std::string>> rows = {
        {"id", "started", "model", "corpus", "state", "blocks", "name"}};
    std::size_t hidden = 0;
    bool resumable = false;
    for (const study::StoredRun& stored : study::Store().runs()) {
        if (stored.hidden && !all) {
            ++hidden;
            continue;
        }
        const study::Run& run = stored.run;
        resumable = resumable || stored.resumable;
        rows.push_back({stored.shortId(), localTime(run.header.started), run.header.model, run.header.corpus,
                        std::string(stateName(run.state)) + (stored.resumable ? "*" : ""),
                        std::to_string(run.blocks.size()), stored.name + (stored.hidden ? " (hidden)" : "")});
    }
    if (rows.size() > 1)
        printTable(std::cout, rows);
    else
        std::cerr << "no runs in " << study::storeFolder().string() << '\n';
    if (resumable)
        std::cout << "\n* can go on from where it stopped\n";
    if (hidden > 0)
        std::cout << "\n" << hidden << " hidden (--all shows them)\n";
    return Done;
}

using Change = std::function<void(study::Store&, const std::string& id)>;

constexpr const char* idHelp = "The run's id, or at least 4 characters of its beginning";

int changeAll(const std::vector<std::string>& ids, const Change& change) {
    study::Store store;
    std::vector<std::string> found;  // all of them, before anything is changed
    for (const std::string& id : ids)
        found.push_back(store.find(id));
    for (const std::string& id : found)
        change(store, id);
    return Done;
}

// A subcommand that does something to each of the runs that are named.
void addChange(CLI::App& runs, Command& chosen, const char* name, const char* help, const Change& change) {
    const auto ids = std::make_shared<std::vector<std::string>>();
    CLI::App* command = runs.add_subcommand(name, help);
    command->add_option("id", *ids, idHelp)->required();
    command->callback([ids, change, &chosen] { chosen = [ids, change] { return changeAll(*ids, change); }; });
}

void addRename(CLI::App& runs, Command& chosen) {
    struct Options {
        std::string id, name;
    };
    const auto options = std::make_shared<Options>();
    CLI::App* command = runs.add_subcommand("rename", "Give a run a name");
    command->add_option("id", options->id, idHelp)->required();
    command->add_option("name", options->name, "The name; empty for none")->required();
    command->callback([options, &chosen] {
        chosen = [options] {
            return changeAll({options->id}, [&](study::Store& store, const std::string& id) {
                store.rename(id, options->name);
            });
        };
    });
}

}  // namespace

void addRunsCommand(CLI::App& app, Command& chosen) {
    CLI::App* command = app.add_subcommand("runs", "List the stored runs; rename, hide, show or delete them");
    const auto all = std::make_shared<bool>(false);
    command->add_flag("--all", *all, "List hidden runs too");
    command->require_subcommand(0, 1);
    command->footer(
        "The store is a folder: $STRAIGHTEDGE_STORE, or straightedge/store in the user's data folder.");
    // The parent's callback comes after its subcommand's.
    command->callback([command, all, &chosen] {
        if (command->get_subcommands().empty())
            chosen = [all] { return listRuns(*all); };
    });

    addChange(*command, chosen, "hide", "Leave runs out of the list",
              [](study::Store& store, const std::string& id) { store.setHidden(id, true); });
    addChange(*command, chosen, "show", "List hidden runs again",
              [](study::Store& store, const std::string& id) { store.setHidden(id, false); });
    addChange(*command, chosen, "delete", "Delete runs with all their files, for good",
              [](study::Store& store, const std::string& id) { store.remove(id); });
    addRename(*command, chosen);
}

}  // namespace straightedge::app
