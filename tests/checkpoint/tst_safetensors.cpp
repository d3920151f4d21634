// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "checkpoint_files.h"

using namespace straightedge;
using namespace straightedge::checkpoint;
namespace fs = std::filesystem;

namespace {

// A matrix, a half-precision vector, a scalar and an empty tensor; in the header in another order than in the
// data.
const std::string soundHeader = R"({"__metadata__":{"format":"pt"},)"
                                R"("b.half":{"dtype":"F16","shape":[2],"data_offsets":[24,28]},)"
                                R"("a.matrix":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
                                R"("c.scalar":{"dtype":"BF16","shape":[],"data_offsets":[28,30]},)"
                                R"("d.empty":{"dtype":"F32","shape":[0,5],"data_offsets":[28,28]}})";
const std::string soundData =
    floats({1, 2, 3, 4, 5, 6}) + std::string("\x00\x3C\x00\xC0", 4) + std::string("\xC0\x3F", 2);

}  // namespace

class TestSafetensors : public QObject {
    Q_OBJECT

  private:
    QTemporaryDir m_dir;

    fs::path folder() const { return m_dir.path().toStdString(); }
    fs::path file() const { return folder() / "model.safetensors"; }

  private Q_SLOTS:
    void init() {
        QVERIFY(m_dir.isValid());
        writeFile(folder() / "config.json", R"({"model_type":"gpt2"})");
        writeFile(file(), safetensors(soundHeader, soundData));
    }

    void readsTensorsInTheOrderOfTheData() {
        const auto checkpoint = Checkpoint::open(folder());
        QVERIFY(checkpoint->format() == Format::HuggingFace);
        QCOMPARE(checkpoint->tensors().size(), std::size_t{4});
        QCOMPARE(checkpoint->tensors()[0].name, "a.matrix");
        QCOMPARE(checkpoint->tensors()[1].name, "b.half");
        QCOMPARE(valuesOf(*checkpoint, "a.matrix"), (std::vector<float>{1, 2, 3, 4, 5, 6}));
        QCOMPARE(valuesOf(*checkpoint, "b.half"), (std::vector<float>{1, -2}));
        QCOMPARE(valuesOf(*checkpoint, "c.scalar"), (std::vector<float>{1.5F}));
        const TensorView& empty = checkpoint->tensor("d.empty", {0, 5});
        QCOMPARE(empty.elements(), 0);
        QCOMPARE(empty.rows(), 0);
        QVERIFY(valuesOf(empty).empty());
        QVERIFY(checkpoint->find("__metadata__") == nullptr);
    }

    void readsSomeRows() {
        const auto checkpoint = Checkpoint::open(folder());
        const TensorView& matrix = checkpoint->tensor("a.matrix", {2, 3});
        std::vector<float> row(3);
        toFloat32(matrix, 1, 1, row);
        QCOMPARE(row, (std::vector<float>{4, 5, 6}));
        toFloat32(matrix, 2, 0, {});
        QVERIFY_EXCEPTION_THROWN(toFloat32(matrix, 2, 1, row), Error);
        QVERIFY_EXCEPTION_THROWN(toFloat32(matrix, -1, 1, row), Error);
        QVERIFY_EXCEPTION_THROWN(toFloat32(matrix, 1, INT64_MAX, row), Error);
        QVERIFY_EXCEPTION_THROWN(toFloat32(matrix, 0, 2, row), Error);
    }

