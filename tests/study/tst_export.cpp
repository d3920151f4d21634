// SPDX-License-Identifier: GPL-3.0-or-later
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <clocale>
#include <nlohmann/json.hpp>

#include "error.h"
#include "study/export/export.h"

using namespace straightedge;
using namespace straightedge::study;

namespace {

Run example() {
    Run run;
    run.header.model = "a \"quoted\", model";
    run.header.corpus = "text.txt";
    run.header.activation = "gelu";
    run.state = RunState::Finished;
    BlockResult block{.block = 3, .values = {}};
    block.values.set(Metric::Rows, 14976);
    block.values.set(Metric::R2Lin, 0.1 + 0.2);
    run.blocks.push_back(block);
    BlockResult failed{.block = 4, .values = {}, .failure = "values are not finite\nin two lines"};
    run.blocks.push_back(failed);
    return run;
}

std::filesystem::path in(const QTemporaryDir& folder, const char* name) {
    return std::filesystem::path(folder.path().toStdString()) / name;
}

}  // namespace

class TestExport : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void csvStartsWithTheProtocolsNames() {
        const std::string csv = toCsv({});
        QVERIFY(csv.starts_with(
            "model,corpus,block,activation,rows,rows_train,r2_lin,r2_lin_centred,rmse,rel_mse,cosine,"
            "feature_r2_median,feature_r2_mean,rank,condition,massive_rows,massive_share,r2_typical,"
            "r2_typical_centred,r2_lin_on_typical,"));
    }

    void csvKeepsEveryDigitInAnyLocale() {
        for (const char* locale : {"C", "de_DE.UTF-8", "fr_FR.UTF-8"}) {
            std::setlocale(LC_ALL, locale);
            const Run run = example();
            const std::string csv = toCsv({&run, 1});
            std::setlocale(LC_ALL, "C");
            QVERIFY(csv.find("\n\"a \"\"quoted\"\", model\",text.txt,3,gelu,14976,,0.30000000000000004,") !=
                    std::string::npos);
            QVERIFY(csv.find("\"values are not finite\nin two lines\"\n") != std::string::npos);
        }
    }

    void jsonReadsBack() {
        const Run run = example();
        const auto json = nlohmann::json::parse(toJson({&run, 1}));
        QCOMPARE(json["program"]["version"].get<std::string>(), std::string(STRAIGHTEDGE_VERSION));
        const auto& block = json["runs"][0]["blocks"][0];
        QCOMPARE(block["block"].get<int>(), 3);
        QCOMPARE(block["r2_lin"].get<double>(), 0.1 + 0.2);
        QVERIFY(block["r2_typical"].is_null());
        QCOMPARE(json["runs"][0]["settings"]["tokens"].get<int>(), 15'000);
        QVERIFY(json["runs"][0]["blocks"][1]["failure"].is_string());
    }

    void namesThatAreNotUtf8StillGiveJson() {
        Run run = example();
        run.header.model = "bad \xff name";
        QVERIFY(nlohmann::json::accept(toJson({&run, 1})));
    }

    void filesAreWrittenWhole() {
        const QTemporaryDir folder;
        writeFile(in(folder, "grün.csv"), "abc");
        QFile file(folder.filePath(QStringLiteral("grün.csv")));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("abc"));
        QCOMPARE(QDir(folder.path()).entryList(QDir::Files).size(), 1);
    }

    void placesThatCannotBeWrittenAreRefused() {
        const QTemporaryDir folder;
        QVERIFY_THROWS_EXCEPTION(Error, checkWritable(in(folder, "missing/out.csv")));
        QVERIFY_THROWS_EXCEPTION(Error, checkWritable(in(folder, ".")));
        QVERIFY_THROWS_EXCEPTION(Error, writeFile(in(folder, "missing/out.csv"), "abc"));
        checkWritable(in(folder, "out.csv"));
        QVERIFY(QDir(folder.path()).entryList(QDir::Files).isEmpty());
    }
};

QTEST_GUILESS_MAIN(TestExport)
#include "tst_export.moc"
