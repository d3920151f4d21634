// SPDX-License-Identifier: GPL-3.0-or-later
// Fetching from a server that behaves as the hub does, good days and bad ones; and side by side with
// huggingface_hub itself, which uses the same server and the same cache.
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <thread>

#include "cache_folder.h"
#include "error.h"
#include "fake_hub.h"
#include "hub/cache.h"
#include "hub/fetch.h"
#include "hub/file_lock.h"
#include "hub/known_texts.h"
#include "hub/unzip.h"
#include "study/inspect.h"
#include "study/models/find_models.h"

using namespace straightedge;
using namespace straightedge::hub;
namespace fs = std::filesystem;

namespace {

const QByteArray commitA(40, 'a'), commitB(40, 'b');
const std::string token = "hf_NeverToBeSeenAnywhere";

QByteArray tiny(const char* path) {
    return QByteArray::fromStdString(readFile(fs::path(TEST_DATA "/tiny") / path));
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// QVERIFY that shows the message when a part is not in it.
#define SAYS(message, part)                      \
    do {                                         \
        const std::string said = message;        \
        QVERIFY2(has(said, part), said.c_str()); \
    } while (false)

class Listener : public FetchObserver {
  public:
    std::function<void(const FetchProgress&)> onProgress;
    std::vector<std::string> notes;
    FetchProgress last;

    void progressed(const FetchProgress& progress) override {
        last = progress;
        if (onProgress)
            onProgress(progress);
    }
    void noted(const std::string& note) override { notes.push_back(note); }
};

}  // namespace

class TestFetch : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    std::unique_ptr<FakeHub> m_hub;
    Environment m_environment;
    Listener m_listener;
    const Patience m_patience{.retries = 2, .pause = std::chrono::milliseconds(1), .timeout = 5'000};

    FakeModel& model() { return m_hub->models["org/tiny"]; }
    fs::path folder() const { return m_environment.cache / "models--org--tiny"; }
    fs::path blob(const char* name) {
        return folder() / "blobs" / model().files.at(name).hash().toStdString();
    }
    fs::path part(const char* name) { return blob(name).string() + ".incomplete"; }
    Fault& fault(const char* name) { return m_hub->faults[name]; }
    // Where the content network answers for a large file.
    Fault& networkFault(const char* name) { return m_hub->faults[model().files.at(name).hash()]; }

    Fetched fetch(const std::string& what = "org/tiny", std::stop_token stop = {}) {
        return fetchModel(Repository::parse(what), m_environment, std::move(stop), m_listener, m_patience);
    }
    std::string errorOf(const std::string& what = "org/tiny") {
        try {
            fetch(what);
        } catch (const Error& error) {
            return error.what();
        }
        return {};
    }
    // Of GETs whose path ends so.
    std::vector<Seen> gets(const QByteArray& end) {
        std::vector<Seen> found;
        for (const Seen& seen : m_hub->seen())
            if (seen.method == "GET" && seen.path.split('?')[0].endsWith(end))
                found.push_back(seen);
        return found;
    }

  private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        m_hub = std::make_unique<FakeHub>();
        m_listener = {};
        m_environment = {};
        m_environment.cache = m_folder->path().toStdString() + "/hub";
        m_environment.endpoint = m_hub->endpoint();
        FakeModel& made = model();
        made.refs = {{"main", commitA}, {"v1", commitB}, {"refs/pr/1", commitB}};
        made.files = {{"config.json", {tiny("llama/config.json")}},
                      {"tokenizer.json", {tiny("llama/tokenizer.json")}},
                      {"model.safetensors", {tiny("llama/model.safetensors"), true}},
                      {"pytorch_model.bin", {"never wanted", true}},
                      {"README.md", {"# never wanted"}},
                      {".gitattributes", {"*"}}};
    }
    void cleanup() { m_hub.reset(); }

