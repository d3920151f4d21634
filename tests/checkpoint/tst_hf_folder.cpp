// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>
#ifdef Q_OS_UNIX
#include <sys/stat.h>
#include <unistd.h>
#endif

#include "checkpoint_files.h"

using namespace straightedge;
using namespace straightedge::checkpoint;
namespace fs = std::filesystem;

namespace {

constexpr const char* firstShard = "model-00001-of-00002.safetensors";
constexpr const char* secondShard = "model-00002-of-00002.safetensors";
constexpr const char* indexName = "model.safetensors.index.json";

std::string oneTensor(const std::string& name, float value) {
    return safetensors("{\"" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                       bytesOf(value));
}

std::string indexOf(const std::string& weightMap) {
    return R"({"metadata":{"total_size":8},"weight_map":)" + weightMap + "}";
}

// The weight_map of tensors and their shards.
std::string mapOf(const std::vector<std::pair<std::string, std::string>>& entries) {
    std::string map;
    for (const auto& [tensor, shard] : entries)
        map += std::string(map.empty() ? "{" : ",") + "\"" + tensor + "\":\"" + shard + "\"";
    return map + "}";
}

}  // namespace

class TestHfFolder : public QObject {
    Q_OBJECT

  private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;

    void writeShards() const {
        writeFile(m_folder / firstShard, oneTensor("a", 1));
        writeFile(m_folder / secondShard, oneTensor("b", 2));
        writeFile(m_folder / indexName, indexOf(mapOf({{"a", firstShard}, {"b", secondShard}})));
    }

    static void compareError(const fs::path& path, const QString& message) {
        const QString error = QString::fromStdString(errorOf(path));
        QVERIFY2(error.contains(message), qPrintable(error.isEmpty() ? "it opened" : error));
    }

