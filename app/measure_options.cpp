// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure_options.h"

#include <algorithm>

#include "command_line.h"
#include "study/export/export.h"

namespace straightedge::app {

void MeasureOptions::addTo(CLI::App& command) {
    command.add_option("--model", models, std::string(modelHelp) + "; may be given several times")
        ->take_all();
    command
        .add_option("--corpus", corpora,
                    "The text, UTF-8, or the name of one that was fetched; its last tenth is kept for "
                    "perplexity; may be given several times")
        ->take_all();
    command.add_option("--eval-corpus", evaluationCorpus,
                       "Another text for perplexity; --corpus is then measured on whole");
    command.add_flag("--sample", sample, "Use the model and the text that came with the set-up");
    command.add_option("--tokens", tokens, "Tokens to measure on")->capture_default_str();
    command.add_option("--seq-len", seqLen, "Tokens a window")->capture_default_str();
    command.add_option("--blocks", blocks, "Blocks to measure, from 0, such as 0,3-5 (default: all)");
    command.add_flag("--perplexity", perplexity,
                     "Measure too what each replacement costs: perplexity swapped minus base");
    command
        .add_option("--eval-batches", evaluationBatches,
                    "Batches of 4 windows of the evaluation text that perplexity is taken on")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command
        .add_option("--fit", fits,
                    "Replacements, separated by commas: published (always there), balanced (massive rows "
                    "count less), switched (massive rows get a constant)")
        ->delimiter(',')
        ->check(CLI::IsMember({"published", "balanced", "switched"}));
    std::vector<std::string> probeNames;
    for (const study::ProbeInfo& probe : study::probes())
        probeNames.emplace_back(probe.name);
    command
        .add_option("--probes", probes,
                    "Layers trained on the rows, separated by commas: bilinear (rank 16, on what the line "
                    "leaves), trained-linear (what the closed form is compared with), dense2x, poly2x")
        ->delimiter(',')
        ->check(CLI::IsMember(probeNames));
    command
        .add_option("--ceilings", ceilings,
                    "Degrees of closed-form polynomial ceilings, such as 2,3: how much more a quadratic or "
                    "cubic explains than the line, solved by kernel ridge")
        ->delimiter(',')
        ->check(CLI::Range(2, 9));
    command.add_option("--folds", folds, "Score by blocked k-fold too, with so many folds")
        ->check(CLI::Range(2, 1000));
    command.add_flag("--rank", rank, "How few directions carry the fit (effective rank)");
    command.add_flag("--heal", heal,
                     "With --perplexity: train each swapped layer on the capture text, and beside it the "
                     "block's own FFN as the fair baseline");
    command.add_option("--heal-steps", healSteps, "Steps of healing")
        ->check(CLI::Range(1, 1'000'000))
        ->capture_default_str();
    command.add_option("--residual-blocks", residualBlocks,
                       "Of the measured blocks those that get probes, ceilings and healing (default: all)");
    command.add_option("--seed", seed, "Of everything that is trained")->capture_default_str();
    outputs.addOptions(command);
    command.add_option("--timings", timings,
                       "Write the wall time of each stage and the peak memory as JSON (of the last run)");
    command
        .add_option(
            "--resume", resume,
            "Go on with a run that was broken off, the newest or the one named, with its own settings")
        ->expected(0, 1);
    command.add_flag("--estimate", estimate,
                     "Only say how long it will take here, and what memory and disk it needs");
    command.add_flag("--no-store", noStore, "Do not keep the run in the store");
    command.add_option("--threads", threads, "Threads to compute with (default: one a core)")
        ->check(CLI::Range(0, 4096));
    command
        .add_option("--device", device,
                    "Where blocks run: cpu, cuda, or one of several GPUs as cuda:1; fits are the processor's")
        ->capture_default_str();
}

void MeasureOptions::check() const {
    outputs.check();
    if (!timings.empty())
        study::checkWritable(timings);
}

study::StudySettings MeasureOptions::settings() const {
    const auto wants = [](const auto& list, const auto& name) {
        return std::ranges::find(list, name) != list.end();
    };
    study::StudySettings settings;
    if (!evaluationCorpus.empty())
        settings.evaluationCorpus = evaluationCorpus;
    settings.tokens = tokens;
    settings.seqLen = seqLen;
    settings.blocks = study::BlockSelection::parse(blocks);
    settings.threads = threads;
    settings.device = device;
    settings.perplexity = perplexity;
    settings.evaluationBatches = evaluationBatches;
    settings.balanced = wants(fits, "balanced");
    settings.switched = wants(fits, "switched");
    settings.folds = folds;
    settings.effectiveRank = rank;
    for (const study::ProbeInfo& probe : study::probes())
        if (std::ranges::find(probes, probe.name) != probes.end())
            settings.probes.push_back(probe.probe);
    settings.ceilings = ceilings;
    std::ranges::sort(settings.ceilings);
    const auto repeated = std::ranges::unique(settings.ceilings);
    settings.ceilings.erase(repeated.begin(), repeated.end());
    settings.heal = heal;
    settings.healSteps = healSteps;
    settings.residualBlocks = study::BlockSelection::parse(residualBlocks);
    settings.seed = seed;
    return settings;
}

}  // namespace straightedge::app
