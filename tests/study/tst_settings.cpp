// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>

#include "error.h"
#include "study/metrics.h"
#include "study/published.h"
#include "study/settings.h"

using namespace straightedge;
using namespace straightedge::study;

class TestSettings : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void blocksAreNumbersAndRanges() {
        QCOMPARE(BlockSelection::parse("0,3-5").resolve(8), (std::vector<int>{0, 3, 4, 5}));
        QCOMPARE(BlockSelection::parse(" 5 - 6 , 1,5").resolve(8), (std::vector<int>{1, 5, 6}));
        QCOMPARE(BlockSelection::parse("").resolve(3), (std::vector<int>{0, 1, 2}));
    }

    void otherTextIsRefused_data() {
        QTest::addColumn<QString>("text");
        for (const char* text : {"x", "1,", ",1", "3-", "-3", "5-3", "1;2", "1--2", "99999999999", "1.5"})
            QTest::newRow(text) << QString::fromLatin1(text);
    }
    void otherTextIsRefused() {
        QFETCH(QString, text);
        QVERIFY_THROWS_EXCEPTION(Error, BlockSelection::parse(text.toStdString()));
    }

    void blockOutOfRangeIsNamed() {
        try {
            BlockSelection::parse("2-9").resolve(6);
            QFAIL("not refused");
        } catch (const Error& error) {
            QVERIFY(QString::fromUtf8(error.what()).contains("blocks 0 to 5"));
        }
    }

    void everyMetricHasItsNameOnce() {
        for (const MetricInfo& metric : metrics()) {
            QVERIFY(metricNamed(metric.name) == metric.metric);
            QVERIFY(info(metric.metric).name == metric.name);
            QVERIFY(!metric.title.empty() && !metric.explanation.empty());
        }
        QVERIFY(!metricNamed("r2"));
    }

    void valuesThatAreNotFiniteAreUndefined() {
        MetricValues values;
        values.set(Metric::R2Lin, std::numeric_limits<double>::quiet_NaN());
        QVERIFY(!values[Metric::R2Lin]);
        values.set(Metric::R2Lin, -88.9);
        QCOMPARE(*values[Metric::R2Lin], -88.9);
    }

    void publishedProfilesAreThere() {
        const auto runs = publishedRuns();
        QCOMPARE(runs.size(), 3U);
        QCOMPARE(runs[0].header.model, std::string("gpt2"));
        QCOMPARE(runs[0].blocks.size(), 12U);
        QCOMPARE(*runs[0].blocks[2].values[Metric::R2Lin], 0.996);
        QCOMPARE(*runs[1].blocks[11].values[Metric::R2Lin], 0.99);
        QCOMPARE(runs[2].header.activation, std::string("silu-gated"));
    }
};

QTEST_GUILESS_MAIN(TestSettings)
#include "tst_settings.moc"