    void aModelIsFetchedWhole() {
        const Fetched fetched = fetch();
        QCOMPARE(fetched.commit, commitA.toStdString());
        QCOMPARE(fetched.model, folder() / "snapshots" / commitA.toStdString());
        const study::ModelSummary summary = study::inspect(fetched.model);
        QVERIFY2(summary.supported(), summary.problem.c_str());
        QCOMPARE(summary.name, std::string("org/tiny"));
        std::uint64_t bytes = 0;
        std::vector<std::string> names;
        for (const fs::directory_entry& entry : fs::directory_iterator(fetched.model)) {
            const std::string name = entry.path().filename().string();
            const FakeFile& file = model().files.at(QByteArray::fromStdString(name));
            QCOMPARE(fs::read_symlink(entry.path()), fs::path("../../blobs") / file.hash().toStdString());
            QCOMPARE(readFile(entry.path()), file.content.toStdString());
            bytes += static_cast<std::uint64_t>(file.content.size());
            names.push_back(name);
        }
        std::ranges::sort(names);
        QCOMPARE(names, (std::vector<std::string>{"config.json", "model.safetensors", "tokenizer.json"}));
        QCOMPARE(fetched.bytes, bytes);
        QCOMPARE(m_listener.last.done, bytes);
        QCOMPARE(m_listener.last.total, bytes);
        QCOMPARE(readFile(folder() / "refs/main"), commitA.toStdString());

        m_hub->forgetSeen();
        QCOMPARE(fetch().bytes, 0U);  // nothing again
        QVERIFY(gets("model.safetensors").empty() && gets("config.json").empty());
        const Fetched second = fetch("org/tiny@refs/pr/1");  // the same blobs for another commit
        QCOMPARE(second.bytes, 0U);
        QCOMPARE(readFile(folder() / "refs/refs/pr/1"), commitB.toStdString());
        QCOMPARE(findModel(m_environment.cache, Repository::parse("org/tiny@refs/pr/1")), second.model);
        fetch("org/tiny@" + commitB.toStdString());
        QVERIFY(!fs::exists(folder() / "refs" / commitB.toStdString()));
    }

    void shardsAreThoseOfTheIndex() {
        model().files.erase("model.safetensors");
        const QByteArray weights = tiny("llama/model.safetensors");
        model().files["model-00001-of-00002.safetensors"] = {weights, true};
        model().files["model-00002-of-00002.safetensors"] = {weights + "2", true};
        model().files["model-00001-of-00009.safetensors"] = {"of another set", true};
        model().files["model.safetensors.index.json"] = {
            "{\"weight_map\":{\"a\":\"model-00001-of-00002.safetensors\",\"b\":\"model-00002-of-00002."
            "safetensors\"}}"};
        const Fetched fetched = fetch();
        QVERIFY(fs::exists(fetched.model / "model-00002-of-00002.safetensors"));
        QVERIFY(!fs::exists(fetched.model / "model-00001-of-00009.safetensors"));
        model().files["model.safetensors.index.json"] = {"{\"weight_map\":{\"a\":\"../../../etc/passwd\"}}"};
        SAYS(errorOf("org/tiny@v1"), "the index names a file that the model does not have");
    }

    void binsComeWhereThereIsNothingElse() {
        model().files.erase("model.safetensors");
        const Fetched fetched = fetch();
        QVERIFY(fs::exists(fetched.model / "pytorch_model.bin"));
        model().files.erase("pytorch_model.bin");
        SAYS(errorOf("org/tiny@v1"), "no weights that can be read");
    }

    void oneGgufFileIsFetchedByName() {
        model().files = {{"a.Q4.gguf", {tiny("llama-q8_0.gguf"), true}}, {"a.F32.gguf", {"the other", true}}};
        const std::string message = errorOf();
        QVERIFY2(has(message, "no config.json") && has(message, "a.Q4.gguf"), message.c_str());
        const Fetched fetched = fetch("org/tiny/a.Q4.gguf");
        QCOMPARE(fetched.model.filename(), fs::path("a.Q4.gguf"));
        QVERIFY(study::inspect(fetched.model).supported());
        QVERIFY(gets("a.F32.gguf").empty());
        SAYS(errorOf("org/tiny/b.gguf"), "has no file 'b.gguf'");
    }

    void aCutConnectionGoesOnByRange() {
        networkFault("model.safetensors") = {.cutAfter = 1000, .times = 2};
        fault("/tokenizer.json") = {.cutAfter = 100, .times = 4};  // two requests of each connection
        const Fetched fetched = fetch();
        QVERIFY(study::inspect(fetched.model).supported());
        const auto large = gets(model().files["model.safetensors"].hash());
        QVERIFY(large.size() >= 3);  // more when a break came before anything of the answer
        QCOMPARE(large[0].range, QByteArray());
        QVERIFY2(large.back().range.startsWith("bytes="), large.back().range.constData());
        QVERIFY(!fs::exists(part("model.safetensors")));
    }