    void readsEveryDtype_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<int>("bytes");
        QTest::addColumn<bool>("floating");
        const std::tuple<const char*, int, bool> dtypes[] = {
            {"F64", 8, true},  {"F32", 4, true},  {"F16", 2, true}, {"BF16", 2, true}, {"I64", 8, false},
            {"I32", 4, false}, {"I16", 2, false}, {"I8", 1, false}, {"U8", 1, false},  {"BOOL", 1, false}};
        for (const auto& [name, bytes, floating] : dtypes)
            QTest::newRow(name) << QByteArray(name) << bytes << floating;
    }
    void readsEveryDtype() {
        QFETCH(QByteArray, name);
        QFETCH(int, bytes);
        QFETCH(bool, floating);
        const std::string size = std::to_string(3 * bytes);
        writeFile(file(), safetensors(R"({"t":{"dtype":")" + name.toStdString() +
                                          R"(","shape":[3],"data_offsets":[0,)" + size + "]}}",
                                      std::string(static_cast<std::size_t>(3 * bytes), '\0')));
        const auto checkpoint = Checkpoint::open(folder());
        const TensorView& tensor = checkpoint->tensor("t", {3});
        QCOMPARE(std::string(dtypeName(tensor.dtype)), name.toStdString());
        QCOMPARE(tensor.data.size(), static_cast<std::size_t>(3 * bytes));
        if (floating)
            QCOMPARE(valuesOf(tensor), (std::vector<float>{0, 0, 0}));
        else
            QVERIFY_EXCEPTION_THROWN(valuesOf(tensor), Error);
    }

    void refusesMalformation_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* row, const std::string& bytes, const char* message) {
            QTest::newRow(row) << QByteArray::fromStdString(bytes) << message;
        };
        const auto entry = [](const std::string& body) {
            return safetensors("{\"t\":" + body + "}", "12345678");
        };

        add("empty file", "", "the file is empty");
        add("no room for a length", "1234567", "the header's length reaches beyond the end");
        add("header larger than the file", bytesOf<std::uint64_t>(1000) + "{}",
            "the header reaches beyond the end");
        add("length near 2^64", bytesOf<std::uint64_t>(UINT64_MAX) + "{}",
            "the header reaches beyond the end");
        add("length of zero", bytesOf<std::uint64_t>(0), "the JSON text cannot be read");
        add("no JSON", safetensors("{\"t\":", ""), "the JSON text cannot be read");
        add("not an object", safetensors("[]", ""), "the JSON text is not an object");
        add("nested without end", safetensors(std::string(100'000, '['), ""), "nested too deeply");
        add("invalid UTF-8", safetensors("{\"\xFF\":{}}", ""), "the JSON text cannot be read");
        add("Git LFS pointer", "version https://git-lfs.github.com/spec/v1\noid sha256:00\n",
            "Git LFS pointer");
        add("entry not an object", entry("3"), "entry is not an object");
        add("no dtype", entry(R"({"shape":[2],"data_offsets":[0,8]})"), "gives no dtype");
        add("dtype a number", entry(R"({"dtype":1,"shape":[2],"data_offsets":[0,8]})"), "gives no dtype");
        add("dtype not known", entry(R"({"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]})"),
            "dtype 'F8_E4M3' is not supported");
        add("no shape", entry(R"({"dtype":"F32","data_offsets":[0,8]})"), "gives no shape");
        add("negative size", entry(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"),
            "shape is not a list of whole numbers");
        add("fractional size", entry(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"),
            "shape is not a list of whole numbers");
        add("size of 2^63", entry(R"({"dtype":"F32","shape":[9223372036854775808],"data_offsets":[0,8]})"),
            "shape is not a list of whole numbers");
        add("product overflows",
            entry(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})"),
            "impossibly large");
        add("bytes overflow", entry(R"({"dtype":"F32","shape":[4611686018427387905],"data_offsets":[0,8]})"),
            "impossibly large");
        add("overflow before a zero",
            entry(R"({"dtype":"F32","shape":[4294967296,4294967296,0],"data_offsets":[0,0]})"),
            "impossibly large");
        add("no offsets", entry(R"({"dtype":"F32","shape":[2]})"), "gives no data_offsets");
        add("one offset", entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), "a begin and an end");
        add("three offsets", entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})"),
            "a begin and an end");
        add("offsets reversed", entry(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"),
            "end before they begin");
        add("outside the file", entry(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})"),
            "the tensor reaches beyond the end");
        add("smaller than the shape", entry(R"({"dtype":"F32","shape":[2],"data_offsets":[0,4]})"),
            "do not fit the shape and dtype");
        add("larger than the shape", entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,8]})"),
            "do not fit the shape and dtype");
        add("rest", entry(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})"),
            "bytes after the last tensor");
        add("hole", entry(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})"), "bytes before the tensor");
        add("overlap",
            safetensors(R"({"t":{"dtype":"U8","shape":[6],"data_offsets":[0,6]},)"
                        R"("u":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                        "12345678"),
            "overlaps another");
        add("name twice",
            safetensors(R"({"t":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
                        R"("t":{"dtype":"U8","shape":[4],"data_offsets":[4,8]}})",
                        "12345678"),
            "'t' is there twice");
    }
    void refusesMalformation() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        writeFile(file(), bytes.toStdString());
        const QString error = QString::fromStdString(errorOf(folder()));
        QVERIFY2(error.contains(message), qPrintable(error));
        QVERIFY2(error.contains("model.safetensors"), qPrintable(error));
    }

    void refusesEveryTruncation() {
        const std::string sound = safetensors(soundHeader, soundData);
        QCOMPARE(errorOf(folder()), "");
        for (std::size_t size = 0; size < sound.size(); ++size) {
            writeFile(file(), sound.substr(0, size));
            QVERIFY2(!errorOf(folder()).empty(), qPrintable(QString("opened with %1 bytes").arg(size)));
        }
    }

    void survivesBitFlips() {
        const Outcomes outcomes =
            openWithBitFlips(folder(), file(), safetensors(soundHeader, soundData), 3000);
        QVERIFY(outcomes.opened > 0);  // flips in the data or a name change no promise
        QVERIFY(outcomes.refused > 1000);
    }

    void missingTensorNamesTheNearest() {
        const auto checkpoint = Checkpoint::open(folder());
        try {
            checkpoint->tensor("a.matrx", {2, 3});
            QFAIL("found a tensor that is not there");
        } catch (const Error& error) {
            const QString text = error.what();
            QVERIFY2(text.contains("'a.matrx' is missing"), qPrintable(text));
            QVERIFY2(text.contains("nearest names 'a.matrix'"), qPrintable(text));
        }
    }

    void wrongShapeNamesBoth() {
        const auto checkpoint = Checkpoint::open(folder());
        try {
            checkpoint->tensor("a.matrix", {3, 2});
            QFAIL("took a wrong shape");
        } catch (const Error& error) {
            QCOMPARE(error.parts().expected, "[3, 2]");
            QCOMPARE(error.parts().found, "[2, 3]");
        }
    }

    void forgottenTensorIsReadAgain() {
        // Several pages, so that some lie wholly inside.
        std::vector<float> values(40'000);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<float>(i);
        writeFile(file(), safetensors(R"({"t":{"dtype":"F32","shape":[40000],"data_offsets":[0,160000]}})",
                                      floats(values)));
        const auto checkpoint = Checkpoint::open(folder());
        const TensorView& tensor = checkpoint->tensor("t", {40'000});
        QCOMPARE(valuesOf(tensor), values);
        checkpoint->forget(tensor);
        QCOMPARE(valuesOf(tensor), values);

        // Memory of someone else must not be touched.
        TensorView elsewhere = tensor;
        elsewhere.data = std::as_bytes(std::span(values));
        checkpoint->forget(elsewhere);
        QCOMPARE(values[20'000], 20'000.0F);
    }

    void identityIsOfTheHeader() {
        const std::string header = R"({"t":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})";
        writeFile(file(), safetensors(header, "abcd"));
        const FileIdentity identity = Checkpoint::open(folder())->identity();
        // sha256sum of the 62 bytes before the data.
        QCOMPARE(identity.headerHash, "5c1fb3dd053471bfe6cd1035642de0eb0b90525ded6d9668660e7c9de80fe03f");
        QCOMPARE(identity.bytes, std::uint64_t{8 + 54 + 4});
        QCOMPARE(identity.path.filename().string(), "model.safetensors");
        QVERIFY(identity.modified > 1'600'000'000);
        writeFile(file(), safetensors(header, "efgh"));
        QCOMPARE(Checkpoint::open(folder())->identity().headerHash, identity.headerHash);
    }
};

QTEST_GUILESS_MAIN(TestSafetensors)
#include "tst_safetensors.moc"
