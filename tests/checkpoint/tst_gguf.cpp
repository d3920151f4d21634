// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>
#include <algorithm>
#include <iterator>

#include "checkpoint_files.h"

using namespace straightedge;
using namespace straightedge::checkpoint;
namespace fs = std::filesystem;

namespace {

// As numbered by the format.
enum Type : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };
enum GgmlType : std::uint32_t { GgmlF32 = 0, GgmlQ4_0 = 2, GgmlQ8_0 = 8, GgmlIQ3_S = 21 };

std::string text(const std::string& value) {
    return bytesOf<std::uint64_t>(value.size()) + value;
}

std::string entry(const std::string& key, std::uint32_t type, const std::string& value) {
    return text(key) + bytesOf(type) + value;
}

std::string array(std::uint32_t type, std::uint64_t count, const std::string& values) {
    return bytesOf(type) + bytesOf(count) + values;
}

// `sizes` in the file's order, innermost first.
std::string tensor(const std::string& name, const std::vector<std::uint64_t>& sizes, std::uint32_t type,
                   std::uint64_t offset) {
    std::string info = text(name) + bytesOf(static_cast<std::uint32_t>(sizes.size()));
    for (const std::uint64_t size : sizes)
        info += bytesOf(size);
    return info + bytesOf(type) + bytesOf(offset);
}

struct Gguf {
    std::string magic = "GGUF";
    std::uint32_t version = 3;
    std::vector<std::string> metadata = {};
    std::vector<std::string> tensors = {};
    std::string data = {};
    std::uint64_t alignment = 32;

    std::string bytes() const {
        std::string file = magic + bytesOf(version) + bytesOf<std::uint64_t>(tensors.size()) +
                           bytesOf<std::uint64_t>(metadata.size());
        for (const std::string& value : metadata)
            file += value;
        for (const std::string& info : tensors)
            file += info;
        file.resize((file.size() + alignment - 1) / alignment * alignment);
        return file + data;
    }
};

// A 2 x 3 matrix and a Q8_0 row, in the metadata a nested array.
Gguf sound() {
    const std::string block = std::string("\x00\x40", 2) + std::string(32, '\x03');  // 2 * 3 = 6 each
    return {.metadata = {entry("general.architecture", String, text("llama")),
                         entry("llama.block_count", U32, bytesOf<std::uint32_t>(2)),
                         entry("nested", Array,
                               array(Array, 2, array(U8, 2, "\x01\x02") + array(String, 1, text("x"))))},
            .tensors = {tensor("matrix", {3, 2}, GgmlF32, 0), tensor("row", {32}, GgmlQ8_0, 32)},
            .data = floats({1, 2, 3, 4, 5, 6}) + std::string(8, '\0') + block};
}

}  // namespace

class TestGguf : public QObject {
    Q_OBJECT

  private:
    QTemporaryDir m_dir;

    fs::path file() const { return fs::path(m_dir.path().toStdString()) / "model.gguf"; }

    std::unique_ptr<Checkpoint> open(const Gguf& gguf) const {
        writeFile(file(), gguf.bytes());
        return Checkpoint::open(file());
    }

  private Q_SLOTS:
    void readsBothVersions_data() {
        QTest::addColumn<std::uint32_t>("version");
        QTest::newRow("2") << std::uint32_t{2};
        QTest::newRow("3") << std::uint32_t{3};
    }
    void readsBothVersions() {
        QFETCH(std::uint32_t, version);
        Gguf gguf = sound();
        gguf.version = version;
        const auto checkpoint = open(gguf);
        QVERIFY(checkpoint->format() == Format::Gguf);
        QCOMPARE(checkpoint->location().filename().string(), "model.gguf");
        QCOMPARE(checkpoint->metadata().at("general.architecture").get<std::string>(), "llama");
        QCOMPARE(checkpoint->metadata().at("nested").dump(), R"([[1,2],["x"]])");
        QCOMPARE(checkpoint->tensors().size(), std::size_t{2});
        QCOMPARE(valuesOf(checkpoint->tensor("matrix", {2, 3})), (std::vector<float>{1, 2, 3, 4, 5, 6}));
        QCOMPARE(valuesOf(checkpoint->tensor("row", {32})), std::vector<float>(32, 6.0F));
    }

