// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTemporaryDir>
#include <QTest>

#include "checkpoint_files.h"

using namespace straightedge;
using namespace straightedge::checkpoint;
namespace fs = std::filesystem;

namespace {

// data/torch, which make_torch_fixtures.py wrote.
fs::path fixture(const std::string& name) {
    return fs::path(TEST_DATA) / "torch" / name;
}

struct ZipEntry {
    std::string name;
    std::string data;
    std::uint16_t method = 0;
    std::uint16_t flags = 0;
};

std::string word(std::size_t number) {
    return bytesOf(static_cast<std::uint16_t>(number));
}

std::string dword(std::size_t number) {
    return bytesOf(static_cast<std::uint32_t>(number));
}

// A ZIP archive; with `large`, its sizes and places stand in ZIP64 records.
std::string zipOf(const std::vector<ZipEntry>& entries, bool large = false) {
    constexpr std::size_t elsewhere = 0xFFFFFFFF;
    std::string file;
    std::string directory;
    for (const auto& [name, data, method, flags] : entries) {
        const std::string numbers = bytesOf<std::uint64_t>(data.size()) +
                                    bytesOf<std::uint64_t>(data.size()) + bytesOf<std::uint64_t>(file.size());
        const std::string extra = large ? word(1) + word(numbers.size()) + numbers : "";
        const std::size_t size = large ? elsewhere : data.size();
        const std::string common =
            word(flags) + word(method) + dword(0) + dword(0) + dword(size) + dword(size) + word(name.size());
        directory += "PK\x01\x02" + word(45) + word(45) + common + word(extra.size()) + word(0) + word(0) +
                     word(0) + dword(0) + dword(large ? elsewhere : file.size()) + name + extra;
        file += "PK\x03\x04" + word(45) + common + word(0) + name + data;
    }
    const std::size_t start = file.size();
    file += directory;
    if (large) {
        const std::size_t end = file.size();
        file += "PK\x06\x06" + bytesOf<std::uint64_t>(44) + word(45) + word(45) + dword(0) + dword(0) +
                bytesOf<std::uint64_t>(entries.size()) + bytesOf<std::uint64_t>(entries.size()) +
                bytesOf<std::uint64_t>(directory.size()) + bytesOf<std::uint64_t>(start) + "PK\x06\x07" +
                dword(0) + bytesOf<std::uint64_t>(end) + dword(1);
    }
    return file + "PK\x05\x06" + word(0) + word(0) + word(large ? 0xFFFF : entries.size()) +
           word(large ? 0xFFFF : entries.size()) + dword(large ? elsewhere : directory.size()) +
           dword(large ? elsewhere : start) + word(0);
}

// --- pickles by hand ---

std::string text(const std::string& value) {
    return "X" + dword(value.size()) + value;
}

std::string integer(std::int32_t number) {
    return "J" + bytesOf(number);
}

std::string tuple(const std::string& items) {
    return "(" + items + "t";
}

std::string storage(const std::string& key, std::int32_t elements, const std::string& type = "FloatStorage") {
    return tuple(text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + integer(elements)) +
           "Q";
}

std::string tensor(const std::string& storage, std::int32_t offset, const std::string& shape,
                   const std::string& strides) {
    return "ctorch._utils\n_rebuild_tensor_v2\n" +
           tuple(storage + integer(offset) + tuple(shape) + tuple(strides) + "\x89" + "}") + "R";
}

std::string pickle(const std::string& name, const std::string& value) {
    return "\x80\x02}" + text(name) + value + "s.";
}

// A 2 x 2 matrix.
std::string soundPickle() {
    return pickle("t", tensor(storage("0", 4), 0, integer(2) + integer(2), integer(2) + integer(1)));
}

std::vector<ZipEntry> archive(const std::string& pickle) {
    return {{.name = "m/data.pkl", .data = pickle},
            {.name = "m/byteorder", .data = "little"},
            {.name = "m/data/0", .data = floats({1, 2, 3, 4})}};
}

}  // namespace

class TestTorchFile : public QObject {
    Q_OBJECT

