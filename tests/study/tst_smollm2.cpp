// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>

#include "expect_values.h"
#include "study/measure.h"
#include "study/sample.h"

using namespace straightedge::study;

// The real model against what measure.py said of it (tests/data/smollm2.json, made by make_smollm2.sh).
class TestSmolLM2 : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyBlockAgreesWithTheReference() {
        const auto sample = findSample();
        if (!sample)
            QSKIP("the sample is not there: run packaging/setup.sh with a package registry in reach");
        QFile file(QStringLiteral(TEST_DATA "/smollm2.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto expected = nlohmann::json::parse(file.readAll().toStdString());
        StudySettings settings;
        settings.model = sample->model;
        settings.corpus = sample->corpus;
        Observer quiet;
        const Run run = measure(settings, {}, quiet);
        QCOMPARE(run.header.rows, expected["rows_captured"].get<std::int64_t>());
        QCOMPARE(run.blocks.size(), 30U);
        for (std::size_t i = 0; i < run.blocks.size(); ++i)
            expectValues(run.blocks[i], expected["blocks"][i]);
    }
};

QTEST_GUILESS_MAIN(TestSmolLM2)
#include "tst_smollm2.moc"