    void readsEveryMetadataType() {
        const auto checkpoint = open({.metadata = {
                                          entry("u8", U8, bytesOf<std::uint8_t>(200)),
                                          entry("i8", I8, bytesOf<std::int8_t>(-100)),
                                          entry("u16", U16, bytesOf<std::uint16_t>(60'000)),
                                          entry("i16", I16, bytesOf<std::int16_t>(-30'000)),
                                          entry("u32", U32, bytesOf<std::uint32_t>(4'000'000'000)),
                                          entry("i32", I32, bytesOf<std::int32_t>(-2'000'000'000)),
                                          entry("f32", F32, bytesOf(0.1F)),
                                          entry("bool", Bool, bytesOf<std::uint8_t>(1)),
                                          entry("string", String, text("a\tb \xC3\xA9")),
                                          entry("array", Array,
                                                array(I32, 3,
                                                      bytesOf<std::int32_t>(1) + bytesOf<std::int32_t>(-2) +
                                                          bytesOf<std::int32_t>(3))),
                                          entry("none", Array, array(String, 0, "")),
                                          entry("u64", U64, bytesOf<std::uint64_t>(UINT64_MAX)),
                                          entry("i64", I64, bytesOf<std::int64_t>(INT64_MIN)),
                                          entry("f64", F64, bytesOf(0.1)),
                                      }});
        const nlohmann::json& metadata = checkpoint->metadata();
        QCOMPARE(metadata.size(), std::size_t{14});
        QCOMPARE(metadata.at("u8").get<int>(), 200);
        QCOMPARE(metadata.at("i8").get<int>(), -100);
        QCOMPARE(metadata.at("u16").get<int>(), 60'000);
        QCOMPARE(metadata.at("i16").get<int>(), -30'000);
        QCOMPARE(metadata.at("u32").get<std::uint32_t>(), 4'000'000'000U);
        QCOMPARE(metadata.at("i32").get<int>(), -2'000'000'000);
        QCOMPARE(metadata.at("f32").get<float>(), 0.1F);
        QVERIFY(metadata.at("bool").get<bool>());
        QCOMPARE(metadata.at("string").get<std::string>(), "a\tb \xC3\xA9");
        QCOMPARE(metadata.at("array").dump(), "[1,-2,3]");
        QCOMPARE(metadata.at("none").dump(), "[]");
        QCOMPARE(metadata.at("u64").get<std::uint64_t>(), UINT64_MAX);
        QCOMPARE(metadata.at("i64").get<std::int64_t>(), INT64_MIN);
        QCOMPARE(metadata.at("f64").get<double>(), 0.1);
        QVERIFY(checkpoint->tensors().empty());
    }

    void honoursAlignment() {
        for (const std::uint32_t alignment : {1U, 8U, 256U}) {
            const auto checkpoint = open({.metadata = {entry("general.alignment", U32, bytesOf(alignment))},
                                          .tensors = {tensor("t", {2}, GgmlF32, 0)},
                                          .data = floats({1, 2}),
                                          .alignment = alignment});
            QCOMPARE(valuesOf(*checkpoint, "t"), (std::vector<float>{1, 2}));
        }
    }

    void readsScalarAndFourDimensions() {
        const auto checkpoint =
            open({.tensors = {tensor("scalar", {}, GgmlF32, 0), tensor("four", {1, 2, 1, 3}, GgmlF32, 32)},
                  .data = floats({7}) + std::string(28, '\0') + floats({1, 2, 3, 4, 5, 6})});
        QCOMPARE(valuesOf(checkpoint->tensor("scalar", {})), std::vector<float>{7});
        QCOMPARE(checkpoint->tensor("four", {3, 1, 2, 1}).rows(), 6);
    }

    void opensByMagicAndOutsideAscii() {
        const fs::path path = fs::path(m_dir.path().toStdString()) / fs::path(u8"模型 é без имени");
        writeFile(path, sound().bytes());
        QCOMPARE(Checkpoint::open(path)->tensors().size(), std::size_t{2});
        QCOMPARE(Checkpoint::open(path)->identity().path.filename().u8string(), path.filename().u8string());
    }

    void identityIsOfTheHeader() {
        Gguf gguf = sound();
        const FileIdentity before = open(gguf)->identity();
        QCOMPARE(before.bytes, std::uint64_t{gguf.bytes().size()});
        QCOMPARE(before.headerHash.size(), std::size_t{64});
        gguf.data.back() ^= 1;
        QCOMPARE(open(gguf)->identity().headerHash, before.headerHash);
        gguf.metadata[1] = entry("llama.block_count", U32, bytesOf<std::uint32_t>(3));
        QVERIFY(open(gguf)->identity().headerHash != before.headerHash);
    }

    void refusesMalformation_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* row, const std::string& bytes, const char* message) {
            QTest::newRow(row) << QByteArray::fromStdString(bytes) << message;
        };
        const auto addMetadata = [&](const char* row, const std::vector<std::string>& metadata,
                                     const char* message) {
            Gguf gguf = sound();
            gguf.metadata = metadata;
            add(row, gguf.bytes(), message);
        };
        const auto addTensors = [&](const char* row, const std::vector<std::string>& tensors,
                                    const char* message) {
            Gguf gguf = sound();
            gguf.tensors = tensors;
            add(row, gguf.bytes(), message);
        };
        const std::string one = bytesOf<std::uint32_t>(1);

        add("empty file", "", "the file is empty");
        add("no GGUF", "GGML" + sound().bytes().substr(4), "this is not a GGUF file");
        add("version 1", "GGUF" + bytesOf<std::uint32_t>(1) + std::string(100, '\0'), "version 1");
        add("version 4", "GGUF" + bytesOf<std::uint32_t>(4) + std::string(100, '\0'), "version 4");
        add("big-endian", "GGUF" + std::string("\x00\x00\x00\x03", 4) + std::string(100, '\0'), "big-endian");
        add("more tensors than the file",
            "GGUF" + bytesOf<std::uint32_t>(3) + bytesOf(UINT64_MAX) + bytesOf<std::uint64_t>(0),
            "the name of tensor 0 reaches beyond the end");
        add("more metadata than the file",
            "GGUF" + bytesOf<std::uint32_t>(3) + bytesOf<std::uint64_t>(0) + bytesOf(UINT64_MAX),
            "the name of metadata entry 0 reaches beyond the end");

        addMetadata("unknown value type", {entry("k", 13, one)}, "'k' has an unknown type");
        addMetadata("unknown array type", {entry("k", Array, array(99, 1, one))}, "'k' has an unknown type");
        addMetadata("string longer than the file", {entry("k", String, bytesOf<std::uint64_t>(UINT64_MAX))},
                    "'k' reaches beyond the end");
        addMetadata("key longer than the file", {bytesOf<std::uint64_t>(1U << 30)},
                    "metadata entry 0 reaches beyond");
        addMetadata("array longer than the file", {entry("k", Array, array(U8, UINT64_MAX, ""))},
                    "'k' is longer than the file");
        addMetadata("array of numbers longer than the file", {entry("k", Array, array(U64, 150, ""))},
                    "'k' reaches beyond the end");
        std::string deep = array(U8, 1, "\x01");
        for (int i = 0; i < 100; ++i)
            deep = array(Array, 1, deep);
        addMetadata("nested without end", {entry("k", Array, deep)}, "'k' is nested too deeply");
        addMetadata("neither true nor false", {entry("k", Bool, "\x02")}, "neither true nor false");
        addMetadata("key twice", {entry("k", U32, one), entry("k", U32, one)}, "'k' is there twice");
        addMetadata("alignment zero", {entry("general.alignment", U32, bytesOf<std::uint32_t>(0))},
                    "power of two");
        addMetadata("alignment 24", {entry("general.alignment", U32, bytesOf<std::uint32_t>(24))},
                    "power of two");
        addMetadata("alignment 2^63", {entry("general.alignment", U64, bytesOf(std::uint64_t{1} << 63))},
                    "power of two");
        addMetadata("alignment a string", {entry("general.alignment", String, text("32"))}, "power of two");
        addMetadata("alignment negative", {entry("general.alignment", I32, bytesOf<std::int32_t>(-32))},
                    "power of two");
        addMetadata("split file", {entry("split.count", U16, bytesOf<std::uint16_t>(3))},
                    "one of several GGUF files, but its name");

        addTensors("five dimensions", {tensor("t", {1, 1, 1, 1, 1}, GgmlF32, 0)}, "too many dimensions");
        addTensors("size of 2^63", {tensor("t", {std::uint64_t{1} << 63}, GgmlF32, 0)}, "impossibly large");
        addTensors("product overflows",
                   {tensor("t", {std::uint64_t{1} << 32, std::uint64_t{1} << 31}, GgmlF32, 0)},
                   "impossibly large");
        addTensors("bytes overflow", {tensor("t", {std::uint64_t{1} << 62}, GgmlF32, 0)}, "impossibly large");
        addTensors("type not supported", {tensor("t", {256}, GgmlIQ3_S, 0)},
                   "GGML type IQ3_S is not supported");
        addTensors("type not known", {tensor("t", {256}, 1234, 0)}, "GGML type number 1234 is not supported");
        addTensors("row no whole number of blocks", {tensor("t", {16, 2}, GgmlQ4_0, 0)},
                   "does not fit the quantization");
        addTensors("offset not aligned", {tensor("t", {1}, GgmlF32, 4)}, "not aligned");
        addTensors("outside the file", {tensor("t", {64}, GgmlF32, 0)}, "tensor 't' reaches beyond the end");
        addTensors("starts outside the file", {tensor("t", {1}, GgmlF32, 1 << 20)},
                   "tensor 't' reaches beyond the end");
        addTensors("offset near 2^64", {tensor("t", {1}, GgmlF32, UINT64_MAX - 31)},
                   "tensor 't' reaches beyond the end");
        addTensors("overlap", {tensor("t", {12}, GgmlF32, 0), tensor("u", {1}, GgmlF32, 32)},
                   "overlaps another");
        addTensors("name twice", {tensor("t", {1}, GgmlF32, 0), tensor("t", {1}, GgmlF32, 32)},
                   "'t' is there twice");
    }
    void refusesMalformation() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        writeFile(file(), bytes.toStdString());
        const QString error = QString::fromStdString(errorOf(file()));
        QVERIFY2(error.contains(message), qPrintable(error));
        QVERIFY2(error.contains("model.gguf"), qPrintable(error));
    }

    // A value takes many times the memory that it takes in the file.
    void refusesTooManyValues() {
        const std::uint64_t count = 8'000'001;
        writeFile(file(),
                  Gguf{.metadata = {entry("k", Array, array(U8, count, std::string(count, '\0')))}}.bytes());
        QVERIFY(errorOf(file()).find("too many values") != std::string::npos);
    }

    // Two files as gguf-split writes them: the model's metadata in the first only.
    std::vector<Gguf> split() const {
        const auto numbers = [](std::uint16_t no, std::int32_t tensors) {
            return std::vector{entry("split.no", U16, bytesOf(no)),
                               entry("split.count", U16, bytesOf<std::uint16_t>(2)),
                               entry("split.tensors.count", I32, bytesOf(tensors))};
        };
        Gguf first = sound();
        std::ranges::copy(numbers(0, 3), std::back_inserter(first.metadata));
        return {first,
                {.metadata = numbers(1, 3),
                 .tensors = {tensor("last", {2}, GgmlF32, 0)},
                 .data = floats({7, 8})}};
    }
    fs::path part(int number) const {
        return fs::path(m_dir.path().toStdString()) /
               ("split-0000" + std::to_string(number) + "-of-00002.gguf");
    }

    void readsAllFilesOfASplitModel() {
        const auto files = split();
        writeFile(part(1), files[0].bytes());
        writeFile(part(2), files[1].bytes());
        for (const int number : {1, 2}) {
            const auto checkpoint = Checkpoint::open(part(number));
            QVERIFY(checkpoint->location().filename() == part(1).filename());
            QCOMPARE(checkpoint->metadata().at("general.architecture").get<std::string>(), "llama");
            QCOMPARE(checkpoint->tensors().size(), std::size_t{3});
            QCOMPARE(valuesOf(checkpoint->tensor("matrix", {2, 3})), (std::vector<float>{1, 2, 3, 4, 5, 6}));
            QCOMPARE(valuesOf(checkpoint->tensor("last", {2})), (std::vector<float>{7, 8}));
            QCOMPARE(checkpoint->identity().bytes, fs::file_size(part(1)) + fs::file_size(part(2)));
        }
    }

    void refusesSplitModels() {
        const auto message = [this](const std::vector<Gguf>& files, int opened = 1) {
            for (std::size_t i = 0; i < files.size(); ++i)
                writeFile(part(static_cast<int>(i) + 1), files[i].bytes());
            return QString::fromStdString(errorOf(part(opened)));
        };
        fs::remove(part(2));
        QVERIFY(message({split()[0]}).contains("split-00002-of-00002.gguf: one of the files"));
        auto files = split();
        files[1].metadata[0] = entry("split.no", U16, bytesOf<std::uint16_t>(0));
        QVERIFY(message(files).contains("split-00002-of-00002.gguf: the file is not the part"));
        files = split();
        files[1].metadata[1] = entry("split.count", U16, bytesOf<std::uint16_t>(3));
        QVERIFY(message(files).contains("not the part that its name says"));
        QVERIFY(message(files, 2).contains("a name that ends in -00002-of-00003.gguf"));
        files = split();
        files[1].tensors = {};
        QVERIFY(message(files).contains("do not hold all its tensors"));
        files = split();
        files[1].tensors = {tensor("row", {2}, GgmlF32, 0)};
        QVERIFY(message(files).contains("'row' is there twice"));
        files = split();
        files[1].data.pop_back();
        QVERIFY(message(files).contains("reaches beyond the end"));
        QCOMPARE(message(split()), QString());
    }

    void oneOfOneFilesIsNotSplit() {
        QVERIFY(open({.metadata = {entry("split.count", U16, bytesOf<std::uint16_t>(1))}}) != nullptr);
    }

    void refusesEveryTruncation() {
        const std::string whole = sound().bytes();
        for (std::size_t size = 0; size < whole.size(); ++size) {
            writeFile(file(), whole.substr(0, size));
            QVERIFY2(!errorOf(file()).empty(), qPrintable(QString("opened with %1 bytes").arg(size)));
        }
    }

    void survivesBitFlips() {
        const Outcomes outcomes = openWithBitFlips(file(), file(), sound().bytes(), 4000);
        QVERIFY(outcomes.opened > 0);  // flips in the data, in padding or in a name change no promise
        QVERIFY(outcomes.refused > 1000);
    }
};

QTEST_GUILESS_MAIN(TestGguf)
#include "tst_gguf.moc"
