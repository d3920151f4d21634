// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <set>

#include "data/tiny_checkpoint.h"
#include "error.h"
#include "model/decoder.h"

using namespace straightedge;

class TestFamilies : public QObject {
    Q_OBJECT

    static std::unique_ptr<model::Decoder> open(const char* name) {
        return std::make_unique<model::Decoder>(
            checkpoint::Checkpoint::open(std::filesystem::path(TEST_DATA) / "tiny" / name));
    }

    // A tiny checkpoint with another entry in its config.json; what is said of it.
    QString refusal(const QString& name, const std::string& key, const nlohmann::json& value) {
        const QString from = QStringLiteral(TEST_DATA "/tiny/") + name, to = m_folder.filePath("changed");
        QDir(to).removeRecursively();
        QDir().mkpath(to);
        QFile::copy(from + "/model.safetensors", to + "/model.safetensors");
        QFile read(from + "/config.json"), write(to + "/config.json");
        if (!read.open(QIODevice::ReadOnly) || !write.open(QIODevice::WriteOnly))
            return "no file";
        nlohmann::json config = nlohmann::json::parse(read.readAll().toStdString());
        config[key] = value;
        write.write(QByteArray::fromStdString(config.dump()));
        write.close();
        try {
            model::Decoder(checkpoint::Checkpoint::open(to.toStdString()));
        } catch (const Error& error) {
            return QString::fromStdString(error.what());
        }
        return {};
    }

    QTemporaryDir m_folder;

  private Q_SLOTS:
    void namesAreUnique() {
        std::set<std::string_view> names, titles;
        for (const model::Family& family : model::families()) {
            QVERIFY2(names.insert(family.name).second, family.name.data());
            QVERIFY2(titles.insert(family.title).second, family.title.data());
        }
    }

    void sitesSayWhichNormsStandAroundTheFfn_data() {
        QTest::addColumn<QString>("x");
        QTest::addColumn<QString>("y");
        const char* before = "x: output of the norm before the FFN;";
        const char* shared = "x: output of the norm that attention and FFN share;";
        const char* plain = "added to the residual stream as it is";
        const char* behind = "before the norm that stands between it and the residual stream";
        QTest::newRow("llama") << before << plain;
        QTest::newRow("gpt_neox") << before << plain;
        QTest::newRow("gemma2") << before << behind;
        QTest::newRow("gemma3_text.gguf") << before << behind;
        QTest::newRow("olmo2") << "no norm stands before the FFN;" << behind;
        QTest::newRow("gptj") << shared << plain;
        QTest::newRow("stablelm") << before << plain;
        QTest::newRow("stablelm_parallel") << shared << plain;
        QTest::newRow("falcon") << shared << plain;
        QTest::newRow("falcon_grouped") << before << plain;
        QTest::newRow("bert") << "x: the residual stream behind the attention and its norm;"
                              << "before it is added to the residual stream and normed with it";
    }
    void sitesSayWhichNormsStandAroundTheFfn() {
        QFETCH(QString, x);
        QFETCH(QString, y);
        const QString site = QString::fromStdString(open(QTest::currentDataTag())->reader().site().text());
        QVERIFY2(site.contains(x) && site.endsWith(y), qPrintable(site));
    }

    void otherKindsAreRefusedByName_data() {
        QTest::addColumn<QString>("why");
        QTest::newRow("mixtral") << "mixture-of-experts";
        QTest::newRow("qwen2_moe") << "mixture-of-experts";
        QTest::newRow("t5") << "encoder-decoder";
        QTest::newRow("bart") << "encoder-decoder";
        QTest::newRow("mamba") << "without a feed-forward block";
        QTest::newRow("qwen2_vl") << "multimodal";
        QTest::newRow("no such family") << "model family is not supported";
    }
    void otherKindsAreRefusedByName() {
        QFETCH(QString, why);
        const QString message = refusal("llama", "model_type", QTest::currentDataTag());
        QVERIFY2(message.contains(why) && message.contains(QTest::currentDataTag()), qPrintable(message));
        QVERIFY2(message.contains("llama, mistral, qwen2"), qPrintable(message));
    }

    // What the families' table calls conditions, and lists that do not fit the blocks.
    void optionsThatAreNotHonouredAreRefused_data() {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("key");
        QTest::addColumn<QString>("value");
        QTest::newRow("falcon with ALiBi") << "falcon"
                                           << "alibi"
                                           << "true";
        QTest::newRow("OPT with norms behind") << "opt"
                                               << "do_layer_norm_before"
                                               << "false";
        QTest::newRow("BERT's relative keys") << "bert"
                                              << "position_embedding_type"
                                              << "\"relative_key\"";
        QTest::newRow("GPT-2's odd scale") << "gpt2"
                                           << "scale_attn_by_inverse_layer_idx"
                                           << "true";
        QTest::newRow("Llama with windows") << "llama"
                                            << "use_sliding_window"
                                            << "true";
        QTest::newRow("kinds of attention") << "mistral"
                                            << "layer_types"
                                            << "[\"chunked_attention\", \"a\", \"b\"]";
        QTest::newRow("too few kinds") << "gemma2"
                                       << "layer_types"
                                       << "[\"full_attention\"]";
        QTest::newRow("patterns") << "gpt_neo"
                                  << "attention_types"
                                  << "[[[\"global\"], 2]]";
        QTest::newRow("no frequencies") << "phi3_longrope"
                                        << "rope_scaling"
                                        << "{\"type\": \"longrope\"}";
        QTest::newRow("yarn") << "llama"
                              << "rope_scaling"
                              << "{\"rope_type\": \"yarn\", \"factor\": 2}";
        QTest::newRow("too many blocks") << "llama"
                                         << "num_hidden_layers"
                                         << "1000000000";
    }
    void optionsThatAreNotHonouredAreRefused() {
        QFETCH(QString, name);
        QFETCH(QString, key);
        QFETCH(QString, value);
        QVERIFY(!refusal(name, key.toStdString(), nlohmann::json::parse(value.toStdString())).isEmpty());
    }

    // Which blocks see only a window, by rule and by list, and what they know of positions.
    void reachesFollowTheDescription() {
        const auto windows = [](const char* name) {
            QList<int> all;
            const auto decoder = open(name);
            for (const model::BlockReach& reach : decoder->architecture().reaches)
                all << static_cast<int>(reach.window) * (reach.rotary == 1 ? -1 : 1);
            return all;
        };
        QCOMPARE(windows("llama"), (QList<int>{0, 0, 0}));
        QCOMPARE(windows("mistral"), (QList<int>{8, 8, 8}));
        QCOMPARE(windows("qwen2_window"), (QList<int>{0, 8, 8}));
        QCOMPARE(windows("gemma2"), (QList<int>{8, 0, 8}));
        QCOMPARE(windows("gemma2.gguf"), (QList<int>{8, 0, 8}));
        QCOMPARE(windows("gemma3_text"),
                 (QList<int>{-8, -8, -8, -8, -8, 0}));  // below 0: a rotary of their own
        QCOMPARE(windows("gemma3_text.gguf"), (QList<int>{-8, -8, -8, -8, -8, 0}));
        QCOMPARE(windows("gpt_neo"), (QList<int>{0, 8, 8}));
        QCOMPARE(open("smollm3")->architecture().reaches[3].rotary, -1);
        QCOMPARE(open("smollm3")->architecture().reaches[2].rotary, 0);
    }
};

QTEST_GUILESS_MAIN(TestFamilies)
#include "tst_families.moc"
