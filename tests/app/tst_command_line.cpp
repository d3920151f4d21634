// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QImage>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "hub/cache_folder.h"
#include "hub/fake_hub.h"

// The program as a user runs it: its output, its files, its exit codes.
class TestCommandLine : public QObject {
    Q_OBJECT

    struct Outcome {
        int code;
        QString out, err;
    };

    static Outcome run(const QStringList& arguments) {
        QProcess process;
        process.start(QStringLiteral(STRAIGHTEDGE_PROGRAM), arguments);
        if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
            return {-1,
                    {},
                    QStringLiteral("crashed or hung: ") + QString::fromUtf8(process.readAllStandardError())};
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }

    static QString tiny(const QString& name) { return QStringLiteral(TEST_DATA "/tiny/") + name; }
    static QString text() { return QStringLiteral(TEST_DATA "/text.txt"); }

    static QStringList measureTiny(const QStringList& more = {}) {
        return QStringList{"measure",  "--model", tiny("llama"), "--corpus", text(),
                           "--tokens", "2400",    "--seq-len",   "32"} +
               more;
    }

    static QByteArray contentOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }

    QTemporaryDir m_folder;

  private Q_SLOTS:
    void helpIsThere_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::newRow("all") << QStringList{"--help"};
        QTest::newRow("measure") << QStringList{"measure", "--help"};
        QTest::newRow("inspect") << QStringList{"inspect", "--help"};
        QTest::newRow("tokenize") << QStringList{"tokenize", "--help"};
        QTest::newRow("models") << QStringList{"models", "--help"};
        QTest::newRow("runs") << QStringList{"runs", "--help"};
        QTest::newRow("export") << QStringList{"export", "--help"};
    }
    void helpIsThere() {
        QFETCH(QStringList, arguments);
        const Outcome outcome = run(arguments);
        QCOMPARE(outcome.code, 0);
        QVERIFY(outcome.out.contains(arguments.size() > 1 ? "--help" : "Exit codes"));
    }

    void versionIsThere() {
        QCOMPARE(run({"--version"}).out.trimmed(), QStringLiteral("straightedge " STRAIGHTEDGE_VERSION));
    }

    // The README's table is the program's own.
    void familiesAreThoseOfTheReadme() {
        const QString table = run({"families", "--markdown"}).out;
        QVERIFY(table.contains("| Gemma 2 | `gemma2` | `gemma2` |"));
        QVERIFY(contentOf(QStringLiteral(TEST_DATA "/../../README.md")).contains(table.toUtf8()));
        const QString list = run({"families"}).out;
        QVERIFY(list.contains("model_type gemma2") && list.contains("before the norm that stands between"));
    }

    void measureWritesEverything() {
        const QString csv = m_folder.filePath("out.csv"), json = m_folder.filePath("out.json"),
                      png = m_folder.filePath("out.png"), svg = m_folder.filePath("out.svg"),
                      pdf = m_folder.filePath("out.pdf");
        const Outcome outcome =
            run(measureTiny({"--model", tiny("gpt2"), "--csv", csv, "--json", json, "--plot", png}));
        QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
        QVERIFY(outcome.out.contains("R² published"));
        QVERIFY(outcome.err.contains("block 2 of 0 to 2"));  // plain lines, for stderr is no terminal here
        const QList<QByteArray> lines = contentOf(csv).split('\n');
        QCOMPARE(lines.size(), 1 + 3 + 3 + 1);
        QVERIFY(lines[1].startsWith("llama,text.txt,0,silu-gated,2400,1920,0."));
        QVERIFY(lines[4].startsWith("gpt2,text.txt,0,gelu-tanh,2400,1920,0."));
        const auto values = nlohmann::json::parse(contentOf(json).toStdString());
        QCOMPARE(values["runs"].size(), 2U);
        QCOMPARE(values["runs"][0]["blocks"].size(), 3U);
        QVERIFY(!values["runs"][0]["model_file"]["header_sha256"].get<std::string>().empty());
        const QImage image(png);
        QVERIFY(image.width() > 400 && image.height() > 200);
        QCOMPARE(run(measureTiny({"--blocks", "0", "--plot", svg})).code, 0);
        QVERIFY(contentOf(svg).contains("<svg"));
        QCOMPARE(run(measureTiny({"--blocks", "0", "--plot", pdf})).code, 0);
        QVERIFY(contentOf(pdf).startsWith("%PDF"));
    }

    void runsAreKeptListedAndExported() {
        const QString csv = m_folder.filePath("first.csv"), again = m_folder.filePath("again.csv"),
                      table = m_folder.filePath("table.md"), plot = m_folder.filePath("again.png");
        const Outcome measured =
            run(measureTiny({"--perplexity", "--eval-batches", "4", "--fit", "published,balanced,switched",
                             "--csv", csv, "--compression", table, "--plot", plot}));
        QVERIFY2(measured.code == 0, qPrintable(measured.err));
        QVERIFY(measured.out.contains("base perplexity") && measured.out.contains("balanced ½"));
        QVERIFY(contentOf(table).contains("| 2 | balanced ⅘ | 1,056 |"));
        const qsizetype at = measured.err.indexOf("stored as run ");
        QVERIFY(at >= 0);
        const QString id = measured.err.mid(at + 14, 8);

        const Outcome list = run({"runs"});
        QVERIFY2(list.out.contains(id) && list.out.contains("finished"), qPrintable(list.out));
        QVERIFY(QFile::remove(plot));
        const Outcome exported = run({"export", "--run", id.left(6), "--csv", again, "--plot", plot});
        QVERIFY2(exported.code == 0, qPrintable(exported.err));
        QCOMPARE(contentOf(again), contentOf(csv));
        QVERIFY(!contentOf(csv).isEmpty() && !QImage(plot).isNull());
        const QString printed = run({"export", "--run", id, "--run", id}).out;
        QCOMPARE(printed.count("R² published"), 2);
        QCOMPARE(printed.count("base perplexity"), 2);

        QCOMPARE(run({"runs", "rename", id, "my run"}).code, 0);
        QVERIFY(run({"runs"}).out.contains("my run"));
        QCOMPARE(run({"runs", "hide", id}).code, 0);
        QVERIFY(!run({"runs"}).out.contains(id));
        QVERIFY(run({"runs", "--all"}).out.contains(id));
        QCOMPARE(run({"runs", "show", id}).code, 0);
        QVERIFY(run({"runs"}).out.contains(id));
        QCOMPARE(run({"runs", "delete", id}).code, 0);
        QVERIFY(!run({"runs", "--all"}).out.contains(id));
        QCOMPARE(run({"export", "--run", id, "--csv", again}).code, 2);
    }

    void withoutAStoreItMeasuresAllTheSame() {
        const QString kept = run({"runs", "--all"}).out;
        const Outcome unwanted = run(measureTiny({"--blocks", "0", "--no-store"}));
        QCOMPARE(unwanted.code, 0);
        QVERIFY(!unwanted.err.contains("stored"));
        QCOMPARE(run({"runs", "--all"}).out, kept);
        const QByteArray store = qgetenv("STRAIGHTEDGE_STORE");
        qputenv("STRAIGHTEDGE_STORE", (m_folder.filePath("empty.txt") + "/store").toUtf8());
        const Outcome unusable = run(measureTiny({"--blocks", "0"}));
        const Outcome listed = run({"runs"});
        qputenv("STRAIGHTEDGE_STORE", store);
        QCOMPARE(unusable.code, 0);
        QVERIFY2(unusable.err.contains("runs are not stored"), qPrintable(unusable.err));
        QVERIFY(unusable.out.contains("R² published"));
        QCOMPARE(listed.code, 2);
    }

    void tokenizePrintsIds() {
        const auto expected = nlohmann::json::parse(contentOf(tiny("llama/expected.json")).toStdString());
        for (const char* model : {"llama", "llama-f32.gguf", "gpt2/tokenizer.json"}) {
            const Outcome outcome = run({"tokenize", "--model", tiny(model), "--file", text()});
            QVERIFY2(outcome.code == 0, qPrintable(outcome.err));
            const QStringList ids = outcome.out.split('\n');
            for (qsizetype i = 0; i < 128; ++i)
                QCOMPARE(ids[i].toInt(), expected["ids"][static_cast<std::size_t>(i)].get<int>());
        }
    }

    void inspectSaysWhatItIs() {
        const Outcome outcome = run({"inspect", tiny("llama_biased"), "--tensors"});
        QCOMPARE(outcome.code, 0);
        QVERIFY(outcome.out.contains("silu-gated"));
        QVERIFY(outcome.out.contains("model.layers.2.mlp.down_proj.bias"));
    }

    void modelsAreListedAndTakenByName() {
        const std::filesystem::path cache = m_folder.filePath("huggingface/hub").toStdString();
        const std::filesystem::path model = cache / "models--org--tiny";
        straightedge::hub::laySnapshot(model, std::string(40, 'a'), tiny("llama").toStdString());
        straightedge::hub::layRef(model, "main", std::string(40, 'a'));
        straightedge::hub::laySnapshot(cache / "models--org--lacking", std::string(40, 'b'),
                                       m_folder.filePath("lacking").toStdString());
        QCOMPARE(run({"models", "add", tiny("gpt2")}).code, 0);
        QCOMPARE(run({"models", "add", "/nowhere/model"}).code, 2);
        const Outcome list = run({"models"});
        QVERIFY2(list.code == 0, qPrintable(list.err));
        QVERIFY2(list.out.contains("org/tiny") && list.out.contains("gpt2"), qPrintable(list.out));
        QVERIFY(!list.out.contains("org/lacking") && list.err.contains("1 more cannot be measured"));
        QVERIFY(run({"models", "--all"}).out.contains("org/lacking@bbbbbbbb cannot be measured"));
        const auto json = nlohmann::json::parse(run({"models", "--json"}).out.toStdString())["models"];
        const auto isTiny = [](const auto& entry) { return entry["name"] == "org/tiny"; };
        const auto found = std::ranges::find_if(json, isTiny);
        QVERIFY(found != json.end());
        QCOMPARE((*found)["family"].get<std::string>(), std::string("llama"));
        QCOMPARE((*found)["blocks"].get<int>(), 3);
        QCOMPARE((*found)["revision"].get<std::string>(), std::string("main"));

        const QString csv = m_folder.filePath("named.csv");
        const Outcome measured = run({"measure", "--model", "org/tiny", "--corpus", text(), "--tokens",
                                      "2400", "--seq-len", "32", "--blocks", "0", "--csv", csv});
        QVERIFY2(measured.code == 0, qPrintable(measured.err));
        QVERIFY2(contentOf(csv).contains("\norg/tiny,text.txt,0,"), contentOf(csv).constData());
        QVERIFY(run({"inspect", "org/tiny@main"}).out.contains("org/tiny"));
        QCOMPARE(run({"tokenize", "--model", "org/tiny", "--file", text()}).out,
                 run({"tokenize", "--model", tiny("llama"), "--file", text()}).out);
        QCOMPARE(run({"models", "remove", tiny("gpt2")}).code, 0);
        QVERIFY(!run({"models"}).out.contains("gpt2"));
    }

    void modelsAreFetched() {
        using straightedge::hub::FakeFile;
        straightedge::hub::FakeHub hub;
        hub.models["org/far"].refs = {{"main", QByteArray(40, 'c')}};
        for (const char* name : {"config.json", "tokenizer.json", "model.safetensors"})
            hub.models["org/far"].files[name] = {contentOf(tiny("llama/") + name), name[0] == 'm'};
        const QByteArray token = "hf_NeverToBeSeenAnywhere";
        qputenv("HF_ENDPOINT", hub.endpoint().c_str());
        qputenv("HF_TOKEN", token);
        const Outcome fetched = run({"fetch", "org/far"});
        const Outcome again = run({"fetch", "org/far"});
        const Outcome absent = run({"fetch", "org/absent"});
        hub.faults[hub.models["org/far"].files["model.safetensors"].hash()] = {.delayMs = 60'000};
        qputenv("HF_HUB_CACHE", m_folder.filePath("elsewhere").toUtf8());
        QProcess process;
        process.start(QStringLiteral(STRAIGHTEDGE_PROGRAM), {"fetch", "org/far"});
        QByteArray heard;
        process.setReadChannel(QProcess::StandardError);
        while (!heard.contains("model.safetensors") && process.waitForReadyRead(60'000))
            heard += process.readAllStandardError();
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        const bool ended = process.waitForFinished(30'000);
        for (const char* name : {"HF_ENDPOINT", "HF_TOKEN", "HF_HUB_CACHE"})
            qunsetenv(name);
        QVERIFY2(fetched.code == 0, qPrintable(fetched.err));
        QVERIFY(fetched.out.contains("org/far: ") && again.out.contains("is here"));
        QCOMPARE(absent.code, 2);
        QVERIFY2(absent.err.contains("is not on the hub"), qPrintable(absent.err));
        for (const Outcome& outcome : {fetched, again, absent})
            QVERIFY(!(outcome.out + outcome.err).contains(token));
        QVERIFY(ended);
        QCOMPARE(process.exitCode(), 130);
        QCOMPARE(run({"inspect", "org/far"}).code, 0);
    }

    // One clear message, exit code 2, nothing written.
    void badInputIsRefused_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QString>("message");
        const auto measure = [](const QString& model, const QString& corpus, const QStringList& more = {}) {
            return QStringList{"measure", "--model", model, "--corpus", corpus} + more;
        };
        QTest::newRow("no command") << QStringList{"--frobnicate"} << "subcommand is required";
        QTest::newRow("unknown option") << QStringList{"measure", "--frobnicate"} << "--frobnicate";
        QTest::newRow("no model") << QStringList{"measure", "--corpus", text()} << "no model is named";
        QTest::newRow("no text") << QStringList{"measure", "--model", tiny("llama")} << "no text is named";
        QTest::newRow("missing model") << measure("/nowhere/model", text()) << "/nowhere/model";
        QTest::newRow("model not here")
            << measure("org/absent@v1", text()) << "straightedge fetch org/absent@v1";
        QTest::newRow("text not here")
            << measure(tiny("llama"), "moby-dick") << "straightedge fetch corpus:moby-dick";
        QTest::newRow("unknown text") << QStringList{"fetch", "corpus:nothing"} << "wikitext-2-raw-test";
        QTest::newRow("no ID") << QStringList{"fetch", "not/an/id"} << "cannot be a model of the hub";
        QTest::newRow("missing text") << measure(tiny("llama"), "/nowhere/text") << "/nowhere/text";
        QTest::newRow("empty text") << measure(tiny("llama"), m_folder.filePath("empty.txt")) << "empty";
        QTest::newRow("short text") << measure(tiny("llama"), m_folder.filePath("short.txt")) << "too short";
        QTest::newRow("not a model") << measure(text(), text()) << "text.txt";
        QTest::newRow("unknown family")
            << measure(m_folder.filePath("mamba"), text()) << "llama, mistral, qwen2";
        QTest::newRow("truncated") << measure(m_folder.filePath("cut.gguf"), text()) << "cut.gguf";
        QTest::newRow("missing tensor") << measure(m_folder.filePath("lacking"), text()) << "layers.3";
        QTest::newRow("wrong shape") << measure(m_folder.filePath("misshapen"), text()) << "[";
        QTest::newRow("missing shard")
            << measure(m_folder.filePath("shardless"), text()) << "model-00005-of-00005.safetensors";
        QTest::newRow("block out of range") << measureTiny({"--blocks", "3"}) << "blocks 0 to 2";
        QTest::newRow("block nonsense") << measureTiny({"--blocks", "a"}) << "block selection";
        QTest::newRow("unwritable csv") << measureTiny({"--csv", "/nowhere/out.csv"}) << "/nowhere/out.csv";
        QTest::newRow("unwritable plot") << measureTiny({"--plot", "/nowhere/out.png"}) << "/nowhere/out.png";
        QTest::newRow("unknown plot") << measureTiny({"--plot", m_folder.filePath("out.gif")}) << "gif";
        QTest::newRow("window too long")
            << QStringList{"measure",  "--model", tiny("gpt2"), "--corpus", text(),
                           "--tokens", "2400",    "--seq-len",  "65"}
            << "at most 64";
        QTest::newRow("unknown device") << measureTiny({"--device", "gpu"}) << "cuda:1";
        QTest::newRow("device not here") << measureTiny({"--device", "cuda:99"}) << "GPU";
        QTest::newRow("unknown fit") << measureTiny({"--fit", "magic"}) << "magic";
        QTest::newRow("unknown table")
            << measureTiny({"--compression", m_folder.filePath("out.xls")}) << ".tex";
        QTest::newRow("unknown run") << QStringList{"export", "--run", "ffffffff"} << "ffffffff";
        QTest::newRow("short id") << QStringList{"runs", "delete", "abc"} << "4 characters";
        QTest::newRow("tokens below a window")
            << measure(tiny("llama"), text(), {"--tokens", "8", "--seq-len", "32"}) << "at least 32";
    }
    void badInputIsRefused() {
        QFETCH(QStringList, arguments);
        QFETCH(QString, message);
        const QString csv = m_folder.filePath("never.csv");
        const bool measures = arguments.first() == "measure" && !arguments.contains("--csv");
        const Outcome outcome = run(measures ? arguments + QStringList{"--csv", csv} : arguments);
        QVERIFY2(outcome.code == 2, qPrintable(QString::number(outcome.code) + outcome.err));
        QVERIFY2(outcome.err.contains(message), qPrintable(outcome.err));
        QVERIFY(!QFile::exists(csv));
    }

    void initTestCase() {
        QVERIFY(m_folder.isValid());
        qputenv("STRAIGHTEDGE_STORE", m_folder.filePath("store").toUtf8());  // not the user's own
        qputenv("STRAIGHTEDGE_MODELS", m_folder.filePath("models.txt").toUtf8());
        qputenv("STRAIGHTEDGE_TEXTS", m_folder.filePath("texts").toUtf8());
        qputenv("HF_HOME", m_folder.filePath("huggingface").toUtf8());
        for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
            qunsetenv(name);
        const auto write = [&](const QString& name, const QByteArray& content) {
            QFile file(m_folder.filePath(name));
            return file.open(QIODevice::WriteOnly) && file.write(content) == content.size();
        };
        const auto copyModel = [&](const QString& from, const QString& to, const QStringList& without = {}) {
            QDir(m_folder.path()).mkdir(to);
            for (const QString& name : QDir(tiny(from)).entryList(QDir::Files))
                if (!without.contains(name))
                    QFile::copy(tiny(from) + "/" + name, m_folder.filePath(to + "/" + name));
        };
        const auto editConfig = [&](const QString& model, const char* from, const char* to) {
            const QString path = model + "/config.json";
            QByteArray config = contentOf(m_folder.filePath(path));
            QFile::setPermissions(m_folder.filePath(path), QFile::ReadOwner | QFile::WriteOwner);
            return config.contains(from) && write(path, config.replace(from, to));
        };
        QVERIFY(write("empty.txt", ""));
        QVERIFY(write("short.txt", "Too short."));
        QVERIFY(write("cut.gguf", contentOf(tiny("llama-f32.gguf")).left(100'000)));
        copyModel("llama", "mamba");
        QVERIFY(editConfig("mamba", "\"model_type\": \"llama\"", "\"model_type\": \"mamba\""));
        copyModel("llama", "lacking");
        QVERIFY(editConfig("lacking", "\"num_hidden_layers\": 3", "\"num_hidden_layers\": 4"));
        copyModel("llama", "misshapen");
        QVERIFY(editConfig("misshapen", "\"intermediate_size\": 64", "\"intermediate_size\": 48"));
        copyModel("llama_biased", "shardless", {"model-00005-of-00005.safetensors"});
    }

    // The exported maps, put into the model by the exported Python, cost what the program says they cost.
    void exportedReplacementsCostTheSameInTransformers_data() {
        QTest::addColumn<QString>("fit");
        QTest::addColumn<int>("block");
        QTest::newRow("linear") << "linear" << 2;
        QTest::newRow("balanced") << "balanced-0.5" << 0;
        QTest::newRow("switched") << "switched" << 1;
    }
    void exportedReplacementsCostTheSameInTransformers() {
        QFETCH(QString, fit);
        QFETCH(int, block);
        const QString packages = QStringLiteral(TEST_ORACLES "/python"),
                      torch = qEnvironmentVariable("STRAIGHTEDGE_TORCH");
        if (!QFile::exists(packages) || !QFile::exists(torch + "/torch/__init__.py"))
            QSKIP("transformers or torch for Python is not there: packaging/test.sh fetches them");
        const QString json = m_folder.filePath("swap.json"), out = m_folder.filePath("replacement-" + fit);
        const Outcome measured = run({"measure", "--model", tiny("llama_massive"), "--corpus", text(),
                                      "--tokens", "12800", "--seq-len", "32", "--perplexity",
                                      "--eval-batches", "3", "--fit", "balanced,switched", "--json", json});
        QVERIFY2(measured.code == 0, qPrintable(measured.err));
        const QString id = measured.err.section("stored as run ", 1).left(8);
        const Outcome written = run({"export-replacement", "--run", id, "--blocks", QString::number(block),
                                     "--fit", fit, "--out", out});
        QVERIFY2(written.code == 0, qPrintable(written.err));
        QVERIFY(contentOf(out + "/README.md").contains("Site: "));

        QProcess python;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("PYTHONPATH", packages + ":" + torch);
        python.setProcessEnvironment(environment);
        python.start("python3", {QStringLiteral(TEST_DATA "/../app/swap_in_transformers.py"),
                                 tiny("llama_massive"), out, text(), "32", "12"});
        QVERIFY(python.waitForFinished(300'000));
        const QStringList numbers = QString::fromUtf8(python.readAllStandardOutput()).trimmed().split(' ');
        QVERIFY2(numbers.size() == 2, python.readAllStandardError().right(2000).constData());
        const auto values = nlohmann::json::parse(contentOf(json).toStdString())["runs"][0];
        const double base = values["base_ppl"];
        QVERIFY(std::abs(numbers[0].toDouble() / base - 1) < 1e-4);
        for (const auto& row : values["blocks"][static_cast<std::size_t>(block)]["replacements"])
            if (row["replacement"] == fit.toStdString()) {
                const double cost = row["dppl"];
                QVERIFY2(std::abs(numbers[1].toDouble() - numbers[0].toDouble() - cost) < 1e-3 * base,
                         qPrintable(numbers.join(' ') + " against " + QString::number(cost)));
                return;
            }
        QFAIL("the run has no such replacement");
    }

    void replacementsThatAreNotThereAreRefused() {
        const Outcome measured = run(measureTiny());
        const QString id = measured.err.section("stored as run ", 1).left(8);
        const QStringList common{"export-replacement", "--run", id, "--out", m_folder.filePath("none")};
        QCOMPARE(run(common + QStringList{"--fit", "switched"}).code, 2);
        QCOMPARE(run(common + QStringList{"--blocks", "7"}).code, 2);
        QVERIFY(!QFile::exists(m_folder.filePath("none")));
    }

    // Killed where it stands, again and again: what comes out in the end is what an unbroken run gives.
    void killedRunsResumeToTheSameNumbers() {
        const auto arguments = [&](const QString& csv) {
            return QStringList{"measure",
                               "--model",
                               tiny("llama_massive"),
                               "--corpus",
                               text(),
                               "--tokens",
                               "12800",
                               "--seq-len",
                               "32",
                               "--perplexity",
                               "--eval-batches",
                               "6",
                               "--fit",
                               "balanced,switched",
                               "--csv",
                               csv};
        };
        const QString whole = m_folder.filePath("whole.csv"), resumed = m_folder.filePath("resumed.csv");
        QCOMPARE(run(arguments(whole)).code, 0);
        for (int part = 0; part < 5; ++part) {
            QProcess process;
            process.start(
                QStringLiteral(STRAIGHTEDGE_PROGRAM),
                part == 0 ? arguments(resumed) : QStringList{"measure", "--resume", "--csv", resumed});
            // Behind block 0 there is a state to go on from; each later part is killed at the first thing it
            // finds.
            const QByteArray sign = part == 0 ? "block 1 of" : "block ";
            QByteArray heard;
            process.setReadChannel(QProcess::StandardError);
            while (!heard.contains(sign) && process.waitForReadyRead(60'000))
                heard += process.readAllStandardError();
            QVERIFY2(heard.contains(sign), heard.constData());
            process.kill();
            process.waitForFinished();
        }
        QVERIFY(!QFile::exists(resumed));
        const Outcome last = run({"measure", "--resume", "--csv", resumed});
        QVERIFY2(last.code == 0, qPrintable(last.err));
        QCOMPARE(contentOf(resumed), contentOf(whole));
        QCOMPARE(run({"measure", "--resume"}).code, 2);  // nothing is left to go on with
    }

    void interruptKeepsWhatIsFinished() {
        const QString csv = m_folder.filePath("interrupted.csv");
        QProcess process;
        QStringList models;
        for (int i = 0; i < 60; ++i)
            models << "--model" << tiny("llama");
        process.start(QStringLiteral(STRAIGHTEDGE_PROGRAM), measureTiny(models + QStringList{"--csv", csv}));
        QVERIFY(process.waitForStarted());
        QByteArray progress;
        while (!progress.contains("block 0") && process.waitForReadyRead(60'000))
            progress += process.readAllStandardError(), progress += process.readAllStandardOutput();
        ::kill(static_cast<pid_t>(process.processId()), SIGINT);
        QVERIFY(process.waitForFinished(60'000));
        QCOMPARE(process.exitCode(), 130);
        QVERIFY(contentOf(csv).startsWith("model,corpus,block"));
        QVERIFY(contentOf(csv).count('\n') < 1 + 61 * 3);
    }
};

QTEST_GUILESS_MAIN(TestCommandLine)
#include "tst_command_line.moc"
