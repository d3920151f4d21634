// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>
#include <memory>

#include "command_line.h"
#include "error.h"
#include "study/compare/corpora.h"
#include "study/export/export.h"
#include "study/store/store.h"
#include "tables.h"

namespace straightedge::app {

namespace {

struct Options {
    std::vector<std::string> ids;
    std::string metric = "r2_lin", csv;
};

int compare(const Options& options) {
    const auto metric = study::metricNamed(options.metric);
    if (!metric)
        throw Error({.what = "there is no such number",
                     .expected = "a column of the CSV, such as r2_lin, r2_typical or r2_lin_centred",
                     .found = options.metric});
    if (!options.csv.empty())
        study::checkWritable(options.csv);
    const study::Store store;
    std::vector<study::Run> runs;
    if (options.ids.empty())
        for (study::StoredRun& stored : store.runs()) {
            if (!stored.hidden)
                runs.push_back(std::move(stored.run));
        }
    for (const std::string& id : options.ids)
        runs.push_back(store.run(store.find(id)).run);
    std::vector<const study::Run*> views;
    for (const study::Run& run : runs)
        views.push_back(&run);
    const auto pairs = study::compareCorpora(views, *metric);
    if (pairs.empty())
        throw Error(
            {.what = "nothing to compare",
             .expected = "two or more runs of one model on different texts",
             .advice = "straightedge runs lists what is stored; measure takes --corpus several times"});
    std::cout << info(*metric).title << " of one model on two texts\n\n";
    printTable(std::cout, corporaTable(views, pairs));
    if (!options.csv.empty())
        study::writeFile(options.csv, toCorporaCsv(views, pairs, *metric));
    return Done;
}

}  // namespace

void addCompareCommand(CLI::App& app, Command& chosen) {
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("compare", "Compare the profiles of one model on several texts");
    command->add_option(
        "id", options->ids,
        "Stored runs, by at least 4 characters of their ids (default: all that are not hidden)");
    command->add_option("--metric", options->metric, "What is compared")->capture_default_str();
    command->add_option("--csv", options->csv, "Write the table here, with all digits");
    command->callback([options, &chosen] { chosen = [options] { return compare(*options); }; });
}

}  // namespace straightedge::app
