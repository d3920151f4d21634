// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "study/sample.h"

// One measurement shared by several processes, as mpirun starts them.
class TestCluster : public QObject {
    Q_OBJECT

    struct Outcome {
        int code;
        QString out, err;
    };

    static QString tiny(const QString& name) { return QStringLiteral(TEST_DATA "/tiny/") + name; }

    static QStringList measured(const QString& model, const QStringList& more = {}, int tokens = 2400) {
        return QStringList{"measure",
                           "--model",
                           tiny(model),
                           "--corpus",
                           QStringLiteral(TEST_DATA "/text.txt"),
                           "--tokens",
                           QString::number(tokens),
                           "--seq-len",
                           "32",
                           "--threads",
                           "1",
                           "--no-store"} +
               more;
    }

    static QStringList everythingShared() {
        return {"--perplexity",      "--eval-batches", "1", "--fit",
                "balanced,switched", "--folds",        "5", "--rank"};
    }

    static Outcome run(const QString& program, const QStringList& arguments,
                       const std::vector<std::pair<QString, QString>>& more = {}) {
        QProcess process;
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert("OMPI_ALLOW_RUN_AS_ROOT", "1");
        environment.insert("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
        environment.insert("OMPI_MCA_rmaps_base_oversubscribe", "1");
        environment.insert("OMP_WAIT_POLICY", "PASSIVE");
        for (const auto& [name, value] : more)
            environment.insert(name, value);
        process.setProcessEnvironment(environment);
        process.start(program, arguments);
        if (!process.waitForFinished(300'000) || process.exitStatus() != QProcess::NormalExit)
            return {-1,
                    {},
                    QStringLiteral("crashed or hung: ") + QString::fromUtf8(process.readAllStandardError())};
        return {process.exitCode(), QString::fromUtf8(process.readAllStandardOutput()),
                QString::fromUtf8(process.readAllStandardError())};
    }

    static nlohmann::json contentOf(const QString& path) {
        QFile file(path);
        if (!file.open(QIODevice::ReadOnly))
            return {};
        return nlohmann::json::parse(file.readAll().toStdString());
    }

    // Where two results differ by more than 1e-9 of their size (of 1, where they are smaller); empty where
    // nowhere. What belongs to the moment and not to the model is left out.
    static QStringList differences(const nlohmann::json& a, const nlohmann::json& b, const QString& at = {}) {
        static const std::set<std::string> ofTheMoment = {"seconds", "started", "id", "threads", "condition"};
        QStringList found;
        if (a.is_number() && b.is_number()) {
            const double x = a.get<double>(), y = b.get<double>();
            if (!(std::abs(x - y) <= 1e-9 * std::max(1.0, std::abs(x))))
                found << QStringLiteral("%1: %2, %3").arg(at).arg(x, 0, 'g', 17).arg(y, 0, 'g', 17);
        } else if (a.type() != b.type() || a.size() != b.size()) {
            found << at + ": of another shape";
        } else if (a.is_object()) {
            for (const auto& [name, value] : a.items())
                if (!ofTheMoment.contains(name))
                    found += b.contains(name)
                                 ? differences(value, b.at(name), at + '/' + QString::fromStdString(name))
                                 : QStringList(at + '/' + QString::fromStdString(name) + ": missing");
        } else if (a.is_array()) {
            for (std::size_t i = 0; i < a.size(); ++i)
                found += differences(a[i], b[i], at + '/' + QString::number(i));
        } else if (a != b) {
            found << at + ": " + QString::fromStdString(a.dump() + ", " + b.dump());
        }
        return found;
    }

#ifdef STRAIGHTEDGE_MPIEXEC
    // The measurement by one process and by several.
    void compare(int ranks, const QStringList& arguments) {
        const QString one = m_folder.filePath("one.json"), shared = m_folder.filePath("shared.json");
        QFile::remove(one);
        QFile::remove(shared);
        const Outcome alone =
            run(QStringLiteral(STRAIGHTEDGE_PROGRAM), arguments + QStringList{"--json", one});
        QVERIFY2(alone.code == 0, qPrintable(alone.err));
        const Outcome together =
            run(QStringLiteral(STRAIGHTEDGE_MPIEXEC),
                QStringList{"-np", QString::number(ranks), QStringLiteral(STRAIGHTEDGE_PROGRAM)} + arguments +
                    QStringList{"--json", shared});
        QVERIFY2(together.code == 0, qPrintable(together.err));
        const nlohmann::json want = contentOf(one), got = contentOf(shared);
        QVERIFY(!want.empty() && !got.empty());
        const QStringList wrong = differences(want, got);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong.join('\n')));
        // Only the first shows what is found.
        QCOMPARE(together.out.count("R² published"), alone.out.count("R² published"));
    }
#endif

    QTemporaryDir m_folder;

  private Q_SLOTS:
    void severalWithoutMpiAreRefused() {
#ifdef STRAIGHTEDGE_MPIEXEC
        QSKIP("this build has MPI");
#endif
        const Outcome outcome =
            run(QStringLiteral(STRAIGHTEDGE_PROGRAM), measured("llama"), {{"OMPI_COMM_WORLD_SIZE", "2"}});
        QCOMPARE(outcome.code, 2);
        QVERIFY2(outcome.err.contains("2 processes started together"), qPrintable(outcome.err));
        QVERIFY(outcome.err.contains("-DSTRAIGHTEDGE_MPI=ON"));
    }

#ifdef STRAIGHTEDGE_MPIEXEC
    void ranksAgreeWithOneProcess_data() {
        QTest::addColumn<QString>("model");
        QTest::addColumn<int>("ranks");
        QTest::addColumn<int>("tokens");
        QTest::addColumn<QStringList>("more");
        for (const char* model : {"llama", "gpt2", "gemma2"})
            for (const int ranks : {1, 2, 3})
                QTest::addRow("%s, %d ranks", model, ranks) << model << ranks << 2400 << everythingShared();
        // 75 windows: on the later ranks there is no head, on the earlier ones no tail.
        QTest::newRow("llama, 7 ranks") << "llama" << 7 << 2400 << everythingShared();
        QTest::newRow("bert, 2 ranks") << "bert" << 2 << 2400 << QStringList{"--folds", "5", "--rank"};
        QTest::newRow("too few rows, 2 ranks") << "llama" << 2 << 128 << QStringList{"--rank"};
        QTest::newRow("more ranks than windows") << "llama" << 5 << 96 << QStringList{"--perplexity"};
    }
    void ranksAgreeWithOneProcess() {
        QFETCH(QString, model);
        QFETCH(int, ranks);
        QFETCH(int, tokens);
        QFETCH(QStringList, more);
        compare(ranks, measured(model, more, tokens));
    }

    // A real model's massive rows make its inputs ill-conditioned: 5e8 in block 1.
    void ranksAgreeOnARealModel_data() {
        QTest::addColumn<int>("ranks");
        QTest::addColumn<QStringList>("more");
        QTest::newRow("2 ranks") << 2 << QStringList{"--blocks", "0-2", "--fit", "balanced,switched"};
        QTest::newRow("3 ranks, perplexity")
            << 3 << QStringList{"--blocks", "1", "--perplexity", "--eval-batches", "1"};
    }
    void ranksAgreeOnARealModel() {
        const auto sample = straightedge::study::findSample();
        if (!sample)
            QSKIP("the sample is not there: run packaging/setup.sh with a package registry in reach");
        QFETCH(int, ranks);
        QFETCH(QStringList, more);
        compare(ranks, QStringList{"measure", "--model", QString::fromStdString(sample->model.string()),
                                   "--corpus", QString::fromStdString(sample->corpus.string()), "--tokens",
                                   "4096", "--threads", "1", "--no-store"} +
                           more);
    }

    // Two commands in one job: the second rank's fails.
    void oneRanksFailureEndsTheJob() {
        const QString program = QStringLiteral(STRAIGHTEDGE_PROGRAM);
        const Outcome outcome = run(QStringLiteral(STRAIGHTEDGE_MPIEXEC),
                                    QStringList{"-np", "1", program} + measured("llama") +
                                        QStringList{":", "-np", "1", program} + measured("nowhere"));
        QVERIFY(outcome.code != 0);
        QVERIFY2(outcome.err.contains("rank 1: ") && outcome.err.contains("nowhere"),
                 qPrintable(outcome.err));
    }

    void whatOneProcessDoesIsRefused() {
        const Outcome outcome = run(QStringLiteral(STRAIGHTEDGE_MPIEXEC),
                                    QStringList{"-np", "2", QStringLiteral(STRAIGHTEDGE_PROGRAM)} +
                                        measured("llama", {"--ceilings", "2"}));
        QVERIFY(outcome.code != 0);
        QVERIFY2(outcome.err.contains("measured by one process"), qPrintable(outcome.err));
    }
#endif
};

QTEST_GUILESS_MAIN(TestCluster)
#include "tst_cluster.moc"
