// SPDX-License-Identifier: GPL-3.0-or-later
// Finding models: in a cache of the hub, in folders, by name.
#include <unistd.h>
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>

#include "cache_folder.h"
#include "error.h"
#include "hub/cache.h"
#include "hub/environment.h"
#include "study/inspect.h"
#include "study/models/find_models.h"
#include "study/models/model_folders.h"

using namespace straightedge;
using namespace straightedge::hub;
namespace fs = std::filesystem;

namespace {

const fs::path tiny = TEST_DATA "/tiny";
const std::string commitA(40, 'a'), commitB(40, 'b'), commitC = "c0ffee" + std::string(34, '0');

std::string messageOf(const std::function<void()>& act) {
    try {
        act();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

std::vector<std::string> namesOf(const study::FoundModels& found) {
    std::vector<std::string> names;
    for (const study::FoundModel& model : found.models)
        names.push_back(model.name);
    return names;
}

}  // namespace

class TestCache : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> m_folder;
    fs::path m_cache;

    fs::path model(const char* name) const { return m_cache / name; }

  private Q_SLOTS:
    void init() {
        m_folder = std::make_unique<QTemporaryDir>();
        const fs::path home = m_folder->path().toStdString();
        m_cache = home / "hub";
        for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_TOKEN", "HF_TOKEN_PATH",
                                 "HUGGING_FACE_HUB_TOKEN", "HF_ENDPOINT", "HF_HUB_OFFLINE", "XDG_CACHE_HOME"})
            qunsetenv(name);
        qputenv("HF_HOME", home.c_str());
        qputenv("STRAIGHTEDGE_SAMPLE", "/nowhere");
        qputenv("STRAIGHTEDGE_MODELS", (home / "models.txt").c_str());
    }

    void idsAreReadAndRefused() {
        const Repository whole = Repository::parse("openai-community/gpt2@refs/pr/1");
        QCOMPARE(whole.id, std::string("openai-community/gpt2"));
        QCOMPARE(whole.revision, std::string("refs/pr/1"));
        QCOMPARE(whole.folderName(), std::string("models--openai-community--gpt2"));
        QCOMPARE(Repository::parse("gpt2").folderName(), std::string("models--gpt2"));
        const Repository file = Repository::parse("a/b/c.Q4_1.gguf@v1");
        QCOMPARE(file.id, std::string("a/b"));
        QCOMPARE(file.file, std::string("c.Q4_1.gguf"));
        QCOMPARE(file.text(), std::string("a/b/c.Q4_1.gguf@v1"));
        for (const char* bad : {"", "/etc", "a/b/c", "../x", "a--b", "a b", "a/", "a@", "a@../b", "a@/x",
                                ".a", "a..b/c", "a.git", "a/b@c d", "a\nb", "a/../x.gguf"})
            QVERIFY2(!Repository::tryParse(bad), bad);
        QVERIFY(!Repository::tryParse(std::string(97, 'a')));
    }

    // Where huggingface_hub.constants looks, in its order.
    void theEnvironmentSaysWhere() {
        const std::string home = m_folder->path().toStdString();
        QCOMPARE(cacheFolder(), fs::path(home) / "hub");
        qputenv("HUGGINGFACE_HUB_CACHE", "/old");
        QCOMPARE(cacheFolder(), fs::path("/old"));
        qputenv("HF_HUB_CACHE", "$HF_HOME/${NOT_SET_ANYWHERE}x");
        QCOMPARE(cacheFolder().string(), home + "/${NOT_SET_ANYWHERE}x");
        qputenv("HF_HUB_CACHE", "~/c");
        QCOMPARE(cacheFolder().string(), qEnvironmentVariable("HOME").toStdString() + "/c");
        qunsetenv("HF_HUB_CACHE");
        qunsetenv("HUGGINGFACE_HUB_CACHE");
        qunsetenv("HF_HOME");
        qputenv("XDG_CACHE_HOME", "/caches");
        QCOMPARE(cacheFolder(), fs::path("/caches/huggingface/hub"));
        qputenv("HF_HOME", home.c_str());

        QVERIFY(Environment::read().token.empty());
        writeFile(fs::path(home) / "token", "hf_file\n");
        QCOMPARE(Environment::read().token, std::string("hf_file"));
        writeFile(fs::path(home) / "other", "  hf_other \r\n");
        qputenv("HF_TOKEN_PATH", "$HF_HOME/other");
        QCOMPARE(Environment::read().token, std::string("hf_other"));
        qputenv("HF_TOKEN", "hf_set");
        QCOMPARE(Environment::read().token, std::string("hf_set"));
        qputenv("HF_TOKEN", "hf set");  // no header may hold it
        QVERIFY(Environment::read().token.empty());
        qputenv("HF_ENDPOINT", "http://mirror:1//");
        qputenv("HF_HUB_OFFLINE", "yes");
        QCOMPARE(Environment::read().endpoint, std::string("http://mirror:1"));
        QVERIFY(Environment::read().offline);
    }

    void snapshotsAreFoundByName() {
        const fs::path snapshot = laySnapshot(model("models--org--llama"), commitA, tiny / "llama");
        layRef(model("models--org--llama"), "main", commitA);
        QCOMPARE(study::resolveModel("org/llama"), snapshot);
        QCOMPARE(study::resolveModel("org/llama@main"), snapshot);
        QCOMPARE(study::resolveModel("org/llama@aaaaaaa"), snapshot);
        QCOMPARE(study::resolveModel(snapshot.string()), snapshot);
        const study::ModelSummary summary = study::inspect(snapshot);
        QVERIFY2(summary.supported(), summary.problem.c_str());
        QCOMPARE(summary.name, std::string("org/llama"));
        QCOMPARE(summary.blocks, 3);
        const study::FoundModels found = study::findModels();
        QCOMPARE(found.models.size(), 1U);
        QVERIFY(found.notes.empty());
        QCOMPARE(found.models[0].name, std::string("org/llama"));
        QCOMPARE(found.models[0].revision, std::string("main"));
        QCOMPARE(found.models[0].source, study::ModelSource::Hub);
    }

    void revisionsStandApart() {
        const fs::path folder = model("models--pythia");
        laySnapshot(folder, commitA, tiny / "gpt2");
        const fs::path step = laySnapshot(folder, commitB, tiny / "llama");
        const fs::path nameless = laySnapshot(folder, commitC, tiny / "gpt_neox");
        QVERIFY(has(messageOf([] { study::resolveModel("pythia"); }), "pythia@c0ffee00"));
        layRef(folder, "main", commitA + "\n");
        layRef(folder, "step1000", commitB);
        layRef(folder, "refs/pr/1", commitB);
        layRef(folder, "broken", "not a commit");
        QCOMPARE(study::resolveModel("pythia"), folder / "snapshots" / commitA);
        QCOMPARE(study::resolveModel("pythia@step1000"), step);
        QCOMPARE(study::resolveModel("pythia@refs/pr/1"), step);
        QCOMPARE(study::resolveModel("pythia@" + commitC), nameless);
        QCOMPARE(study::inspect(step).name, std::string("pythia@refs/pr/1"));
        QCOMPARE(namesOf(study::findModels()),
                 (std::vector<std::string>{"pythia", "pythia@c0ffee00", "pythia@refs/pr/1"}));
        for (const char* absent : {"pythia@step2", "pythia@broken", "pythia@c0"}) {
            const std::string message = messageOf([&] { study::resolveModel(absent); });
            QVERIFY2(has(message, "straightedge fetch pythia@") && has(message, "pythia@c0ffee00"),
                     message.c_str());
        }
    }

    void aCacheMayHoldAnything() {
        const fs::path broken = laySnapshot(model("models--org--broken"), commitA, tiny / "llama");
        layRef(model("models--org--broken"), "main", commitA);
        fs::remove(broken / "model.safetensors");
        fs::create_symlink("../../blobs/gone", broken / "model.safetensors");
        const fs::path linkless = m_cache / "models--org--linkless/snapshots" / commitA;
        fs::create_directories(linkless);
        fs::create_symlink("../../blobs/gone", linkless / "config.json");
        writeFile(model("models--org--begun") / "blobs" / (std::string(64, 'd') + ".incomplete"), "half");
        writeFile(model("models--org--begun") / "refs/main", commitA);
        writeFile(model("datasets--org--texts") / "snapshots" / commitA / "config.json", "{}");
        writeFile(model("models--a--b--c") / "snapshots" / commitA / "config.json", "{}");
        writeFile(model("models--org--odd") / "snapshots/not-a-commit/config.json", "{}");
        writeFile(model("models--org--file"), "a file where a folder should be");
        writeFile(model("version.txt"), "1");
        const study::FoundModels found = study::findModels();
        QCOMPARE(namesOf(found), (std::vector<std::string>{"org/broken"}));
        QVERIFY(has(messageOf([&] { study::inspect(found.models[0].path); }), "holds no weights"));
        QVERIFY(has(messageOf([] { study::resolveModel("org/linkless"); }), "fetch org/linkless"));
        QVERIFY(has(messageOf([] { study::resolveModel("org/begun"); }), "fetch org/begun"));
        QVERIFY(has(messageOf([] { study::resolveModel("org/file"); }), "fetch org/file"));
    }

    void whatCannotBeReadIsSaid() {
        writeFile(model("models--org--round/refs/main"), commitA);
        fs::create_directory_symlink("snapshots", model("models--org--round/snapshots"));
        const study::FoundModels found = study::findModels();
        QVERIFY(found.models.empty());
        QCOMPARE(found.notes.size(), 1U);
        QVERIFY(has(found.notes[0], "models--org--round/snapshots cannot be read"));
        QVERIFY(has(messageOf([] { study::resolveModel("org/round"); }), "cannot be looked for"));
    }

    void whatMayNotBeReadIsSaid() {
        if (::geteuid() == 0)
            QSKIP("nothing is forbidden to this user");
        laySnapshot(model("models--org--llama"), commitA, tiny / "llama");
        fs::permissions(model("models--org--llama") / "snapshots", fs::perms::none);
        const study::FoundModels found = study::findModels();
        const std::string message = messageOf([] { study::resolveModel("org/llama"); });
        fs::permissions(model("models--org--llama") / "snapshots", fs::perms::owner_all);
        QVERIFY(found.models.empty());
        QCOMPARE(found.notes.size(), 1U);
        QVERIFY2(has(message, "cannot be"), message.c_str());
    }

    void ggufFilesOfASnapshotAreModels() {
        const fs::path files = fs::path(m_folder->path().toStdString()) / "files";
        fs::create_directories(files);
        fs::copy_file(tiny / "llama-f32.gguf", files / "tiny.F32.gguf");
        const fs::path one = laySnapshot(model("models--org--one-GGUF"), commitA, files);
        layRef(model("models--org--one-GGUF"), "main", commitA);
        QCOMPARE(study::resolveModel("org/one-GGUF"), one / "tiny.F32.gguf");
        QCOMPARE(study::inspect(one / "tiny.F32.gguf").name, std::string("tiny.F32"));
        fs::copy_file(tiny / "llama-f32.gguf", files / "tiny.F16.gguf");
        const fs::path two = laySnapshot(model("models--org--two-GGUF"), commitA, files);
        layRef(model("models--org--two-GGUF"), "main", commitA);
        QVERIFY(has(messageOf([] { study::resolveModel("org/two-GGUF"); }), "org/two-GGUF/tiny.F16.gguf"));
        QCOMPARE(study::resolveModel("org/two-GGUF/tiny.F32.gguf"), two / "tiny.F32.gguf");
        QCOMPARE(namesOf(study::findModels()),
                 (std::vector<std::string>{"org/one-GGUF/tiny.F32.gguf", "org/two-GGUF/tiny.F16.gguf",
                                           "org/two-GGUF/tiny.F32.gguf"}));
        for (const study::FoundModel& found : study::findModels().models)
            QCOMPARE(study::resolveModel(found.name), found.path);
    }

    void addedFoldersAreLookedInto() {
        const fs::path home = m_folder->path().toStdString();
        const fs::path mine = home / "mine";
        fs::create_directories(mine / "deep/deeper");
        fs::copy_file(tiny / "llama-f32.gguf", mine / "deep/deeper/small.gguf");
        fs::copy_file(tiny / "llama-f32.gguf", mine / "deep/parts-00001-of-00002.gguf");
        fs::copy_file(tiny / "llama-f32.gguf", mine / "deep/parts-00002-of-00002.gguf");
        fs::create_directory_symlink(tiny / "gpt2", mine / "linked");
        fs::create_directory_symlink("..", mine / "deep/round");  // ends all the same
        laySnapshot(mine / "models--org--moved", commitB, tiny / "llama");
        QVERIFY(study::findModels().models.empty());
        study::addModelFolder(mine);
        study::addModelFolder(mine / ".");
        study::addModelFolder(home / "gone");
        QCOMPARE(study::modelFolders().size(), 2U);
        const study::FoundModels found = study::findModels();
        const auto names = namesOf(found);
        for (const char* name : {"small", "parts-00001-of-00002", "linked", "org/moved@bbbbbbbb"})
            QVERIFY2(std::ranges::count(names, name) >= 1, name);
        QCOMPARE(std::ranges::count(names, "parts-00002-of-00002"), 0);
        QVERIFY(std::ranges::any_of(found.notes,
                                    [](const auto& note) { return has(note, "gone is not there"); }));
        QCOMPARE(study::resolveModel("linked"), mine / "linked");
        study::removeModelFolder(mine);
        study::removeModelFolder(home / "gone");
        QVERIFY(study::findModels().models.empty());
    }

    void aPathIsNoName() {
        QVERIFY(has(messageOf([] { study::resolveModel("/nowhere/model"); }),
                    "/nowhere/model: there is no such"));
        QVERIFY(has(messageOf([] { study::resolveModel("./model"); }), "there is no such file"));
        QVERIFY(has(messageOf([] { study::resolveModel("no such thing"); }), "straightedge models"));
    }
};

QTEST_GUILESS_MAIN(TestCache)
#include "tst_cache.moc"
