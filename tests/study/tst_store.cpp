// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QProcess>
#include <QSqlDatabase>
#include <QSqlError>
#include <QSqlQuery>
#include <QTemporaryDir>
#include <QTest>
#include <QUuid>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <thread>

#include "error.h"
#include "study/store/recorded_run.h"
#include "study/store/run_files.h"
#include "study/store/run_json.h"
#include "study/store/store.h"

using namespace straightedge;
using namespace straightedge::study;

namespace {

constexpr const char* childVariable = "STRAIGHTEDGE_TEST_CHILD_STORE";

ReplacementResult replacementOf(ReplacementKind kind, double seed) {
    return {.kind = kind,
            .parameters = 590'592,
            .r2 = seed,
            .r2Centred = -seed / 3,
            .rmse = seed * 1e-300,
            .cosine = std::nextafter(1.0, 0.0),
            .tailDppl = std::numeric_limits<double>::denorm_min(),
            .dppl = std::numeric_limits<double>::max(),
            .dpplSe = 0.1 + 0.2,
            .kept = true};
}

BlockResult blockOf(int number) {
    BlockResult block{.block = number, .values = {}, .failure = "a \"failure\"\nwith ümlauts, € and \t tabs"};
    for (const MetricInfo& metric : metrics())
        block.values.set(metric.metric, metric.whole
                                            ? 14'976 + number
                                            : std::sqrt(2.0 + number + static_cast<int>(metric.metric)));
    block.values.set(Metric::R2Typical, std::nullopt);
    for (const ReplacementInfo& kind : replacements())
        block.replacements.push_back(replacementOf(kind.kind, std::cbrt(3.0 + number)));
    block.replacements.push_back({.kind = ReplacementKind::Switched});  // all undefined
    block.seconds = 1.0 / 3;
    return block;
}

// Nothing in it has its default value.
Run fullRun() {
    Run run;
    run.header = {.model = "SmolLM2 \"135M\"",
                  .corpus = "Shakespeare’s.txt",
                  .family = "llama",
                  .activation = "silu-gated",
                  .site = "what comes out of the norm",
                  .modelBlocks = 30,
                  .width = 576,
                  .ffnParameters = 2'654'208,
                  .modelParameters = 134'515'008,
                  .modelPath = "/models/smöl.gguf",
                  .modelBytes = std::numeric_limits<std::uint64_t>::max(),
                  .modelModified = -1,
                  .modelHeaderHash = "abc",
                  .textHash = "def",
                  .evaluationHash = "0123",
                  .tokenizer = "byte-level BPE",
                  .programVersion = "9.9.9",
                  .started = "2025-03-01T14:05:06Z",
                  .settings = {},
                  .rows = 14'976,
                  .rowsTrain = 11'981,
                  .evaluationWindows = 120,
                  .tooFewRows = true};
    StudySettings& settings = run.header.settings;
    settings.model = "/models/smöl.gguf";
    settings.corpus = "/texts/a b.txt";
    settings.evaluationCorpus = "/texts/c.txt";
    settings.tokens = 12'345'678'901;
    settings.seqLen = 64;
    settings.blocks = BlockSelection::parse("0,3-5");
    settings.threads = 3;
    settings.perplexity = settings.balanced = settings.switched = true;
    settings.evaluationBatches = 50;
    run.state = RunState::Finished;
    run.blocks = {blockOf(0), blockOf(3)};
    run.basePpl = 24.310000000000002;
    run.basePplSe = 0.1;
    run.notes = {"one", "two\nlines"};
    run.failure = "none, really";
    run.seconds = 20.25;
    return run;
}

RunHeader headerNamed(const char* model) {
    RunHeader header;
    header.model = model;
    return header;
}

// Statements of SQL on a file that no Store has open, and what the last of them gives.
QVariant execute(const std::filesystem::path& file, const QStringList& statements) {
    const QString name = QUuid::createUuid().toString();
    QVariant value;
    {
        QSqlDatabase database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), name);
        database.setDatabaseName(QString::fromStdString(file.string()));
        if (!database.open())
            throw std::runtime_error("cannot open " + file.string());
        QSqlQuery query(database);
        for (const QString& statement : statements)
            if (!query.exec(statement))
                throw std::runtime_error(query.lastError().text().toStdString());
        if (query.next())
            value = query.value(0);
    }
    QSqlDatabase::removeDatabase(name);
    return value;
}