    void aConnectionThatAlwaysBreaksIsGivenUp() {
        networkFault("model.safetensors") = {.cutAfter = 0};
        const std::string message = errorOf();
        QVERIFY2(has(message, "the connection breaks again and again"), message.c_str());
        QVERIFY(!fs::exists(folder() / "snapshots"));                             // whole or not to be seen
        networkFault("model.safetensors") = {.cutAfter = 500, .noRanges = true};  // never farther than that
        SAYS(errorOf(), "again and again");
        QCOMPARE(fs::file_size(part("model.safetensors")), 500U);
        m_hub->faults.clear();
        m_hub->forgetSeen();
        QVERIFY(study::inspect(fetch().model).supported());
        QCOMPARE(gets(model().files["model.safetensors"].hash()).at(0).range, QByteArray("bytes=500-"));
    }

    void aServerWithoutRangesBeginsAnew() {
        writeFile(part("model.safetensors"),
                  model().files["model.safetensors"].content.left(300).toStdString());
        networkFault("model.safetensors") = {.noRanges = true};
        QVERIFY(study::inspect(fetch().model).supported());
    }

    void aWrongHashIsRefused() {
        QByteArray other = model().files["model.safetensors"].content;
        other[other.size() - 1] = static_cast<char>(other[other.size() - 1] ^ 1);
        networkFault("model.safetensors") = {.otherContent = other};
        const std::string message = errorOf();
        QVERIFY2(has(message, "the hash is wrong"), message.c_str());
        QVERIFY(!fs::exists(blob("model.safetensors")) && !fs::exists(part("model.safetensors")));
        QVERIFY(!fs::exists(folder() / "snapshots"));
        m_hub->faults.clear();
        fs::remove_all(m_environment.cache);
        QByteArray config = model().files["config.json"].content;
        config[5] = 'X';
        fault("/config.json") = {.otherContent = config};  // git's hash, of a small file
        SAYS(errorOf(), "the hash is wrong");
    }

