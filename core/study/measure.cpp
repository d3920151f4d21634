// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure.h"

#include <QDateTime>
#include <new>

#include "error.h"
#include "linearity/linear_profile.h"
#include "model/decoder.h"
#include "model_files.h"
#include "progress.h"

namespace straightedge::study {

namespace {

using Clock = std::chrono::steady_clock;

double secondsSince(Clock::time_point start)
{
    return std::chrono::duration<double>(Clock::now() - start).count();
}

// Rows that go through a block together: few enough for the wide middle layer to stay in the outer cache.
constexpr std::int64_t chunkRows = 1024;

void throwIfStopped(const std::stop_token& stop)
{
    if (stop.stop_requested())
        throw Cancelled();
}

// What a c10 error says without its C++ backtrace.
Error fromTorch(const c10::Error& error)
{
    return Error({.what = "a computation failed", .found = error.what_without_backtrace()});
}

MetricValues valuesOf(const linearity::LinearProfile& profile)
{
    const auto whole = [](std::int64_t count) { return static_cast<double>(count); };
    MetricValues values;
    values.set(Metric::Rows, whole(profile.rows));
    values.set(Metric::RowsTrain, whole(profile.head));
    values.set(Metric::R2Lin, profile.published.r2);
    values.set(Metric::R2LinCentred, profile.published.r2Centred);
    values.set(Metric::Rmse, profile.published.rmse);
    values.set(Metric::RelMse, profile.published.relMse);
    values.set(Metric::Cosine, profile.published.cosine);
    values.set(Metric::FeatureR2Median, profile.published.featureMedian);
    values.set(Metric::FeatureR2Mean, profile.published.featureMean);
    values.set(Metric::ConstantFeatures, whole(profile.published.constantFeatures));
    values.set(Metric::Rank, whole(profile.fit.rank));
    values.set(Metric::Condition, profile.fit.condition);
    values.set(Metric::MassiveRows, whole(profile.massive.count));
    values.set(Metric::MassiveShare, profile.massive.share);
    values.set(Metric::R2Typical, profile.typical.r2);
    values.set(Metric::R2TypicalCentred, profile.typical.r2Centred);
    values.set(Metric::R2LinOnTypical, profile.publishedOnTypical.r2);
    return values;
}

// One run of the layer-major sweep: all windows through one block, then the next.
class Sweep {
  public:
    Sweep(const StudySettings& settings, std::stop_token stop, Observer& observer)
        : m_settings(settings), m_stop(std::move(stop)), m_observer(observer)
    {
    }

    void run(Run& run)
    {
        prepare(run);
        const int last = m_wanted.back();
        ProgressMeter meter(m_observer, last + 1);
        meter.stage("embedding");
        at::Tensor hidden = m_decoder->embed(m_windows);
        at::Tensor x, y;  // the rows to measure, of one block at a time
        for (int index = 0; index <= last; ++index) {
            const auto start = Clock::now();
            const bool wanted = std::ranges::binary_search(m_wanted, index);
            if (wanted && !x.defined()) {
                x = at::empty_like(hidden);
                y = at::empty_like(hidden);
            }
            pass(index, index < last, hidden, wanted ? x : at::Tensor(), y, meter);
            if (!wanted)
                continue;
            throwIfStopped(m_stop);
            meter.at(index, 0.85, "block " + std::to_string(index) + ": fit");
            BlockResult result = fit(index, x, y);
            result.seconds = secondsSince(start);
            run.blocks.push_back(result);
            m_observer.blockFinished(result);
        }
    }

  private:
    void note(Run& run, std::string text)
    {
        run.notes.push_back(text);
        m_observer.noted(text);
    }