  private:
    std::unique_ptr<QTemporaryDir> m_dir;
    fs::path m_folder;

    fs::path file() const { return m_folder / "pytorch_model.bin"; }

    void compareRefusal(const std::string& bytes, const QString& message) const {
        writeFile(file(), bytes);
        const QString error = QString::fromStdString(errorOf(file()));
        QVERIFY2(error.contains(message), qPrintable(error.isEmpty() ? "it opened" : error));
        QVERIFY2(error.contains("pytorch_model.bin"), qPrintable(error));
    }

  private Q_SLOTS:
    void init() {
        m_dir = std::make_unique<QTemporaryDir>();
        m_folder = fs::canonical(m_dir->path().toStdString());
        writeFile(m_folder / "config.json", "{}");
    }

    void readsWhatTorchSaved_data() {
        QTest::addColumn<QString>("name");
        QTest::newRow("archive") << "zip.bin";
        QTest::newRow("before 1.6") << "legacy.bin";
    }
    void readsWhatTorchSaved() {
        QFETCH(QString, name);
        fs::copy(fixture(name.toStdString()), file());
        const auto found = Checkpoint::open(m_folder);
        QVERIFY(found->identity().path == file());
        fs::create_directory(m_folder / "expected");
        writeFile(m_folder / "expected" / "config.json", "{}");
        fs::copy(fixture("expected.safetensors"), m_folder / "expected" / "model.safetensors");
        const auto expected = Checkpoint::open(m_folder / "expected");
        QCOMPARE(found->tensors().size(), expected->tensors().size());
        QVERIFY(expected->tensors().size() > 15);
        for (const TensorView& tensor : expected->tensors()) {
            const TensorView& same = found->tensor(tensor.name, tensor.shape);
            QCOMPARE(QString::fromStdString(std::string(dtypeName(same.dtype))),
                     QString::fromStdString(std::string(dtypeName(tensor.dtype))));
            QVERIFY2(std::ranges::equal(same.data, tensor.data), tensor.name.c_str());
            found->forget(same);
            QVERIFY2(std::ranges::equal(same.data, tensor.data), tensor.name.c_str());
        }
    }

    void readsShards() {
        fs::copy(fixture("zip.bin"), m_folder / "pytorch_model-00001-of-00002.bin");
        fs::copy(fixture("zip.bin"), m_folder / "pytorch_model-00002-of-00002.bin");
        const fs::path index = m_folder / "pytorch_model.bin.index.json";
        writeFile(index,
                  "{\"weight_map\":{\"rows\":\"pytorch_model-00001-of-00002.bin\","
                  "\"scalar\":\"pytorch_model-00002-of-00002.bin\"}}");
        for (const fs::path& path : {m_folder, index, m_folder / "pytorch_model-00002-of-00002.bin"}) {
            const auto checkpoint = Checkpoint::open(path);
            QCOMPARE(checkpoint->tensors().size(), std::size_t{2});
            QCOMPARE(valuesOf(*checkpoint, "scalar"), std::vector<float>{3.5F});
        }
    }

    void readsZip64() {
        writeFile(file(), zipOf(archive(soundPickle()), true));
        QCOMPARE(valuesOf(Checkpoint::open(file())->tensor("t", {2, 2})), (std::vector<float>{1, 2, 3, 4}));
    }

    void safetensorsGoFirst() {
        fs::copy(fixture("zip.bin"), file());
        fs::copy(fixture("expected.safetensors"), m_folder / "model.safetensors");
        QVERIFY(Checkpoint::open(m_folder)->identity().path == m_folder / "model.safetensors");
        QVERIFY(Checkpoint::open(file())->identity().path == file());
    }

    void theIdentityIsThePickles() {
        writeFile(file(), zipOf(archive(soundPickle())));
        const auto before = Checkpoint::open(file())->identity().headerHash;
        writeFile(file(), zipOf(archive(pickle("t", tensor(storage("0", 4), 0, integer(4), integer(1))))));
        QVERIFY(Checkpoint::open(file())->identity().headerHash != before);
    }