    // What an earlier program left is wrong: found out, and fetched from the start.
    void aSpoiltBeginningIsFetchedAnew() {
        writeFile(part("model.safetensors"), std::string(700, 'x'));
        writeFile(part("config.json"), std::string(100'000, 'x'));  // longer than the file
        QVERIFY(study::inspect(fetch().model).supported());
        const auto large = gets(model().files["model.safetensors"].hash());
        QCOMPARE(large.size(), 2U);
        QCOMPARE(large[0].range, QByteArray("bytes=700-"));
        QCOMPARE(large[1].range, QByteArray());
    }

    void moreThanWasSaidIsRefused() {
        networkFault("model.safetensors") = {.otherContent = QByteArray(1 << 20, 'x')};
        SAYS(errorOf(), "more came than the file is long");
        QVERIFY(!fs::exists(folder() / "snapshots"));
    }

    void everyRefusalHasItsMessage() {
        SAYS(errorOf("org/absent"), "model org/absent is not on the hub, or private");
        SAYS(errorOf("org/tiny@nowhere"), "has no revision 'nowhere'");
        model().isGated = true;
        SAYS(errorOf(), "model org/tiny is gated");
        SAYS(errorOf(), "set HF_TOKEN");
        m_environment.token = token;
        m_hub->token = "another";
        SAYS(errorOf(), "the hub does not accept the token");
        m_hub->token = {};
        SAYS(errorOf(), "has no access yet");
        SAYS(errorOf("org/absent"), "model org/absent is not on the hub");
        QVERIFY(!has(errorOf("org/absent"), "private"));
        m_hub->token = QByteArray::fromStdString(token);
        QVERIFY2(errorOf().empty(), errorOf().c_str());
        m_hub->faults["/revision/main"] = {.status = 429, .headers = {{"Retry-After", "17"}}};
        SAYS(errorOf(), "too many requests");
        SAYS(errorOf(), "in 17 seconds");
        m_hub->faults["/revision/main"] = {.status = 403};
        SAYS(errorOf(), "does not give model org/tiny to this account");
        m_hub->faults["/revision/main"] = {.status = 503};
        SAYS(errorOf(), "trouble of its own");
        m_hub->faults["/revision/main"] = {.status = 418};
        SAYS(errorOf(), "not understood");
        SAYS(errorOf(), "HTTP 418");
        m_hub->faults.clear();
        networkFault("model.safetensors") = {.status = 404};
        QVERIFY(errorOf("org/tiny@v1").empty());  // the blob is here already
    }

    void noNetworkIsSaid() {
        m_environment.endpoint = "http://127.0.0.1:1";
        const std::string message = errorOf();
        QVERIFY2(has(message, "the hub cannot be reached") && has(message, "127.0.0.1:1/api/models/org/tiny"),
                 message.c_str());
        m_environment.endpoint = "file:///etc";
        SAYS(errorOf(), "no address of the web");
    }

    void offlineMeansOffline() {
        m_environment.offline = true;
        SAYS(errorOf(), "unset HF_HUB_OFFLINE");
        QVERIFY(m_hub->seen().empty());
        m_environment.offline = false;
        const fs::path model = fetch().model;
        m_hub->forgetSeen();
        m_environment.offline = true;
        QCOMPARE(fetch().model, model);
        QVERIFY(m_hub->seen().empty());
    }

    void aFullDiskIsSaidBeforehand() {
        fault("/model.safetensors") = {.otherSize = std::int64_t{1} << 49};
        const std::string message = errorOf();
        QVERIFY2(has(message, "not enough room") && has(message, "562949954 MB"), message.c_str());
        QVERIFY(gets(model().files["model.safetensors"].hash()).empty());
    }

    void aServerThatIsNotTheHubIsRefused() {
        fault("/config.json") = {.status = 200,
                                 .headers = {{"ETag", "\"../../evil\""}, {"X-Repo-Commit", commitA}}};
        SAYS(errorOf(), "does not say what the hub says");
        fault("/config.json") = {.status = 200, .headers = {{"ETag", "\"" + commitB + "\""}}};
        SAYS(errorOf(), "X-Repo-Commit");
        m_hub->faults.clear();
        m_hub->faults["/revision/main"] = {.status = 200};
        SAYS(errorOf(), "the JSON text cannot be read");
        m_hub->faults["/revision/main"] = {.status = 307,
                                           .headers = {{"Location", "/api/models/org/tiny/revision/main"}}};
        QVERIFY(!errorOf().empty());  // round and round
    }

    void aRenamedModelIsFollowed() {
        m_hub->renamed["old/name"] = "org/tiny";
        const Fetched fetched = fetch("old/name");
        QVERIFY(study::inspect(fetched.model).supported());
        QVERIFY(has(fetched.model.string(), "models--old--name"));
    }

    // The token: to the hub, not to the content network, and in no message or file.
    void theTokenStaysWithTheHub() {
        m_environment.token = token;
        m_hub->token = QByteArray::fromStdString(token);
        fetch();
        int own = 0, network = 0;
        for (const Seen& seen : m_hub->seen()) {
            QCOMPARE(seen.authorization,
                     seen.byNetwork ? QByteArray() : QByteArray("Bearer ") + m_hub->token);
            ++(seen.byNetwork ? network : own);
        }
        QVERIFY(own > 3 && network == 1);
        for (const fs::directory_entry& entry : fs::recursive_directory_iterator(m_environment.cache))
            if (entry.is_regular_file())
                QVERIFY(!has(readFile(entry.path()), token));
        for (const int status : {401, 403, 404, 418, 429, 500}) {
            m_hub->faults["/revision/v1"] = {.status = status, .headers = {{"X-Error-Message", "no"}}};
            const std::string message = errorOf("org/tiny@v1");
            QVERIFY(!message.empty() && !has(message, token));
        }
        fs::remove_all(m_environment.cache);
        networkFault("model.safetensors") = {.status = 403};  // a signature that has run out, say
        QVERIFY(!errorOf().empty() && !has(errorOf(), "secret") && !has(errorOf(), token));
    }

    void aStopEndsIt() {
        networkFault("model.safetensors") = {.delayMs = 60'000};
        std::stop_source stop;
        m_listener.onProgress = [&](const FetchProgress& progress) {
            if (progress.file == "model.safetensors" && progress.done > 0)
                std::thread([&stop] { stop.request_stop(); }).detach();
        };
        bool cancelled = false;
        QElapsedTimer timer;
        timer.start();
        try {
            fetch("org/tiny", stop.get_token());
        } catch (const Cancelled&) {
            cancelled = true;
        }
        QVERIFY(cancelled);
        QVERIFY(timer.elapsed() < 20'000);  // not the minute that the server takes
        QVERIFY(!fs::exists(folder() / "snapshots"));
        m_hub->faults.clear();
        m_listener.onProgress = {};
        QVERIFY(study::inspect(fetch().model).supported());
    }

    void twoAtOnceWaitForEachOther() {
        const fs::path lock = m_environment.cache / ".locks/models--org--tiny" /
                              (model().files["config.json"].hash().toStdString() + ".lock");
        auto held = std::make_unique<FileLock>(lock, std::stop_token(), [] {});
        std::thread later([&] {
            std::this_thread::sleep_for(std::chrono::milliseconds(200));
            held.reset();
        });
        fetch();
        later.join();
        QCOMPARE(m_listener.notes.size(), 1U);
        QVERIFY(has(m_listener.notes[0], "waits for another program"));
    }

    void damagedBlobsAndLinksAreMended() {
        const Fetched first = fetch();
        writeFile(blob("config.json"), "{");
        fs::remove(first.model / "tokenizer.json");
        fs::create_symlink("../../blobs/gone", first.model / "tokenizer.json");
        QVERIFY(fetch().bytes > 0);
        QVERIFY(study::inspect(first.model).supported());
    }

    void knownTextsAreFetchedAndUnpacked() {
        const std::string zip = readFile(TEST_DATA "/texts.zip"), text = readFile(TEST_DATA "/text.txt");
        const fs::path folder = m_folder->path().toStdString() + "/texts";
        FakeModel& data = m_hub->models["datasets/ggml-org/ci"];
        data.refs = {{"main", commitA}};
        data.files["wikitext-2-raw-v1.zip"] = {QByteArray::fromStdString(zip), true};
        const auto fetchText = [&](const KnownText& known) {
            return hub::fetchText(known, folder, m_environment, {}, m_listener, m_patience);
        };
        const auto messageOf = [&](const KnownText& known) -> std::string {
            try {
                fetchText(known);
            } catch (const Error& error) {
                return error.what();
            }
            return {};
        };
        const KnownText& train = *knownText("wikitext-2-raw");
        m_environment.token = token;
        Fault& bad = m_hub->faults[data.files["wikitext-2-raw-v1.zip"].hash()];
        bad = {.cutAfter = 100, .times = 1};
        QCOMPARE(fetchText(train), zip.size());
        QCOMPARE(readFile(fileOf(train, folder)), text);
        QCOMPARE(fetchText(train), 0U);
        for (const Seen& seen : m_hub->seen())
            QCOMPARE(seen.authorization.isEmpty(), seen.byNetwork);
        const KnownText& test = *knownText("wikitext-2-raw-test");
        bad = {.otherContent = QByteArray(static_cast<qsizetype>(zip.size()), 'x')};
        QVERIFY(has(messageOf(test), "the hash is wrong"));
        QVERIFY(!fs::exists(fileOf(test, folder)));
        bad = {};
        fetchText(test);
        QCOMPARE(readFile(fileOf(test, folder)), text.substr(0, 1000));
        QVERIFY(has(messageOf(*knownText("wikitext-2-raw-valid")), "empty"));
        // Not of the hub: another server gets no token.
        m_hub->forgetSeen();
        QVERIFY(has(messageOf({"other", "another", m_hub->endpoint() + "/absent.txt", {}}),
                    "the server does not give the text other"));
        QVERIFY(m_hub->seen().at(0).authorization.isEmpty());
        QVERIFY(knownText("nothing") == nullptr);
    }

    void damagedZipFilesAreRefused() {
        const std::string zip = readFile(TEST_DATA "/texts.zip");
        const char* entry = "wikitext-2-raw/wiki.train.raw";
        const auto unpacks = [&](const std::string& bytes, std::uint64_t most = 1 << 20) {
            try {
                return unzip(bytes, entry, most, "zip") == readFile(TEST_DATA "/text.txt");
            } catch (const Error&) {
                return false;
            }
        };
        QVERIFY(unpacks(zip));
        QVERIFY(!unpacks(zip, 1000));
        for (std::size_t length = 0; length < zip.size(); length += 97)
            QVERIFY(!unpacks(zip.substr(0, length)));
        for (std::size_t at = 0; at < zip.size(); at += 13) {
            std::string damaged = zip;
            damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
            unpacks(damaged);  // right, or refused: nothing else
        }
    }

    // huggingface_hub and we, one cache: each finds what the other brought and asks for nothing again.
    void pythonSeesWhatWeFetchAndWeWhatPythonFetches() {
        const QString packages = QStringLiteral(TEST_ORACLES "/python");
        if (!QFile::exists(packages + "/huggingface_hub"))
            QSKIP("huggingface_hub for Python is not there: packaging/test.sh fetches it");
        const auto python = [&](const fs::path& cache, const char* offline) {
            QProcess process;
            QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
            environment.insert("PYTHONPATH", packages);
            environment.insert("HF_ENDPOINT", QString::fromStdString(m_hub->endpoint()));
            environment.insert("HF_HUB_CACHE", QString::fromStdString(cache.string()));
            environment.insert("HF_HOME", m_folder->path());
            environment.insert("HF_HUB_OFFLINE", offline);
            process.setProcessEnvironment(environment);
            process.start("python3", {QStringLiteral(TEST_DATA "/../hub/snapshot.py"), "org/tiny", "main"});
            process.waitForFinished(120'000);
            return process.exitCode() == 0 ? process.readAllStandardOutput().trimmed().toStdString()
                                           : process.readAllStandardError().toStdString();
        };
        const auto tree = [](const fs::path& cache) {
            std::map<std::string, std::string> entries;
            for (const fs::directory_entry& entry : fs::recursive_directory_iterator(cache)) {
                const std::string name = entry.path().lexically_relative(cache).string();
                if (entry.is_symlink())
                    entries[name] = "-> " + fs::read_symlink(entry.path()).string();
                else if (entry.is_regular_file())
                    entries[name] = readFile(entry.path());
            }
            return entries;
        };
        model().files.erase("pytorch_model.bin");  // Python is asked for all; we would not take these
        model().files.erase("README.md");
        model().files.erase(".gitattributes");

        const fs::path ours = m_environment.cache, theirs = m_folder->path().toStdString() + "/theirs";
        const Fetched fetched = fetch();
        QCOMPARE(python(ours, "1"), fetched.model.string());  // without a network
        m_hub->forgetSeen();
        QCOMPARE(python(ours, "0"), fetched.model.string());
        for (const Seen& seen : m_hub->seen())  // asked for hashes, at most
            QVERIFY2(seen.method == "HEAD" || seen.path.startsWith("/api/models/"), seen.path.constData());

        QCOMPARE(python(theirs, "0"),
                 (theirs / "models--org--tiny/snapshots" / commitA.toStdString()).string());
        QVERIFY(tree(theirs).size() >= 10);
        QCOMPARE(tree(ours), tree(theirs));
        m_environment.cache = theirs;
        m_hub->forgetSeen();
        QCOMPARE(fetch().bytes, 0U);
        QVERIFY(gets("model.safetensors").empty());

        // Half a file of theirs, gone on with by us, and the other way round.
        for (const fs::path& cache : {ours, theirs}) {
            fs::remove_all(cache);
            const QByteArray content = model().files["model.safetensors"].content;
            m_environment.cache = cache;
            writeFile(part("model.safetensors"), content.left(content.size() / 3).toStdString());
            m_hub->forgetSeen();
            const std::string where = cache == ours ? fetch().model.string() : python(cache, "0");
            QCOMPARE(where, (folder() / "snapshots" / commitA.toStdString()).string());
            const auto large = gets(model().files["model.safetensors"].hash());
            QCOMPARE(large.size(), 1U);
            QCOMPARE(large[0].range, "bytes=" + QByteArray::number(content.size() / 3) + "-");
        }
        QCOMPARE(tree(ours), tree(theirs));
    }
};

QTEST_GUILESS_MAIN(TestFetch)
#include "tst_fetch.moc"