QByteArray contentOf(const std::filesystem::path& path) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

bool write(const std::filesystem::path& path, const QByteArray& content) {
    QFile file(QString::fromStdString(path.string()));
    return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
}

// The message with which opening the store fails; empty when it does not.
std::string refusal(const std::filesystem::path& folder) {
    try {
        const Store store(folder);
        store.runs();
        return {};
    } catch (const Error& error) {
        return error.what();
    }
}

StudySettings tinySettings() {
    StudySettings settings;
    settings.model = std::filesystem::path(TEST_DATA) / "tiny" / "llama";
    settings.corpus = std::filesystem::path(TEST_DATA) / "text.txt";
    settings.tokens = 2400;
    settings.seqLen = 32;
    return settings;
}

// Does something after so many calls for blocks.
struct AtBlock : Observer {
    AtBlock(int count, std::function<void()> action) : left(count), act(std::move(action)) {}
    int left;
    std::function<void()> act;
    std::vector<std::string> notes;

    void blockFinished(const BlockResult&) override {
        if (--left == 0)
            act();
    }
    void noted(const std::string& note) override { notes.push_back(note); }
};

}  // namespace

class TestStore : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_home;

    std::filesystem::path folder() const {
        return std::filesystem::path(m_home->path().toStdString()) / "deep" / "störe";
    }
    std::filesystem::path database() const { return folder() / "runs.sqlite"; }

  private Q_SLOTS:
    void init() { m_home = std::make_unique<QTemporaryDir>(); }

    // The child of processThatIsKilled(): stores two blocks and waits for its end.
    void child() {
        if (!qEnvironmentVariableIsSet(childVariable))
            QSKIP("the other half of another test");
        Store store(qEnvironmentVariable(childVariable).toStdString());
        const std::string id = store.begin(fullRun().header);
        store.saveBlock(id, blockOf(0));
        store.saveBlock(id, blockOf(3));
        std::this_thread::sleep_for(std::chrono::minutes(2));
    }

    void everyFieldComesBack() {
        const Run run = fullRun();
        QVERIFY(runFromJson(nlohmann::json::parse(toJson(run).dump())) == run);
        std::string id;
        {
            Store store(folder());
            id = store.begin(run.header);
            for (const BlockResult& block : run.blocks)
                store.saveBlock(id, block);
            store.finish(id, run);
        }
        const StoredRun stored = Store(folder()).run(id);
        QVERIFY(stored.run.header == run.header);
        QVERIFY(stored.run == run);
        QCOMPARE(stored.id, id);
        QVERIFY(stored.name.empty() && !stored.hidden && !stored.resumable);
    }

    // Any finite double at all.
    void doublesComeBackExactly() {
        std::mt19937_64 random(1);
        for (int i = 0; i < 20'000; ++i) {
            const auto value = std::bit_cast<double>(random());
            if (!std::isfinite(value))
                continue;
            const ReplacementResult row{.kind = ReplacementKind::Linear, .dppl = value};
            const auto back = replacementFromJson(nlohmann::json::parse(toJson(row).dump()));
            QCOMPARE(std::bit_cast<std::uint64_t>(*back.dppl), std::bit_cast<std::uint64_t>(value));
        }
    }

    void undefinedIsNull() {
        const auto json = toJson(BlockResult{.block = 1, .values = {}, .replacements = {{}}});
        QVERIFY(json["r2_lin"].is_null());
        QVERIFY(json["replacements"][0]["dppl"].is_null());
        QVERIFY(toJson(Run{})["base_ppl"].is_null());
        QCOMPARE(json["replacements"][0]["replacement"].get<std::string>(), std::string("linear"));
    }

    void wrongValuesAreRefused_data() {
        QTest::addColumn<QString>("json");
        for (const char* json :
             {R"({"state": "dancing"})", R"({"state": 3})", R"({"seconds": "long"})", R"({"blocks": {}})",
              R"({"blocks": [3]})", R"({"blocks": [{"block": 1e300}]})",
              R"({"blocks": [{"block": 3000000000}]})", R"({"blocks": [{"r2_lin": []}]})",
              R"({"blocks": [{"replacements": [{"replacement": "magic"}]}]})",
              R"({"settings": {"tokens": 2.5}})", R"({"settings": {"blocks": "a-b"}})",
              R"({"model_file": {"bytes": -1}})", R"({"too_few_rows": 1})", R"({"notes": [1]})", "[]"})
            QTest::newRow(json) << json;
    }
    void wrongValuesAreRefused() {
        QFETCH(QString, json);
        QVERIFY_THROWS_EXCEPTION(Error, runFromJson(nlohmann::json::parse(json.toStdString())));
    }

    void newestComesLastAndBlocksInDepthOrder() {
        Store store(folder());
        const std::string first = store.begin(headerNamed("first")),
                          second = store.begin(headerNamed("second"));
        for (const int number : {5, 0, 3})
            store.saveBlock(first, blockOf(number));
        BlockResult again = blockOf(3);
        again.values.set(Metric::Dppl, 7.5);
        store.saveBlock(first, again);
        const auto runs = store.runs();
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[0].id, first);
        QCOMPARE(runs[1].id, second);
        QCOMPARE(runs[0].run.state, RunState::Running);
        QVERIFY(runs[0].run.blocks == (std::vector{blockOf(0), again, blockOf(5)}));
        QVERIFY(runs[1].run.blocks.empty());
    }

    void runsAreRenamedHiddenAndRemoved() {
        Store store(folder());
        const std::string kept = store.begin({}), gone = store.begin({});
        store.finish(kept, fullRun());
        store.finish(gone, fullRun());
        store.saveBlock(gone, blockOf(1));
        store.rename(kept, "Robert'); DROP TABLE runs; -- ½");
        store.setHidden(kept, true);
        QVERIFY(write(store.runFolder(gone) / "block-0.safetensors", "maps"));
        store.remove(gone);
        const auto runs = store.runs();
        QCOMPARE(runs.size(), 1U);
        QCOMPARE(runs[0].name, std::string("Robert'); DROP TABLE runs; -- ½"));
        QVERIFY(runs[0].hidden);
        QVERIFY(!std::filesystem::exists(folder() / "runs" / gone));
        QCOMPARE(execute(database(), {"SELECT count(*) FROM blocks"}).toInt(), 0);
        for (const auto& work : std::initializer_list<std::function<void()>>{
                 [&] { store.remove(gone); }, [&] { store.rename(gone, ""); }, [&] { store.run(gone); },
                 [&] { store.saveBlock(gone, {}); }, [&] { store.finish(gone, {}); }, [&] { store.run(""); }})
            QVERIFY_THROWS_EXCEPTION(Error, work());
    }

    void runsAreFoundByTheBeginningOfTheirId() {
        Store store(folder());
        execute(database(), {"INSERT INTO runs (id, record) VALUES ('abcd1111', '{}'), ('abcd2222', '{}')"});
        QCOMPARE(store.find("abcd1"), std::string("abcd1111"));
        QCOMPARE(store.find("abcd2222"), std::string("abcd2222"));
        for (const char* beginning : {"", "abc", "abcd", "abce", "%%%%", "____", "abcd11111"})
            QVERIFY_THROWS_EXCEPTION(Error, store.find(beginning));
    }

    void twoThreadsWriteAtOnce() {
        constexpr int blocks = 40;
        std::atomic<int> failures = 0;
        const auto work = [&] {
            try {
                Store store(folder());  // both make it
                const std::string id = store.begin(fullRun().header);
                for (int i = 0; i < blocks; ++i) {
                    store.saveBlock(id, blockOf(i));
                    store.runs();
                }
                store.finish(id, fullRun());
            } catch (const std::exception& error) {
                qWarning() << error.what();
                ++failures;
            }
        };
        std::thread one(work), other(work);
        one.join();
        other.join();
        QCOMPARE(failures.load(), 0);
        const auto runs = Store(folder()).runs();
        QCOMPARE(runs.size(), 2U);
        for (const StoredRun& run : runs) {
            QCOMPARE(run.run.blocks.size(), static_cast<std::size_t>(blocks));
            QCOMPARE(run.run.state, RunState::Finished);
            QVERIFY(run.run.blocks.back() == blockOf(blocks - 1));
        }
    }

    // As version 1 wrote it.
    void olderStoreIsBroughtUpToDate() {
        std::filesystem::create_directories(folder());
        execute(
            database(),
            {"CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL)",
             "CREATE TABLE blocks (run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE, block "
             "INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (run, block)) WITHOUT ROWID",
             R"(INSERT INTO runs VALUES (7, 'old-run', '{"model": "gpt2", "state": "finished"}'))",
             R"(INSERT INTO blocks VALUES (7, 2, '{"block": 2, "r2_lin": 0.30000000000000004}'))",
             "PRAGMA user_version = 1"});
        Store store(folder());
        store.rename("old-run", "mine");
        store.setHidden("old-run", true);
        const StoredRun run = store.run("old-run");
        QCOMPARE(run.name, std::string("mine"));
        QVERIFY(run.hidden);
        QCOMPARE(run.run.header.model, std::string("gpt2"));
        QCOMPARE(run.run.state, RunState::Finished);
        QCOMPARE(run.run.blocks.at(0).values[Metric::R2Lin], 0.1 + 0.2);
        QCOMPARE(execute(database(), {"PRAGMA user_version"}).toInt(), 2);
        QVERIFY(store.begin({}) != run.id);
    }

    // A migration that fails leaves the older store as it was.
    void brokenMigrationChangesNothing() {
        std::filesystem::create_directories(folder());
        execute(database(),
                {"CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT, record TEXT, hidden INTEGER)",
                 "PRAGMA user_version = 1"});
        QVERIFY(!refusal(folder()).empty());
        QCOMPARE(execute(database(), {"PRAGMA user_version"}).toInt(), 1);
        QCOMPARE(execute(database(), {"SELECT count(*) FROM pragma_table_info('runs') WHERE name = 'name'"})
                     .toInt(),
                 0);
    }

    void newerStoreIsRefused() {
        { const Store store(folder()); }
        execute(database(), {"PRAGMA user_version = 99"});
        const std::string message = refusal(folder());
        QVERIFY2(message.find("newer") != std::string::npos && message.find("99") != std::string::npos &&
                     message.find("runs.sqlite") != std::string::npos,
                 message.c_str());
        QCOMPARE(execute(database(), {"PRAGMA user_version"}).toInt(), 99);
    }

    void damagedFileIsRefused_data() {
        QTest::addColumn<bool>("inTheMiddle");
        QTest::newRow("not a database") << false;
        QTest::newRow("pages overwritten") << true;
    }
    void damagedFileIsRefused() {
        QFETCH(bool, inTheMiddle);
        {
            Store store(folder());
            for (int i = 0; i < 20; ++i)
                store.finish(store.begin(fullRun().header), fullRun());
        }
        execute(database(), {"PRAGMA wal_checkpoint(TRUNCATE)"});
        QByteArray content = contentOf(database());
        QVERIFY(content.size() > 20'000);
        const int from = inTheMiddle ? 4096 : 0;
        content.replace(from, 8000, QByteArray(8000, 'x'));
        QVERIFY(write(database(), content));
        const std::string message = refusal(folder());
        QVERIFY2(message.find("the store is damaged") != std::string::npos &&
                     message.find("runs.sqlite") != std::string::npos,
                 message.c_str());
    }

    void damagedRecordHidesNoOther() {
        Store store(folder());
        const std::string damaged = store.begin({}), sound = store.begin(headerNamed("sound"));
        store.saveBlock(sound, blockOf(0));
        store.finish(sound, fullRun());
        execute(database(), {QStringLiteral("UPDATE runs SET record = '{oops' WHERE id = '%1'")
                                 .arg(QString::fromStdString(damaged))});
        const auto runs = store.runs();
        QCOMPARE(runs.size(), 2U);
        QCOMPARE(runs[0].run.state, RunState::Failed);
        QVERIFY(!runs[0].run.failure.empty());
        QCOMPARE(runs[1].run.blocks.size(), 1U);
        store.finish(damaged, {});
        store.remove(damaged);
        QCOMPARE(store.runs().size(), 1U);
    }

    void placesThatCannotBeWrittenAreRefused() {
        const std::filesystem::path home = m_home->path().toStdString();
        QVERIFY(write(home / "file", "x"));
        QVERIFY(refusal(home / "file").find("file") != std::string::npos);
        QVERIFY(refusal(home / "file" / "below").find("below") != std::string::npos);
        std::filesystem::create_directories(home / "taken" / "runs.sqlite");
        QVERIFY(refusal(home / "taken").find("cannot be opened for writing") != std::string::npos);
    }

    void readOnlyPlacesAreRefused() {
        { const Store store(folder()); }
        namespace fs = std::filesystem;
        constexpr auto writing = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
        fs::permissions(folder(), writing, fs::perm_options::remove);
        const bool mayAnyway = write(folder() / "probe", "x");  // root
        const std::string inFolder = refusal(folder());
        fs::permissions(folder(), fs::perms::owner_write, fs::perm_options::add);
        fs::permissions(database(), writing, fs::perm_options::remove);
        const std::string inFile = refusal(folder());
        if (mayAnyway)
            QSKIP("this user may write everywhere");
        QVERIFY2(inFolder.find("cannot be written") != std::string::npos, inFolder.c_str());
        QVERIFY2(inFile.find("cannot be opened for writing") != std::string::npos, inFile.c_str());
    }

    // Killed between two blocks: what was stored is there, and it shows that the run is not going on.
    void processThatIsKilledLeavesAnInterruptedRun() {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(childVariable, QString::fromStdString(folder().string()));
        process.setProcessEnvironment(environment);
        Store store(folder());
        process.start(QCoreApplication::applicationFilePath(), {"child"});
        QVERIFY(process.waitForStarted());
        QTRY_VERIFY_WITH_TIMEOUT(!store.runs().empty() && store.runs()[0].run.blocks.size() == 2, 30'000);
        const std::string id = store.runs()[0].id;
        QCOMPARE(store.run(id).run.state, RunState::Running);
        QVERIFY_THROWS_EXCEPTION(Error, store.resume(id));
        QVERIFY_THROWS_EXCEPTION(Error, store.remove(id));
        process.kill();
        QVERIFY(process.waitForFinished());

        StoredRun run = store.run(id);
        QCOMPARE(run.run.state, RunState::Interrupted);
        QVERIFY(run.run.header == fullRun().header);
        QVERIFY(run.run.blocks == (std::vector{blockOf(0), blockOf(3)}));
        QVERIFY(!run.resumable);  // the child has left no state
        QVERIFY(write(stateFile(store.runFolder(id)), "state"));
        QVERIFY(store.run(id).resumable);
        store.resume(id);
        QCOMPARE(store.run(id).run.state, RunState::Running);
        store.finish(id, fullRun());
        QCOMPARE(store.run(id).run.state, RunState::Finished);
    }

    void endOfTheObjectInterrupts() {
        std::string id;
        {
            Store store(folder());
            id = store.begin({});
            QCOMPARE(Store(folder()).run(id).run.state, RunState::Running);
        }
        QCOMPARE(Store(folder()).run(id).run.state, RunState::Interrupted);
    }

    void measuredRunIsStored() {
        Store store(folder());
        Observer quiet;
        std::string id;
        StudySettings settings = tinySettings();
        settings.perplexity = settings.balanced = true;
        settings.evaluationBatches = 4;
        const Run run = measureRecorded(settings, store, {}, quiet, &id);
        QCOMPARE(run.state, RunState::Finished);
        QCOMPARE(run.blocks.size(), 3U);
        QVERIFY(run.basePpl && run.blocks[2].replacements.at(2).dppl);
        QVERIFY(store.run(id).run == run);
        QVERIFY(std::filesystem::exists(store.runFolder(id) / "block-2.safetensors"));
        QVERIFY(!std::filesystem::exists(stateFile(store.runFolder(id))));
    }

    void failedRunIsStored() {
        Store store(folder());
        Observer quiet;
        std::string id;
        StudySettings settings = tinySettings();
        settings.model = "/nowhere/model.gguf";
        QVERIFY_THROWS_EXCEPTION(Error, measureRecorded(settings, store, {}, quiet, &id));
        const Run run = store.run(id).run;
        QCOMPARE(run.state, RunState::Failed);
        QCOMPARE(run.header.model, std::string("model"));
        QVERIFY(run.failure.find("/nowhere/model.gguf") != std::string::npos);
    }

    void cancelledRunIsResumed() {
        Store store(folder());
        Observer quiet;
        const Run whole = measure(tinySettings(), {}, quiet);
        std::stop_source stop;
        AtBlock stopper(2, [&] { stop.request_stop(); });
        std::string id;
        measureRecorded(tinySettings(), store, stop.get_token(), stopper, &id);
        const StoredRun part = store.run(id);
        QCOMPARE(part.run.state, RunState::Cancelled);
        QCOMPARE(part.run.blocks.size(), 2U);
        QVERIFY(part.resumable);
        const Run rest = resumeRecorded(id, store, {}, quiet);
        QCOMPARE(rest.state, RunState::Finished);
        const StoredRun stored = store.run(id);
        QVERIFY(stored.run == rest);
        QVERIFY(!stored.resumable);
        QCOMPARE(rest.blocks.size(), 3U);
        for (std::size_t i = 0; i < 3; ++i)
            QVERIFY(rest.blocks[i].values == whole.blocks[i].values);
    }

    // A store that breaks on the way costs a note, not the run.
    void brokenStoreIsANote() {
        Store store(folder());
        AtBlock breaker(1, [&] { execute(database(), {"DROP TABLE blocks"}); });
        const Run run = measureRecorded(tinySettings(), store, {}, breaker);
        QCOMPARE(run.state, RunState::Finished);
        QCOMPARE(run.blocks.size(), 3U);
        QCOMPARE(breaker.notes.size(), 1U);
        QVERIFY(run.notes == breaker.notes);
        QVERIFY(run.notes[0].find("no longer stored") != std::string::npos);
    }

    void folderIsWhereTheEnvironmentSays() {
        qputenv("STRAIGHTEDGE_STORE", "/some/where");
        QCOMPARE(storeFolder(), std::filesystem::path("/some/where"));
        qunsetenv("STRAIGHTEDGE_STORE");
        qputenv("XDG_DATA_HOME", "/data/home");
        QCOMPARE(storeFolder(), std::filesystem::path("/data/home/straightedge/store"));
        qunsetenv("XDG_DATA_HOME");
    }
};

QTEST_GUILESS_MAIN(TestStore)
#include "tst_store.moc"