    void prepare(Run& run)
    {
        RunHeader& header = run.header;
        ProgressMeter meter(m_observer, 1);
        meter.stage("reading the model");
        std::shared_ptr<const checkpoint::Checkpoint> files = checkpoint::Checkpoint::open(m_settings.model);
        m_decoder = std::make_unique<model::Decoder>(files);
        const model::Architecture& model = m_decoder->architecture();
        m_decoder->checkWindowLength(m_settings.seqLen);
        m_wanted = m_settings.blocks.resolve(static_cast<int>(model.blocks));
        const auto tokenizer = tokenizerOf(*files);

        meter.stage("reading the text");
        const text::Corpus corpus = text::readCorpus(m_settings.corpus, m_settings.evaluationCorpus);
        throwIfStopped(m_stop);
        meter.stage("tokenizing");
        m_windows = text::cutWindows(*tokenizer, corpus.capture, m_settings.seqLen, m_settings.tokens);
        throwIfStopped(m_stop);

        const checkpoint::FileIdentity identity = files->identity();
        header.model = modelName(*files);
        header.corpus = corpus.name;
        header.family = model.family->name;
        header.activation = model.activationName();
        header.site = model.family->site;
        header.modelBlocks = static_cast<int>(model.blocks);
        header.width = model.width;
        header.ffnParameters = m_decoder->reader().ffnParameters();
        header.modelParameters = m_decoder->reader().modelParameters();
        header.modelPath = identity.path.string();
        header.modelBytes = identity.bytes;
        header.modelModified = identity.modified;
        header.modelHeaderHash = identity.headerHash;
        header.textHash = corpus.captureFile.hash;
        header.tokenizer = tokenizer->description();
        header.rows = m_windows.tokens();
        header.rowsTrain = linearity::headRows(header.rows);
        header.tooFewRows = header.rowsTrain < 2 * (model.width + 1);
        m_observer.started(header);

        for (const std::string& text : model.notes)
            note(run, text);
        if (m_windows.count < m_settings.tokens / m_settings.seqLen)
            note(run, "the text gave " + std::to_string(header.rows) + " tokens of the " +
                          std::to_string(m_settings.tokens) + " asked for");
        if (header.tooFewRows)
            note(run, "too few rows: " + std::to_string(header.rowsTrain) + " to fit with where at least " +
                          std::to_string(2 * (model.width + 1)) + " are wanted; a fit on so few overfits");
        if (model.family->position == model::PositionKind::Rotary && model.maxPositions > 0 &&
            m_settings.seqLen > model.maxPositions)
            note(run, "windows are longer than the " + std::to_string(model.maxPositions) +
                          " tokens that the model was made for");
    }

    // All rows through one block. x and y keep the FFN's input and output where x is defined.
    void pass(int index, bool onwards, at::Tensor& hidden, const at::Tensor& x, const at::Tensor& y, ProgressMeter& meter)
    {
        const std::string stage = "block " + std::to_string(index) + ": windows";
        meter.at(index, 0, stage);
        const model::Block block = m_decoder->block(index, m_windows.length);
        m_decoder->reader().forgetBlock(index);
        const std::int64_t step = std::max<std::int64_t>(1, chunkRows / m_windows.length) * m_windows.length;
        at::Tensor scratchX, scratchY;
        if (!x.defined()) {
            scratchX = at::empty({std::min(step, hidden.size(0)), hidden.size(1)}, at::kFloat);
            scratchY = at::empty_like(scratchX);
        }
        for (std::int64_t row = 0; row < hidden.size(0); row += step) {
            throwIfStopped(m_stop);
            const auto start = Clock::now();
            const std::int64_t rows = std::min(step, hidden.size(0) - row);
            at::Tensor h = hidden.narrow(0, row, rows);
            at::Tensor in = x.defined() ? x.narrow(0, row, rows) : scratchX.narrow(0, 0, rows);
            at::Tensor out = x.defined() ? y.narrow(0, row, rows) : scratchY.narrow(0, 0, rows);
            block.attend(h, in, m_workspace);
            block.feedForward(in, out, m_workspace);
            if (onwards)
                block.add(out, h);
            meter.passed(rows, secondsSince(start));
            meter.at(index, 0.85 * static_cast<double>(row + rows) / static_cast<double>(hidden.size(0)), stage);
        }
    }

    BlockResult fit(int index, const at::Tensor& x, const at::Tensor& y)
    {
        BlockResult result{.block = index, .values = {}};
        try {
            result.values = valuesOf(linearity::linearProfile(x, y));
        } catch (const Error& error) {
            result.failure = error.what();
        } catch (const c10::Error& error) {
            result.failure = fromTorch(error).what();
        }
        return result;
    }

    const StudySettings& m_settings;
    std::stop_token m_stop;
    Observer& m_observer;
    std::unique_ptr<model::Decoder> m_decoder;
    text::Windows m_windows;
    std::vector<int> m_wanted;
    model::Workspace m_workspace;
};

}  // namespace

Run measure(const StudySettings& settings, std::stop_token stop, Observer& observer)
{
    const c10::InferenceMode noGradients;
    const auto start = Clock::now();
    at::set_num_threads(settings.threads > 0 ? settings.threads : static_cast<int>(std::thread::hardware_concurrency()));

    Run run;
    run.header.settings = settings;
    run.header.programVersion = STRAIGHTEDGE_VERSION;
    run.header.started = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    try {
        Sweep(settings, std::move(stop), observer).run(run);
        run.state = RunState::Finished;
    } catch (const Cancelled&) {
        run.state = RunState::Cancelled;
    } catch (const c10::Error& error) {
        throw fromTorch(error);
    } catch (const std::bad_alloc&) {
        throw Error({.what = "memory is exhausted", .advice = "measure fewer tokens, or close other programs"});
    }
    run.seconds = secondsSince(start);
    return run;
}

}  // namespace straightedge::study