  private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        QVERIFY(m_dir->isValid());
        m_folder = fs::canonical(m_dir->path().toStdString());
        writeFile(m_folder / "config.json", R"({"model_type":"llama","hidden_size":64})");
    }

    void opensOneFileByAnyOfItsPaths() {
        writeFile(m_folder / "model.safetensors", oneTensor("a", 1));
        for (const fs::path& path :
             {m_folder, m_folder / "", m_folder / "config.json", m_folder / "model.safetensors"}) {
            const auto checkpoint = Checkpoint::open(path);
            QVERIFY(checkpoint->location() == m_folder);
            QCOMPARE(checkpoint->metadata().at("hidden_size").get<int>(), 64);
            QVERIFY(checkpoint->identity().path == m_folder / "model.safetensors");
            QCOMPARE(valuesOf(*checkpoint, "a"), std::vector<float>{1});
        }
    }

    void opensShardsByAnyOfTheirPaths() {
        writeShards();
        for (const fs::path& path : {m_folder, m_folder / "config.json", m_folder / indexName,
                                     m_folder / firstShard, m_folder / secondShard}) {
            const auto checkpoint = Checkpoint::open(path);
            QVERIFY(checkpoint->location() == m_folder);
            QCOMPARE(checkpoint->tensors().size(), std::size_t{2});
            QCOMPARE(valuesOf(*checkpoint, "a"), std::vector<float>{1});
            QCOMPARE(valuesOf(*checkpoint, "b"), std::vector<float>{2});
            const FileIdentity identity = checkpoint->identity();
            QVERIFY(identity.path == m_folder / indexName);
            QCOMPARE(identity.bytes,
                     fs::file_size(m_folder / firstShard) + fs::file_size(m_folder / secondShard));
        }
    }

    void identityDependsOnEveryShard() {
        writeShards();
        const std::string before = Checkpoint::open(m_folder)->identity().headerHash;
        writeFile(m_folder / secondShard,
                  safetensors(R"({"b":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}})", "1234"));
        QVERIFY(Checkpoint::open(m_folder)->identity().headerHash != before);
    }

    void oneFileGoesBeforeShards() {
        writeShards();
        writeFile(m_folder / "model.safetensors", oneTensor("whole", 3));
        QVERIFY(Checkpoint::open(m_folder)->find("whole") != nullptr);
        QVERIFY(Checkpoint::open(m_folder / indexName)->find("a") != nullptr);
    }

    // The tensor that the index assigns to another shard is not taken for a second one.
    void theIndexDecidesWhichShard() {
        writeShards();
        writeFile(m_folder / secondShard,
                  safetensors(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                              R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
                              floats({9, 2})));
        const auto checkpoint = Checkpoint::open(m_folder);
        QCOMPARE(checkpoint->tensors().size(), std::size_t{2});
        QCOMPARE(valuesOf(*checkpoint, "a"), std::vector<float>{1});
    }

    void opensNamesOutsideAscii() {
        const fs::path folder = m_folder / fs::path(u8"модель ∂ 模型 é");
        fs::create_directory(folder);
        writeFile(folder / "config.json", "{}");
        writeFile(folder / fs::path(u8"gewichte-größe.safetensors"), oneTensor("a", 1));
        QCOMPARE(valuesOf(*Checkpoint::open(folder / fs::path(u8"gewichte-größe.safetensors")), "a"),
                 std::vector<float>{1});
        writeFile(folder / "model.safetensors", oneTensor("a", 2));
        QCOMPARE(valuesOf(*Checkpoint::open(folder), "a"), std::vector<float>{2});
        writeFile(folder / fs::path(u8"größe.safetensors"), oneTensor("b", 3));
        writeFile(folder / indexName, indexOf("{\"b\":\"gr\xC3\xB6\xC3\x9F"
                                              "e.safetensors\"}"));
        QCOMPARE(valuesOf(*Checkpoint::open(folder / indexName), "b"), std::vector<float>{3});
    }

    // As in the hub's cache, where a snapshot's files are links to blobs with other names.
    void followsLinksButKeepsTheirNames() {
        fs::create_directory(m_folder / "blobs");
        fs::create_directory(m_folder / "snapshot");
        writeFile(m_folder / "blobs" / "0a", "{}");
        writeFile(m_folder / "blobs" / "0b", oneTensor("a", 1));
        fs::create_symlink("../blobs/0a", m_folder / "snapshot" / "config.json");
        fs::create_symlink("../blobs/0b", m_folder / "snapshot" / "model.safetensors");
        for (const char* name : {"", "config.json", "model.safetensors"})
            QCOMPARE(valuesOf(*Checkpoint::open(m_folder / "snapshot" / name), "a"), std::vector<float>{1});
    }

    void refusesAbsentPath() {
        compareError(m_folder / "absent", "there is no such file or folder");
        compareError({}, "there is no such file or folder");
    }

    void refusesFolderWithoutConfig() {
        writeFile(m_folder / "model.safetensors", oneTensor("a", 1));
        fs::remove(m_folder / "config.json");
        compareError(m_folder, "config.json is missing");
        compareError(m_folder / "model.safetensors", "config.json is missing");
    }

    void refusesFolderWithoutWeights() { compareError(m_folder, "the folder holds no weights"); }

    void refusesOtherFiles() {
        writeFile(m_folder / "tokenizer.json", "{}");
        compareError(m_folder / "tokenizer.json", "not a checkpoint that can be read");
    }

    void refusesUnreadableFile() {
#ifdef Q_OS_UNIX
        writeFile(m_folder / "model.safetensors", oneTensor("a", 1));
        fs::permissions(m_folder / "model.safetensors", fs::perms::none);
        if (::access((m_folder / "model.safetensors").c_str(), R_OK) == 0)
            QSKIP("this user may read everything");
        compareError(m_folder, "the file cannot be opened");
#endif
    }

    // Opening one would wait for a writer for ever.
    void refusesPipe() {
#ifdef Q_OS_UNIX
        QCOMPARE(::mkfifo((m_folder / "pipe.gguf").c_str(), 0600), 0);
        compareError(m_folder / "pipe.gguf", "not a regular file");
        QCOMPARE(::mkfifo((m_folder / "pipe").c_str(), 0600), 0);
        compareError(m_folder / "pipe", "not a checkpoint");
#endif
    }

    void refusesBadConfig_data() {
        QTest::addColumn<QByteArray>("config");
        QTest::addColumn<QString>("message");
        QTest::newRow("empty") << QByteArray() << "the file is empty";
        QTest::newRow("not JSON") << QByteArray("{\"a\":") << "the JSON text cannot be read";
        QTest::newRow("not an object") << QByteArray("[1]") << "the JSON text is not an object";
        QTest::newRow("GPTQ") << QByteArray(R"({"quantization_config":{"quant_method":"gptq"}})")
                              << "quantized with 'gptq' are not supported";
        QTest::newRow("AWQ") << QByteArray(R"({"quantization_config":{"quant_method":"awq"}})")
                             << "quantized with 'awq' are not supported";
        QTest::newRow("bitsandbytes")
            << QByteArray(R"({"quantization_config":{"quant_method":"bitsandbytes"}})")
            << "quantized with 'bitsandbytes' are not supported";
        QTest::newRow("bitsandbytes of old")
            << QByteArray("{\"quantization_config\":{\"load_in_8bit\":true}}")
            << "quantized with 'bitsandbytes' are not supported";
        QTest::newRow("without a method")
            << QByteArray(R"({"quantization_config":{}})") << "quantized with 'unknown' are not supported";
    }
    void refusesBadConfig() {
        QFETCH(QByteArray, config);
        QFETCH(QString, message);
        writeFile(m_folder / "model.safetensors", oneTensor("a", 1));
        writeFile(m_folder / "config.json", config.toStdString());
        compareError(m_folder, message);
        compareError(m_folder, "config.json");
    }

    void acceptsNullQuantization() {
        writeFile(m_folder / "model.safetensors", oneTensor("a", 1));
        writeFile(m_folder / "config.json", R"({"quantization_config":null})");
        QCOMPARE(errorOf(m_folder), "");
    }

    void refusesBadIndex_data() {
        QTest::addColumn<QByteArray>("index");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* row, const std::string& index, const char* message) {
            QTest::newRow(row) << QByteArray::fromStdString(index) << message;
        };
        add("not JSON", "{", "the JSON text cannot be read");
        add("no weight_map", "{}", "has no weight_map");
        add("weight_map a list", indexOf("[]"), "has no weight_map");
        add("weight_map empty", indexOf("{}"), "names no tensors");
        add("shard a number", indexOf(R"({"a":1})"), "gives no file for tensor 'a'");
        add("shard missing", indexOf(mapOf({{"a", firstShard}, {"b", "model-00003-of-00002.safetensors"}})),
            "shard 'model-00003-of-00002.safetensors' is missing");
        add("tensor not in its shard", indexOf(mapOf({{"a", firstShard}, {"b", firstShard}})),
            "tensor 'b' is not in the shard");
        add("parent folder", indexOf(R"({"a":"../model.safetensors"})"), "not a plain file name");
        add("two dots", indexOf(R"({"a":".."})"), "not a plain file name");
        add("absolute", indexOf(R"({"a":"/etc/passwd"})"), "not a plain file name");
        add("subfolder", indexOf(R"({"a":"sub/model.safetensors"})"), "not a plain file name");
        add("backslash", indexOf(R"({"a":"sub\\model.safetensors"})"), "not a plain file name");
        add("drive", indexOf(R"({"a":"c:model.safetensors"})"), "not a plain file name");
        add("NUL", indexOf(R"({"a":"model\u0000.safetensors"})"), "not a plain file name");
        add("empty name", indexOf(R"({"a":""})"), "not a plain file name");
    }
    void refusesBadIndex() {
        QFETCH(QByteArray, index);
        QFETCH(QString, message);
        writeShards();
        writeFile(m_folder / indexName, index.toStdString());
        compareError(m_folder, message);
        compareError(m_folder, indexName);
    }

    void refusesDamagedShard() {
        writeShards();
        fs::resize_file(m_folder / secondShard, fs::file_size(m_folder / secondShard) - 1);
        compareError(m_folder, secondShard);
    }

    void refusesShardWithoutIndex() {
        writeShards();
        fs::remove(m_folder / indexName);
        compareError(m_folder / firstShard, "no index beside it names it");
        compareError(m_folder, "the folder holds no weights");
    }
};

QTEST_GUILESS_MAIN(TestHfFolder)
#include "tst_hf_folder.moc"
