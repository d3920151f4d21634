// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure.h"

#include <QDateTime>
#include <algorithm>
#include <new>
#ifdef __GLIBC__  // known once a header of the C library is in
#include <malloc.h>
#endif

#include "block/block_study.h"
#include "checkpoint/mapped_file.h"
#include "cost/estimate.h"
#include "deal_windows.h"
#include "device.h"
#include "error.h"
#include "linearity/linear_profile.h"
#include "model_files.h"
#include "progress.h"
#include "replacement/own_ffn.h"
#include "replacement/swapped_walk.h"
#include "study/store/rows_file.h"
#include "study/store/run_json.h"
#include "study/store/sweep_state.h"
#include "swap_costs.h"
#include "threads.h"

namespace straightedge::study {

namespace {

using replacement::SwappedWalk;
using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Buffers of some MB come and go with every chunk of rows: the allocator is to keep them, since fresh pages
// cost more than the passes that fill them.
void keepBuffers() {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 32 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

// One run of the layer-major sweep: all windows through one block, then the next.
class Sweep {
  public:
    Sweep(const StudySettings& settings, std::stop_token stop, Observer& observer, const RunFiles* files,
          const linearity::Ranks& ranks, Run& run)
        : m_ranks(ranks),
          m_settings(settings),
          m_stop(std::move(stop)),
          m_observer(observer),
          m_files(files),
          m_run(run),
          m_meter(observer),
          m_device(deviceOf(settings.device, ranks)),
          m_workspace(m_device) {
        if (files && ranks.count() == 1)
            m_stateFiles.emplace(files->folder);
    }

    void run() {
        prepare();
        start();
        passBlocks();
        if (m_evaluation)
            takePerplexities();
        if (m_stateFiles)
            m_stateFiles->remove();
    }

  private:
    // --- before the sweep
    // --------------------------------------------------------------------------------------------

    void prepare() {
        if (m_ranks.count() > 1)
            checkForRanks(m_settings);
        m_meter.stage("reading the model");
        const std::shared_ptr<const checkpoint::Checkpoint> files =
            checkpoint::Checkpoint::open(m_settings.model);
        m_decoder = std::make_unique<model::Decoder>(files);
        m_decoder->checkWindowLength(m_settings.seqLen);
        const auto count = static_cast<int>(m_decoder->architecture().blocks);
        m_shape.wanted = m_settings.blocks.resolve(count);
        m_shape.residual = m_settings.residualBlocks.resolve(count);
        const auto tokenizer = tokenizerOf(*files);

        m_meter.stage("reading the text");
        const text::Corpus corpus = text::readCorpus(m_settings.corpus, m_settings.evaluationCorpus);
        throwIfStopped();
        m_meter.stage("tokenizing");
        m_windows = text::cutWindows(*tokenizer, corpus.capture, m_settings.seqLen, m_settings.tokens);
        if (m_settings.perplexity && m_decoder->reader().hasOutputProjection())
            m_evaluationWindows = text::cutWindows(
                *tokenizer, corpus.evaluation, m_settings.seqLen,
                m_settings.evaluationBatches * StudySettings::batchWindows * m_settings.seqLen);
        throwIfStopped();
        fillHeader(*files, corpus, *tokenizer);
        m_observer.started(m_run.header);
        noteWhatMatters();
        m_walksEvaluation = m_evaluationWindows.count > 0;
        const text::Windows tail = tailWindows();
        m_walksTail = m_walksEvaluation && m_settings.balanced && tail.count > 0;
        m_tailWindows = dealt(tail, m_ranks);
        m_windows = dealt(m_windows, m_ranks);
        m_evaluationWindows = dealt(m_evaluationWindows, m_ranks);
    }

    void fillHeader(const checkpoint::Checkpoint& files, const text::Corpus& corpus,
                    const text::Tokenizer& tokenizer) {
        const model::Architecture& model = m_decoder->architecture();
        const checkpoint::FileIdentity identity = files.identity();
        RunHeader& header = m_run.header;
        header.model = modelName(files);
        header.corpus = corpus.name;
        header.family = model.family->name;
        header.activation = model.activationName();
        header.site = m_decoder->reader().site().text();
        header.modelBlocks = static_cast<int>(model.blocks);
        header.width = model.width;
        header.ffnParameters = m_decoder->reader().ffnParameters();
        header.modelParameters = m_decoder->reader().modelParameters();
        header.modelPath = checkpoint::pathText(identity.path);
        header.modelBytes = identity.bytes;
        header.modelModified = identity.modified;
        header.modelHeaderHash = identity.headerHash;
        header.textHash = corpus.captureFile.hash;
        header.evaluationHash = corpus.evaluationFile ? corpus.evaluationFile->hash : std::string();
        header.tokenizer = tokenizer.description();
        header.rows = m_windows.tokens();
        header.rowsTrain = linearity::headRows(header.rows);
        header.evaluationWindows = m_evaluationWindows.count;
        header.tooFewRows = header.rowsTrain < 2 * (model.width + 1);
    }

    void noteWhatMatters() {
        const model::Architecture& model = m_decoder->architecture();
        const RunHeader& header = m_run.header;
        for (const std::string& text : model.notes)
            note(text);
        if (m_windows.count < m_settings.tokens / m_settings.seqLen)
            note("the text gave " + std::to_string(header.rows) + " tokens of the " +
                 std::to_string(m_settings.tokens) + " asked for");
        if (header.tooFewRows)
            note("too few rows: " + std::to_string(header.rowsTrain) + " to fit with where at least " +
                 std::to_string(2 * (model.width + 1)) + " are wanted; a fit on so few overfits");
        if (model.family->position == model::PositionKind::Rotary && model.maxPositions > 0 &&
            m_settings.seqLen > model.maxPositions)
            note("windows are longer than the " + std::to_string(model.maxPositions) +
                 " tokens that the model was made for");
        if (m_settings.heal && !m_settings.perplexity)
            note("nothing is healed: a healed figure is a perplexity, which was not asked for");
        if (!m_settings.perplexity)
            return;
        const std::int64_t asked = m_settings.evaluationBatches * StudySettings::batchWindows;
        if (const std::string why = m_decoder->reader().whyNoPredictions(); !why.empty())
            note(why + ": measured without perplexity");
        else if (m_evaluationWindows.count < asked)
            note("the evaluation text gave " + std::to_string(m_evaluationWindows.count) +
                 " windows of the " + std::to_string(asked) + " asked for");
    }

    // The states before the first block, or those that an earlier part of the run has left.
    void start() {
        m_meter.stage("embedding");
        std::optional<SweepState> left;
        if (m_stateFiles)
            left = m_stateFiles->load(fingerprint());
        if (left && !takeFinished(left->nextBlock))
            left.reset();
        m_hidden = left ? left->capture : embedded(m_windows);
        if (m_walksEvaluation)
            m_evaluation.emplace(m_evaluationWindows, left ? at::Tensor() : embedded(m_evaluationWindows));
        if (m_walksTail)
            m_tail.emplace(m_tailWindows, left ? at::Tensor() : embedded(m_tailWindows));
        if (left && m_evaluation)
            m_evaluation->restore(left->evaluation);
        if (left && m_tail)
            m_tail->restore(left->tail);
        m_ids = at::tensor(m_windows.ids, at::kInt).to(at::kLong);
        planWork();
    }

    at::Tensor embedded(const text::Windows& windows) const {
        return windows.count > 0 ? m_decoder->embed(windows)
                                 : at::empty({0, m_decoder->architecture().width}, at::kFloat);
    }

    // What an earlier part has found of the blocks before `next`; false when something of it is missing.
    bool takeFinished(int next) {
        std::vector<BlockResult> taken;
        for (const int block : m_shape.wanted) {
            if (block >= next)
                break;
            const auto found = std::ranges::find(m_files->finished, block, &BlockResult::block);
            if (found == m_files->finished.end())
                return false;
            taken.push_back(*found);
        }
        m_first = next;
        m_run.blocks = std::move(taken);
        return true;
    }

    // The whole windows of the held-out tail.
    text::Windows tailWindows() const {
        const std::int64_t first = (m_run.header.rowsTrain + m_windows.length - 1) / m_windows.length;
        return m_windows.part(first, m_windows.count - first);
    }

    void planWork() {
        m_shape.evaluationRows = m_evaluation ? static_cast<double>(m_evaluation->rows()) : 0;
        m_shape.tailRows = m_tail ? static_cast<double>(m_tail->rows()) : 0;
        m_cost = costOf(m_decoder->architecture(), m_run.header.ffnParameters, m_windows.tokens(),
                        m_windows.length);
        const WorkPlan plan = study::planWork(m_cost, m_settings, m_shape);
        const auto first = static_cast<std::size_t>(m_first);
        m_meter.setWork(plan.total, first < plan.before.size() ? plan.before[first] : plan.total,
                        static_cast<int>(plan.before.size()));
        const Estimate estimate =
            estimateOf(m_cost, m_settings, m_shape, m_files ? m_files->folder : std::filesystem::path());
        m_meter.expect(plan.total / estimate.seconds);
        if (!estimate.fits())
            note("this run takes " + estimate.text());
    }

    // --- the sweep
    // -----------------------------------------------------------------------------------------------------

    void passBlocks() {
        const int lastWanted = m_shape.wanted.back();
        const int last = m_shape.lastBlock(m_cost.blocks);
        at::Tensor x, y;  // the rows to measure, of one block at a time
        for (int index = m_first; index <= last; ++index) {
            const auto began = Clock::now();
            m_meter.stage("block " + std::to_string(index) + ": weights", index);
            model::Block block = m_decoder->block(index, m_windows.length);
            block.moveTo(m_device);
            block.pack();
            m_decoder->reader().forgetBlock(index);
            m_meter.stage("block " + std::to_string(index) + ": windows", index);
            std::vector<std::shared_ptr<const replacement::Layer>> swaps, choices;
            if (index <= lastWanted) {
                const bool wanted = m_shape.isWanted(index);
                if (wanted && !x.defined()) {
                    x = passing();
                    y = passing();
                }
                at::Tensor before;  // healing starts from the stream before the block
                if (wanted && m_shape.isResidual(index) && m_settings.heal && m_evaluation)
                    before = m_hidden;
                capture(block, index < lastWanted, wanted ? x : at::Tensor(), y);
                if (wanted) {
                    const BlockStudy study = studyRows(block, index, x, y, before, began);
                    swaps = study.variants();
                    for (std::size_t i = 0; i < study.layers.size(); ++i)
                        if (choosable(study.result.replacements[i].kind))
                            choices.push_back(study.layers[i]);
                }
                if (index == lastWanted)
                    m_hidden = x = y = at::Tensor();
            }
            advance(m_tail, block, index, choices);
            advance(m_evaluation, block, index, swaps);
            if (index < last || m_evaluation)
                saveState(index + 1);
        }
    }

    // All capture rows through one block. x and y keep the FFN's input and output where x is defined.
    void capture(const model::Block& block, bool onwards, const at::Tensor& x, const at::Tensor& y) {
        const std::int64_t n = m_hidden.size(0), d = m_hidden.size(1);
        const std::int64_t step = model::Block::rowsTogether(m_windows.length);
        const at::Tensor next = onwards ? nextRows().rows(n, d) : at::Tensor();
        // The rows to measure are the processor's: a block that runs there writes into them itself.
        const bool direct = x.defined() && m_device == at::kCPU;
        const at::Tensor stream = m_workspace.rows(std::min(step, n), d);
        at::Tensor scratchX, scratchY;
        if (!direct) {
            scratchX = at::empty_like(stream);
            scratchY = at::empty_like(stream);
        }
        for (std::int64_t row = 0; row < n; row += step) {
            throwIfStopped();
            const auto began = Clock::now();
            const std::int64_t rows = std::min(step, n - row);
            at::Tensor hidden = stream.narrow(0, 0, rows);
            hidden.copy_(m_hidden.narrow(0, row, rows));
            at::Tensor in = direct ? x.narrow(0, row, rows) : scratchX.narrow(0, 0, rows);
            at::Tensor out = direct ? y.narrow(0, row, rows) : scratchY.narrow(0, 0, rows);
            block.attend(hidden, in, m_workspace);
            block.feedForward(in, out, m_workspace);
            if (x.defined() && !direct) {
                x.narrow(0, row, rows).copy_(in);
                y.narrow(0, row, rows).copy_(out);
            }
            if (onwards) {
                block.add(out, hidden);
                next.narrow(0, row, rows).copy_(hidden);
            }
            m_meter.rate(rows, secondsSince(began));
            m_meter.done(static_cast<double>(rows));
        }
        if (onwards)
            m_hidden = next;
    }

    // Rows like the hidden ones, of one block at a time.
    at::Tensor passing() const {
        const std::int64_t n = m_hidden.size(0), d = m_hidden.size(1);
        return m_files ? passingRows(m_files->folder, n, d) : at::empty({n, d}, at::kFloat);
    }

    // Where the states behind the next block are to lie.
    model::RowStore& nextRows() {
        if (m_stateFiles && !m_cannotKeep)
            return *m_stateFiles;
        return m_inMemory;
    }

    // Passes on what the study of one block tells.
    class Listener : public StudyListener {
      public:
        Listener(Sweep& sweep, int block, Clock::time_point began)
            : m_sweep(sweep), m_block(block), m_began(began) {}
        void stage(const std::string& name) override {
            m_sweep.throwIfStopped();
            m_sweep.m_meter.stage("block " + std::to_string(m_block) + ": " + name, m_block);
        }
        void worked(double rows) override {
            m_sweep.throwIfStopped();
            m_sweep.m_meter.done(rows);
        }
        void trained(const TrainingPoint& point) override { m_sweep.m_observer.trained(point); }
        void found(const BlockResult& result) override {
            auto& blocks = m_sweep.m_run.blocks;
            if (blocks.empty() || blocks.back().block != m_block)
                blocks.emplace_back();
            blocks.back() = result;
            blocks.back().seconds = secondsSince(m_began);
            m_sweep.m_observer.blockFinished(blocks.back());
        }

      private:
        Sweep& m_sweep;
        int m_block;
        Clock::time_point m_began;
    };

    BlockStudy studyRows(const model::Block& block, int index, const at::Tensor& x, const at::Tensor& y,
                         const at::Tensor& before, Clock::time_point began) {
        const replacement::OwnFfn ffn(block);
        BlockRows rows{.block = index, .x = x, .y = y, .ids = m_ids, .ranks = &m_ranks, .ffn = &ffn};
        if (before.defined())
            rows.healer = [&] {
                return std::make_unique<replacement::Healer>(*m_decoder, index, m_windows, before);
            };
        Listener listener(*this, index, began);
        BlockStudy study = studyBlock(rows, m_settings, m_cost, m_shape.isResidual(index), listener);
        if (m_files && study.result.failure.empty())
            tryToKeep("the fitted maps", [&] { saveMaps(study, m_files->folder); });
        return study;
    }

    void advance(std::optional<SwappedWalk>& walk, const model::Block& block, int index,
                 const std::vector<std::shared_ptr<const replacement::Layer>>& swaps) {
        if (!walk)
            return;
        m_meter.stage(
            "block " + std::to_string(index) + ": " + std::to_string(walk->states()) + " swapped models",
            index);
        walk->advance(block, swaps, m_workspace, nextRows(), [&](std::int64_t rows) {
            throwIfStopped();
            m_meter.done(static_cast<double>(rows));
        });
    }

    // --- perplexity
    // ----------------------------------------------------------------------------------------------------

    // The states stand behind the last block: from each its losses, and from them what the swaps cost.
    void takePerplexities() {
        const model::LanguageHead head(m_decoder->reader(), m_decoder->architecture(), m_device);
        const auto losses = [&](SwappedWalk& walk, const std::string& of) {
            m_meter.stage("perplexity: " + std::to_string(walk.states()) + " models on the " + of);
            const double work =
                m_cost.headWork() * static_cast<double>(walk.rows()) * static_cast<double>(walk.states());
            std::vector<at::Tensor> all = walk.windowLosses(head, [&](double share) {
                throwIfStopped();
                m_meter.done(work * share);
            });
            for (at::Tensor& each : all)
                each = m_ranks.gather(each);
            return all;
        };
        const std::vector<at::Tensor> evaluation = losses(*m_evaluation, "evaluation text");
        const replacement::Perplexity base = replacement::perplexity(evaluation.front());
        if (!std::isfinite(base.value)) {
            note("the model's own perplexity is not finite: swaps cannot be compared with it");
            return;
        }
        m_run.basePpl = base.value;
        if (std::isfinite(base.standardError))
            m_run.basePplSe = base.standardError;
        setSwapCosts(m_run, evaluation,
                     m_tail ? losses(*m_tail, "capture text's tail") : std::vector<at::Tensor>());
        for (const BlockResult& block : m_run.blocks)
            m_observer.blockFinished(block);
    }

    // --- what outlives the run
    // -----------------------------------------------------------------------------------------

    // What the state on disk belongs to: the same model, text and settings, down to the number of threads, on
    // which the order of sums may depend.
    std::string fingerprint() const {
        const RunHeader& h = m_run.header;
        return h.modelHeaderHash + '/' + std::to_string(h.modelBytes) + '/' +
               std::to_string(h.modelModified) + '/' + h.textHash + '/' + h.evaluationHash + '/' +
               std::to_string(h.rows) + '/' + std::to_string(h.evaluationWindows) + '/' +
               toJson(m_settings).dump() + '/' + std::to_string(at::get_num_threads()) + '/' +
               STRAIGHTEDGE_VERSION;
    }

    void saveState(int nextBlock) {
        if (!m_stateFiles)
            return;
        SweepState state{nextBlock, m_hidden, {}, {}};
        if (m_evaluation)
            state.evaluation = m_evaluation->hidden();
        if (m_tail)
            state.tail = m_tail->hidden();
        tryToKeep("its state", [&] { m_stateFiles->save(state, fingerprint()); });
    }

    // A full disk makes the run one that cannot be resumed, not one that failed.
    template <typename Write>
    void tryToKeep(const char* what, Write write) {
        if (m_cannotKeep)
            return;
        try {
            write();
        } catch (const Error& error) {
            m_cannotKeep = true;
            m_stateFiles->remove();
            note(std::string("the run goes on but cannot be resumed: ") + what + " could not be written\n" +
                 error.what());
        }
    }

    // -------------------------------------------------------------------------------------------------------------------

    void throwIfStopped() const {
        if (m_stop.stop_requested())
            throw Cancelled();
    }

    void note(std::string text) {
        m_observer.noted(text);
        m_run.notes.push_back(std::move(text));
    }

    const linearity::Ranks& m_ranks;
    const StudySettings& m_settings;
    std::stop_token m_stop;
    Observer& m_observer;
    const RunFiles* m_files;
    Run& m_run;
    ProgressMeter m_meter;
    at::Device m_device;
    model::Workspace m_workspace;

    std::unique_ptr<model::Decoder> m_decoder;
    // All of the text's until prepare() has dealt them, then this rank's.
    text::Windows m_windows, m_evaluationWindows, m_tailWindows;
    bool m_walksEvaluation = false, m_walksTail = false;  // whether any rank has windows of it
    RunShape m_shape;
    at::Tensor m_ids;  // of the capture rows, [n] int64
    StudyCost m_cost;
    int m_first = 0;                              // block to begin with
    std::optional<SweepStateFiles> m_stateFiles;  // before all rows, which may lie in them
    model::MemoryRows m_inMemory;
    at::Tensor m_hidden;  // of the capture windows, [n, d]
    std::optional<SwappedWalk> m_evaluation, m_tail;
    bool m_cannotKeep = false;
};

}  // namespace

Run measure(const StudySettings& settings, std::stop_token stop, Observer& observer, const RunFiles* files,
            const linearity::Ranks* ranks) {
    const c10::InferenceMode noGradients;
    const auto start = Clock::now();
    keepBuffers();
    useThreads(settings.threads);
    Run run;
    run.header.settings = settings;
    run.header.programVersion = STRAIGHTEDGE_VERSION;
    run.header.started = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    try {
        Sweep(settings, std::move(stop), observer, files, ranks ? *ranks : linearity::Ranks::alone(), run)
            .run();
        run.state = RunState::Finished;
    } catch (const Cancelled&) {
        run.state = RunState::Cancelled;
    } catch (const c10::Error& error) {
        throw Error({.what = "a computation failed", .found = error.what_without_backtrace()});
    } catch (const std::bad_alloc&) {
        throw Error({.what = "memory is exhausted",
                     .advice = "measure fewer tokens or blocks, or close other programs"});
    }
    run.seconds = secondsSince(start);
    return run;
}

}  // namespace straightedge::study
