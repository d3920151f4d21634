// SPDX-License-Identifier: GPL-3.0-or-later
#include "recorded_run.h"

#include <QDateTime>

#include "checkpoint/mapped_file.h"
#include "error.h"
#include "study/model_files.h"

namespace straightedge::study {

namespace {

std::string notStored(const Error& error) {
    return std::string("the run goes on but is no longer stored: ") + error.what();
}

// Writes down what it hears, then passes it on.
class Recorder : public Observer {
  public:
    Recorder(Store& store, std::string id, Observer& listener)
        : m_store(store), m_id(std::move(id)), m_listener(listener) {}

    void started(const RunHeader& header) override {
        m_header = header;
        keep([&] { m_store.saveHeader(m_id, header); });
        m_listener.started(header);
    }
    void progressed(const Progress& progress) override { m_listener.progressed(progress); }
    void blockFinished(const BlockResult& block) override {
        keep([&] { m_store.saveBlock(m_id, block); });
        m_listener.blockFinished(block);
    }
    void noted(const std::string& note) override { m_listener.noted(note); }

    void finish(Run& run) {
        keep([&] { m_store.finish(m_id, run); });
        if (!m_trouble.empty())
            run.notes.push_back(m_trouble);
    }

    const RunHeader& header() const { return m_header; }
    void setHeader(const RunHeader& header) { m_header = header; }

  private:
    // After a first failure the store is left alone, so that what it holds is a beginning without gaps.
    template <typename Work>
    void keep(Work work) {
        if (!m_trouble.empty())
            return;
        try {
            work();
        } catch (const Error& error) {
            m_trouble = notStored(error);
            m_listener.noted(m_trouble);
        }
    }

    Store& m_store;
    std::string m_id;
    Observer& m_listener;
    RunHeader m_header;
    std::string m_trouble;
};

// Findable from any working folder; what is no file (yet) is left as it is.
StudySettings placed(StudySettings settings) {
    const auto place = [](std::filesystem::path& path) {
        std::error_code error;
        if (std::filesystem::exists(path, error))
            path = std::filesystem::absolute(path);
    };
    place(settings.model);
    place(settings.corpus);
    if (settings.evaluationCorpus)
        place(*settings.evaluationCorpus);
    return settings;
}

// What can be said of a run before its model has been read.
RunHeader firstHeader(const StudySettings& settings) {
    RunHeader header;
    header.model = modelName(settings.model);
    header.corpus = checkpoint::pathText(settings.corpus.filename());
    header.modelPath = checkpoint::pathText(settings.model);
    header.programVersion = STRAIGHTEDGE_VERSION;
    header.started = QDateTime::currentDateTimeUtc().toString(Qt::ISODate).toStdString();
    header.settings = settings;
    return header;
}

Run record(const RunHeader& header, const RunFiles& files, Store& store, const std::string& id,
           std::stop_token stop, Observer& observer, const linearity::Ranks* ranks) {
    Recorder recorder(store, id, observer);
    recorder.setHeader(header);
    Run run;
    try {
        run = measure(header.settings, std::move(stop), recorder, &files, ranks);
    } catch (const std::exception& failure) {
        run.header = recorder.header();
        run.state = RunState::Failed;
        run.failure = failure.what();
        recorder.finish(run);
        throw;
    }
    if (run.header.model.empty())  // stopped before the model was read
        run.header = recorder.header();
    recorder.finish(run);
    return run;
}

}  // namespace

Run measureRecorded(const StudySettings& settings, Store& store, std::stop_token stop, Observer& observer,
                    std::string* id, const linearity::Ranks* ranks) {
    const RunHeader header = firstHeader(placed(settings));
    std::string begun;
    try {
        begun = store.begin(header);
    } catch (const Error& error) {
        observer.noted(notStored(error));
        Run run = measure(settings, std::move(stop), observer, nullptr, ranks);
        run.notes.push_back(notStored(error));
        return run;
    }
    if (id)
        *id = begun;
    return record(header, {.folder = store.runFolder(begun)}, store, begun, std::move(stop), observer, ranks);
}

Run resumeRecorded(const std::string& id, Store& store, std::stop_token stop, Observer& observer) {
    store.resume(id);
    Run run = store.run(id).run;
    return record(run.header, {.folder = store.runFolder(id), .finished = std::move(run.blocks)}, store, id,
                  std::move(stop), observer, nullptr);
}

}  // namespace straightedge::study
