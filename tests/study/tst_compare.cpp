// SPDX-License-Identifier: GPL-3.0-or-later
#include <QFile>
#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "study/compare/corpora.h"
#include "study/compare/residual_gain.h"

using namespace straightedge::study;

namespace {

bool near(std::optional<double> found, double want) {
    return found && std::abs(*found - want) < 1e-12;
}

Run runOn(const std::string& corpus, const std::vector<double>& r2) {
    Run run;
    run.header.model = "model";
    run.header.corpus = corpus;
    run.header.textHash = "hash of " + corpus;
    run.header.tokenizer = "bpe";
    run.header.modelBlocks = 3;
    run.header.width = 8;
    for (std::size_t i = 0; i < r2.size(); ++i) {
        run.blocks.push_back({.block = static_cast<int>(i), .values = {}});
        run.blocks.back().values.set(Metric::R2Lin, r2[i]);
    }
    return run;
}

}  // namespace

class TestCompare : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void correlationsAreThoseOfScipy() {
        QFile file(QStringLiteral(TEST_DATA "/statistics.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const auto cases = nlohmann::json::parse(file.readAll().toStdString());
        QCOMPARE(cases.size(), 4U);
        for (const auto& each : cases) {
            const std::vector<double> a = each["a"], b = each["b"];
            const Correlation found = pearson(a, b);
            QCOMPARE(found.pairs, static_cast<std::int64_t>(a.size()));
            QVERIFY(near(found.r, each["pearson"]));
            QVERIFY(near(found.low, each["low"]) && near(found.high, each["high"]));
            QVERIFY(near(spearman(a, b), each["spearman"]));
        }
    }

    void whatHasNoCorrelationHasNone() {
        const std::vector<double> rising{1, 2, 3}, constant{2, 2, 2}, one{1};
        QVERIFY(!pearson(rising, constant).r && !spearman(rising, constant));
        QVERIFY(!pearson(one, one).r);
        QVERIFY(pearson(rising, rising).r && !pearson(rising, rising).low);  // three pairs have no interval
    }

    void gainIsOverTheLineAndOfBlocksThatHaveBoth() {
        Run first = runOn("a", {0.9, 0.4, 0.6}), second = runOn("b", {0.5});
        first.blocks[0].probes = {{.probe = Probe::Bilinear, .r2 = 0.95}};
        first.blocks[1].probes = {{.probe = Probe::Bilinear, .r2 = 0.45}, {.probe = Probe::Dense2x}};
        first.blocks[1].ceilings = {{.degree = 2, .r2 = 0.7}};
        second.blocks[0].probes = {{.probe = Probe::Bilinear, .r2 = 0.6}};
        const Run* runs[] = {&first, &second};
        const ResidualGain gain = residualGain(runs, {});
        QCOMPARE(gain.points.size(), 3U);
        QCOMPARE(gain.points[2].run, 1U);
        QVERIFY(near(gain.points[1].residual, 0.6) && near(gain.points[1].gain, 0.05));
        // Residuals 0.1, 0.6, 0.5 and gains 0.05, 0.05, 0.1: -0.3, 0.2, 0.1 against -1/60, -1/60, 1/30.
        const double r = (0.3 / 60 - 0.2 / 60 + 0.1 / 30) / std::sqrt(0.14 * (2.0 / 3600 + 1.0 / 900));
        QVERIFY(near(gain.correlation.r, r));
        const auto sources = gainSources(runs);
        QCOMPARE(sources.size(), 3U);
        QCOMPARE(sources[2].title(), std::string("degree 2"));
        QCOMPARE(residualGain(runs, sources[2]).points.size(), 1U);
    }

    void corporaAreComparedPairByPair() {
        const Run a = runOn("a", {0.9, 0.4, 0.6}), b = runOn("b", {0.8, 0.5, 0.6, 0.1}),
                  same = runOn("a", {0.9, 0.4, 0.6});
        Run other = runOn("c", {0.9, 0.4, 0.6});
        other.header.model = "another";
        const Run* runs[] = {&a, &b, &same, &other};
        const auto pairs = compareCorpora(runs);
        QCOMPARE(pairs.size(), 2U);  // a with b, b with the second a; the same text twice is no comparison
        QCOMPARE(pairs[0].first, 0U);
        QCOMPARE(pairs[0].second, 1U);
        QCOMPARE(pairs[0].blocks, 3);
        QVERIFY(near(pairs[0].meanDifference, 0.2 / 3) && near(pairs[0].largestDifference, 0.1));
        QVERIFY(near(pairs[0].spearman, 1));
        QVERIFY(pairs[0].remarks.empty());
        const auto table = corporaTable(runs, pairs);
        QCOMPARE(table.size(), 3U);
        QCOMPARE(table[1][7], std::string("0.067"));
        QVERIFY(
            QString::fromStdString(toCorporaCsv(runs, pairs, Metric::R2Lin)).contains("model,a,b,r2_lin,3,"));
    }

    void whatDoesNotCompareLikeWithLikeIsSaid() {
        const Run a = runOn("a", {0.9, 0.4});
        Run b = runOn("b", {0.8, 0.5});
        b.header.tokenizer = "another";
        b.header.rows = 256;
        const Run* runs[] = {&a, &b};
        const auto pairs = compareCorpora(runs);
        QCOMPARE(pairs.at(0).remarks.size(), 2U);
        QVERIFY(corporaTable(runs, pairs)[1].back().find("tokenizers differ") != std::string::npos);
    }
};

QTEST_GUILESS_MAIN(TestCompare)
#include "tst_compare.moc"