    void refusesOtherThanStateDicts_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("message");
        QTest::newRow("nested") << "nested.bin"
                                << "found: 'model'";
        QTest::newRow("module") << "module.bin"
                                << "'torch.nn.modules.linear.Linear', which is no part of a tensor";
        QTest::newRow("expanded") << "expanded.bin"
                                  << "repeats elements of its storage";
    }
    void refusesOtherThanStateDicts() {
        QFETCH(QString, name);
        QFETCH(QString, message);
        compareRefusal(readFile(fixture(name.toStdString())), message);
    }

    void refusesPickles_data() {
        QTest::addColumn<QByteArray>("pickle");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* row, const std::string& pickle, const char* message) {
            QTest::newRow(row) << QByteArray::fromStdString(pickle) << message;
        };
        const std::string sizes = integer(2) + integer(2);
        const std::string steps = integer(2) + integer(1);
        add("a command", pickle("t", "cos\nsystem\n" + tuple(text("true")) + "R"), "'os.system'");
        add("a builtin", pickle("t", "c__builtin__\neval\n" + tuple(text("1")) + "R"), "'__builtin__.eval'");
        add("a function of torch", pickle("t", std::string("ctorch.hub\nload\n)R")), "'torch.hub.load'");
        add("a storage called", pickle("t", std::string("ctorch\nFloatStorage\n)R")),
            "calls 'torch.FloatStorage' with arguments that are not known");
        add("a text called", pickle("t", text("os.system") + ")R"), "calls what is no function");
        add("an instance", std::string("\x80\x02(ios\nsystem\n."), "no state dict needs\n  found: 0x69");
        add("protocol 4", std::string("\x80\x04}."), "protocol is not supported");
        add("protocol 0", std::string("(dp0\n."), "not a pickle that torch.save writes");
        add("empty", std::string("\x80\x02}."), "holds no tensors");
        add("a list", std::string("\x80\x02]."), "no dictionary of tensors");
        add("a list in itself",
            std::string("\x80\x02]q\x00h\x00"
                        "a.",
                        9),
            "no dictionary of tensors");
        add("nothing", std::string("\x80\x02."), "takes a value where there is none");
        add("no end", std::string("\x80\x02}"), "cut short");
        add("a long text", std::string("\x80\x02X\xff\xff\xff\xff."), "cut short");
        add("no mark", std::string("\x80\x02t."), "up to a mark where there is none");
        add("below the mark", std::string("\x80\x02}(\x85."), "takes a value where there is none");
        add("never kept", std::string("\x80\x02h\x07."), "recalls a value that was never kept");
        add("no list", std::string("\x80\x02NNa."), "adds to a value that is no list");
        add("odd dictionary", std::string("\x80\x02}(NNNu."), "adds to a value that is no list");
        add("attributes of a tensor", pickle("t", tensor(storage("0", 4), 0, sizes, steps) + "}b"),
            "attributes to a value that is no dictionary");
        add("a persistent id", pickle("t", tuple(text("module") + "NNNN") + "Q"), "no storage");
        add("no type", pickle("t", tuple(text("storage") + "NNNN") + "Q"), "storage of no known type");
        add("no storage", pickle("t", tensor("N", 0, sizes, steps)), "a tensor without a storage");
        add("storage missing", pickle("t", tensor(storage("1", 4), 0, sizes, steps)), "storage is missing");
        add("storage too short", pickle("t", tensor(storage("0", 5), 0, sizes, steps)), "wrong size");
        add("storage negative", pickle("t", tensor(storage("0", -4), 0, sizes, steps)), "wrong size");
        add("storage of halves", pickle("t", tensor(storage("0", 4, "HalfStorage"), 0, sizes, steps)),
            "wrong size");
        add("offset", pickle("t", tensor(storage("0", 4), 1, sizes, steps)), "beyond the end of its storage");
        add("offset negative", pickle("t", tensor(storage("0", 4), -1, sizes, steps)), "beyond the end");
        add("stride", pickle("t", tensor(storage("0", 4), 0, sizes, integer(3) + integer(1))),
            "beyond the end");
        add("stride enormous",
            pickle("t", tensor(storage("0", 4), 0, sizes, "\x8a\x08" + bytesOf(INT64_MAX) + integer(1))),
            "beyond the end");
        add("stride negative", pickle("t", tensor(storage("0", 4), 0, sizes, integer(-1) + integer(1))),
            "negative");
        add("shape negative", pickle("t", tensor(storage("0", 4), 0, integer(-2) + integer(2), steps)),
            "negative");
        add("shape enormous",
            pickle("t", tensor(storage("0", 4), 0, integer(INT32_MAX) + integer(INT32_MAX), steps)),
            "impossibly large");
        add("strides too few", pickle("t", tensor(storage("0", 4), 0, sizes, integer(1))),
            "do not fit its shape");
        add("shape of texts", pickle("t", tensor(storage("0", 4), 0, text("2"), integer(1))), "no number");
        add("name no text", "\x80\x02}" + integer(1) + tensor(storage("0", 4), 0, sizes, steps) + "s.",
            "no text");
        const std::string one = text("t") + tensor(storage("0", 4), 0, sizes, steps);
        add("name twice", "\x80\x02}(" + one + one + "u.", "there twice");
    }
    void refusesPickles() {
        QFETCH(QByteArray, pickle);
        QFETCH(QString, message);
        compareRefusal(zipOf(archive(pickle.toStdString())), message);
    }

    // A reader that recurses would run out of stack, in reading or in letting go.
    void survivesDeepNesting() {
        std::string nested = "\x80\x02N";
        nested += std::string(3'000'000, '\x85') + ".";
        compareRefusal(zipOf(archive(nested)), "no dictionary of tensors");
    }

    void refusesArchives_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("message");
        const auto add = [](const char* row, const std::string& bytes, const char* message) {
            QTest::newRow(row) << QByteArray::fromStdString(bytes) << message;
        };
        auto entries = archive(soundPickle());
        const std::string sound = zipOf(entries);
        entries[2].method = 8;
        add("compressed", zipOf(entries), "compressed");
        entries = archive(soundPickle());
        entries[0].flags = 1;
        add("encrypted", zipOf(entries), "encrypted");
        entries = archive(soundPickle());
        entries[1].data = "big";
        add("byte order", zipOf(entries), "another byte order");
        entries = archive(soundPickle());
        entries.push_back(entries[2]);
        add("entry twice", zipOf(entries), "'m/data/0'");
        entries[0].name = "m/other";
        add("no pickle", zipOf({entries[0]}), "not one of PyTorch's");
        add("no directory", sound.substr(0, sound.size() - 22), "no directory");
        std::string moved = sound;
        moved.replace(moved.size() - 6, 4, dword(sound.size()));
        add("directory elsewhere", moved, "reaches beyond the end");
        moved = sound;
        moved[moved.find("PK\x01\x02") + 42] = 1;  // the first entry's place
        add("entry elsewhere", moved, "not where the directory says");
        add("not from torch", "junk", "not a file that torch.save wrote");
        add("another pickle", std::string("\x80\x02}."), "not a file that torch.save wrote");
    }
    void refusesArchives() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, message);
        compareRefusal(bytes.toStdString(), message);
    }

    void refusesTruncations_data() { readsWhatTorchSaved_data(); }
    void refusesTruncations() {
        QFETCH(QString, name);
        const std::string whole = readFile(fixture(name.toStdString()));
        for (std::size_t size = 0; size < whole.size(); size += 3) {
            writeFile(file(), whole.substr(0, size));
            QVERIFY2(!errorOf(file()).empty(), qPrintable(QString("opened with %1 bytes").arg(size)));
        }
    }

    void survivesBitFlips_data() { readsWhatTorchSaved_data(); }
    void survivesBitFlips() {
        QFETCH(QString, name);
        const Outcomes outcomes =
            openWithBitFlips(m_folder, file(), readFile(fixture(name.toStdString())), 600);
        QVERIFY(outcomes.opened > 0);  // flips in the data change no promise
        QVERIFY(outcomes.refused > 100);
    }
};

QTEST_GUILESS_MAIN(TestTorchFile)
#include "tst_torch_file.moc"
