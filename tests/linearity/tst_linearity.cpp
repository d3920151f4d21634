// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QFile>
#include <QTest>
#include <nlohmann/json.hpp>

#include "error.h"
#include "linearity/linear_profile.h"
#include "linearity/typical_and_all.h"

using namespace straightedge;
using namespace straightedge::linearity;

namespace {

Moments momentsOf(const at::Tensor& x, const at::Tensor& y) {
    const std::int64_t first = std::min<std::int64_t>(16, x.size(0));
    Moments moments(x.narrow(0, 0, first).to(at::kDouble).mean(0),
                    y.narrow(0, 0, first).to(at::kDouble).mean(0));
    moments.add(x, y);
    return moments;
}

// n rows whose d singular values fall from 1 to 1 / condition, at an offset.
at::Tensor rowsOfCondition(std::int64_t n, std::int64_t d, double condition) {
    const auto q = std::get<0>(at::linalg_qr(at::randn({n, d}, at::kDouble)));
    const auto v = std::get<0>(at::linalg_qr(at::randn({d, d}, at::kDouble)));
    return (q * at::logspace(0, -std::log10(condition), d, 10.0, at::kDouble)).mm(v);
}

}  // namespace

class TestLinearity : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void init() { torch::manual_seed(0); }

    // The published toy: LibTorch's generator gives the same numbers as Python's.
    void toyOfThePaper() {
        const std::int64_t d = 64;
        const at::Tensor x = at::randn({8000, d});
        const at::Tensor w = at::randn({d, d}) / std::sqrt(64.0), m = at::randn({d, d}) / std::sqrt(64.0);
        const at::Tensor y = x.mm(w.t()) + 0.25 * (x.square() - 1).mm(m);
        const LinearProfile profile = linearProfile(x, y);
        QVERIFY2(std::abs(*profile.published.r2 - 0.882) < 5e-4,
                 qPrintable(QString::number(*profile.published.r2)));
        QCOMPARE(profile.fit.rank, d);
    }

    void exactMapIsFound() {
        const at::Tensor x = at::randn({500, 12}) * 3 + 100;  // far from zero: the shift must take that away
        const at::Tensor w = at::randn({12, 7}), b = at::randn({7});
        const at::Tensor y = x.to(at::kDouble).mm(w.to(at::kDouble)) + b.to(at::kDouble);
        const AffineFit fit = solveAffine(momentsOf(x, y), x, y).fit;
        QVERIFY(!fit.fromRows);
        QVERIFY(at::allclose(fit.weight, w.to(at::kDouble), 1e-9, 1e-9));
        QVERIFY(at::allclose(fit.bias, b.to(at::kDouble), 1e-7, 1e-7));
    }

    void conditionIsThatOfTheCovariance() {
        at::Tensor x = at::randn({4000, 2}, at::kDouble);
        x = x - x.mean(0);
        x = std::get<0>(at::linalg_qr(x)) *
            at::tensor({10.0, 0.1}, at::kDouble);  // singular values 10 and 0.1
        const AffineFit fit = solveAffine(momentsOf(x, x), x, x).fit;
        QVERIFY2(std::abs(fit.condition / 1e4 - 1) < 1e-2, qPrintable(QString::number(fit.condition)));
    }

    // Inputs of condition 1e8, their covariance of 1e16: far past what moments in float64 can tell.
    void illConditionedRowsAreSolvedFromTheRows() {
        const at::Tensor x = rowsOfCondition(600, 20, 1e8);
        const at::Tensor w = at::randn({20, 5}, at::kDouble);
        const at::Tensor y = x.mm(w) + 4;
        const AffineFit fit = solveAffine(momentsOf(x, y), x, y).fit;
        QVERIFY(fit.fromRows);
        QCOMPARE(fit.rank, 20);
        QVERIFY2((fit.predict(x) - y).abs().max().item<double>() < 1e-12,
                 qPrintable(QString::number((fit.predict(x) - y).abs().max().item<double>())));
        QVERIFY(at::allclose(fit.weight, w, 1e-5, 1e-5));
        QVERIFY2(std::abs(std::log10(fit.condition) - 16) < 0.5, qPrintable(QString::number(fit.condition)));
    }

    void knownRankIsFoundAndTheSmallestSolutionTaken() {
        const at::Tensor basis = at::randn({5, 16}, at::kDouble);
        const at::Tensor x = at::randn({300, 5}, at::kDouble).mm(basis);  // rank 5 of 16
        const at::Tensor y = x.mm(at::randn({16, 3}, at::kDouble));
        const AffineFit fit = solveAffine(momentsOf(x, y), x, y).fit;
        QCOMPARE(fit.rank, 5);
        QVERIFY(at::allclose(fit.predict(x), y, 1e-8, 1e-8));
        // Minimum norm: nothing of the map lies outside the rows' span.
        const at::Tensor centred = x - x.mean(0);
        const at::Tensor smallest = at::linalg_pinv(centred, 1e-10).mm(y - y.mean(0));
        QVERIFY(at::allclose(fit.weight, smallest, 1e-7, 1e-9));
    }

    void fewerRowsThanInputsStillFit() {
        const at::Tensor x = at::randn({10, 16}), y = at::randn({10, 2});
        const AffineFit fit = solveAffine(momentsOf(x, y), x, y).fit;
        QCOMPARE(fit.rank, 9);  // ten centred rows
        QVERIFY(at::allclose(fit.predict(x), y.to(at::kDouble), 1e-9, 1e-9));
    }

    void weightsCountAsRepeatedRows() {
        const at::Tensor x = at::randn({40, 3}), y = at::randn({40, 2});
        at::Tensor weights = at::ones({40}, at::kDouble);
        weights.narrow(0, 30, 10).fill_(2);
        const at::Tensor shift = at::zeros({3}, at::kDouble), shiftY = at::zeros({2}, at::kDouble);
        Moments weighted(shift, shiftY), repeated(shift, shiftY);
        weighted.add(x, y, weights);
        repeated.add(at::cat({x, x.narrow(0, 30, 10)}), at::cat({y, y.narrow(0, 30, 10)}));
        QCOMPARE(weighted.weight(), 50.0);
        QVERIFY(at::allclose(weighted.covarianceX(), repeated.covarianceX(), 1e-12, 1e-12));
        QVERIFY(at::allclose(weighted.covarianceXY(), repeated.covarianceXY(), 1e-12, 1e-12));
    }

    void valuesAreThoseOfTheReference() {
        QFile file(QStringLiteral(TEST_DATA "/tiny/rows.json"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        for (const auto& item : nlohmann::json::parse(file.readAll().toStdString())) {
            const std::int64_t n = item["n"], d = item["d"];
            const auto rows = [&](const char* name) {
                return at::tensor(item[name].get<std::vector<double>>(), at::kDouble)
                    .to(at::kFloat)
                    .view({n, d});
            };
            const LinearProfile profile = linearProfile(rows("x"), rows("y"));
            const auto& expected = item["expected"];
            const auto near = [&](const char* name, std::optional<double> found, double tolerance) {
                QVERIFY2(found, name);
                const double want = expected[name];
                QVERIFY2(std::abs(*found - want) <= tolerance * std::max(1.0, std::abs(want)),
                         qPrintable(QStringLiteral("%1, %2: %3 instead of %4")
                                        .arg(QString::fromStdString(item["name"]), QLatin1String(name))
                                        .arg(*found, 0, 'g', 12)
                                        .arg(want, 0, 'g', 12)));
            };
            near("r2", profile.published.r2, 1e-9);
            near("r2_centred", profile.published.r2Centred, 1e-9);
            near("rmse", profile.published.rmse, 1e-9);
            near("rel_mse", profile.published.relMse, 1e-9);
            near("cosine", profile.published.cosine, 1e-9);
            near("feature_r2_median", profile.published.featureMedian, 1e-9);
            near("feature_r2_mean", profile.published.featureMean, 1e-9);
            near("massive_rows", static_cast<double>(profile.massive.count), 0);
            near("massive_share", profile.massive.share, 1e-9);
            near("r2_typical", profile.typical.r2, 1e-9);
            near("r2_typical_centred", profile.typical.r2Centred, 1e-9);
            near("r2_lin_on_typical", profile.publishedOnTypical.r2, 1e-9);
        }
    }

    // Single products against float64 ones, where the covariance has a condition of 1e8 because features
    // differ in size (the single ones serve) and because they are mixed (they do not, and are taken again).
    void singleProductsScoreLikeDoubleOnes_data() {
        QTest::addColumn<bool>("mixed");
        QTest::newRow("sizes differ") << false;
        QTest::newRow("mixed") << true;
    }
    void singleProductsScoreLikeDoubleOnes() {
        QFETCH(bool, mixed);
        constexpr std::int64_t n = 6000, d = 160;
        const at::Tensor rotation = std::get<0>(at::linalg_qr(at::randn({d, d}, at::kDouble)));
        at::Tensor x = at::randn({n, d}, at::kDouble) * at::logspace(0, -4, d, 10, at::kDouble);
        if (mixed)
            x = x.mm(rotation);
        x = (x + 5).to(at::kFloat);
        const at::Tensor y =
            (at::tanh(x).mm(at::randn({d, d})) + x.narrow(1, 3, 1) * 1e3 + at::randn({n, d})).contiguous();
        const at::Tensor shift = x.narrow(0, 0, 256).mean(0).to(at::kDouble);
        const at::Tensor shiftY = y.narrow(0, 0, 256).mean(0).to(at::kDouble);
        const auto fitOf = [&](Products products, const at::Tensor& weights) {
            Moments moments(shift, shiftY, products);
            moments.add(x, y, weights);
            return solveAffine(moments, x, y, weights).fit;
        };
        for (const at::Tensor& weights : {at::Tensor(), at::rand({n}, at::kDouble)}) {
            const AffineFit exact = fitOf(Products::Double, weights),
                            quick = fitOf(Products::Single, weights);
            QVERIFY(exact.condition > 0.5e8 && exact.condition < 1e9);
            QVERIFY(std::abs(quick.condition / exact.condition - 1) < 1e-3);
            QCOMPARE(quick.single, !mixed);
            const Scores want = score(y, exact.predict(x)), got = score(y, quick.predictFast(x));
            QVERIFY2(std::abs(*want.r2 - *got.r2) < 1e-6, qPrintable(QString::number(*want.r2 - *got.r2)));
            QVERIFY(std::abs(*want.r2Centred - *got.r2Centred) < 1e-6);
        }
    }

    // Numbers whose sizes differ by 1e24, so that a plain float64 sum would depend on their order.
    void compensatedSumsDoNotDependOnTheOrder() {
        const at::Tensor terms =
            at::randn({60, 40, 30}, at::kDouble) * at::pow(10, at::rand({60, 40, 30}, at::kDouble) * 24 - 12);
        const auto sumOf = [&](const at::Tensor& order) {
            CompensatedSum sum({40, 30});
            for (std::int64_t i = 0; i < order.size(0); ++i)
                sum.add(terms[order[i].item<std::int64_t>()]);
            return sum;
        };
        const at::Tensor ahead = at::arange(60), mixed = at::randperm(60);
        const at::Tensor want = sumOf(ahead).value();
        QVERIFY(at::equal(sumOf(mixed).value(), want));
        QVERIFY(!at::equal(terms.index_select(0, mixed).cumsum(0)[-1], terms.cumsum(0)[-1]));
        CompensatedSum parts = sumOf(mixed.narrow(0, 0, 13));
        parts.add(sumOf(mixed.narrow(0, 13, 47)));
        QVERIFY(at::equal(parts.value(), want));
        // One part of a matrix, of float32.
        CompensatedSum corner({4, 5});
        corner.addAt(1, 2, at::ones({3, 2}, at::kFloat));
        QVERIFY(at::equal(corner.value().narrow(0, 1, 3).narrow(1, 2, 2), at::ones({3, 2}, at::kDouble)));
        QCOMPARE(corner.value().sum().item<double>(), 6.0);
    }

    // A few rows ten thousand times as large as the others, against a singular value decomposition of all
    // rows, with and without weights, in both precisions of products; and so many that they have a fit of
    // their own.
    void massiveRowsAreFittedAsRows_data() {
        QTest::addColumn<int>("width");
        QTest::addColumn<int>("count");
        QTest::addColumn<bool>("weighted");
        QTest::addColumn<double>("tolerance");
        QTest::newRow("float64 products") << 40 << 12 << false << 1e-10;
        QTest::newRow("weighted") << 40 << 12 << true << 1e-10;
        QTest::newRow("one") << 40 << 1 << false << 1e-10;
        QTest::newRow("more than features") << 40 << 90 << false << 1e-6;
        QTest::newRow("float32 products") << 260 << 12 << false << 1e-6;
        QTest::newRow("float32 products, weighted") << 260 << 12 << true << 1e-6;
    }
    void massiveRowsAreFittedAsRows() {
        QFETCH(int, width);
        QFETCH(int, count);
        QFETCH(bool, weighted);
        QFETCH(double, tolerance);
        constexpr std::int64_t n = 3000, e = 30;
        at::Tensor massive = at::zeros({n}, at::kBool);
        massive.slice(0, 5, n, n / count).narrow(0, 0, count).fill_(true);
        const at::Tensor size = at::where(massive, 1e4, 1.0).unsqueeze(1);
        at::Tensor x = at::randn({n, width}) * 0.1 + at::randn({width}) * size;
        x = x.to(at::kFloat);
        const at::Tensor y = (at::tanh(x).mm(at::randn({width, e})) + size * at::randn({e})).to(at::kFloat);
        const at::Tensor weights = weighted ? at::rand({n}, at::kDouble) + 0.1 : at::Tensor();
        const at::Tensor typical = massive.logical_not();
        const auto shift = [&](const at::Tensor& rows) {
            return rows.index_select(0, typical.nonzero().squeeze(1)).mean(0).to(at::kDouble);
        };
        const TypicalAndAll fits = fitTypicalAndAll(x, y, weights, massive, shift(x), shift(y));
        QVERIFY(!fits.typical.fromRows && !fits.all.fromRows);
        QVERIFY2(fits.all.condition > 1e7, qPrintable(QString::number(fits.all.condition)));
        QCOMPARE(fits.typical.single, width >= 256);

        // Columns of 1 beside x, every row times the root of its weight.
        const auto expected = [&](const at::Tensor& w) {
            const at::Tensor roots = w.sqrt().unsqueeze(1);
            const at::Tensor a = at::cat({x.to(at::kDouble), at::ones({n, 1}, at::kDouble)}, 1) * roots;
            const at::Tensor map =
                std::get<0>(at::linalg_lstsq(a, y.to(at::kDouble) * roots, std::nullopt, "gelsd"));
            return at::addmm(map[width], x.to(at::kDouble), map.narrow(0, 0, width));
        };
        const at::Tensor all = weighted ? weights : at::ones({n}, at::kDouble);
        const auto off = [&](const AffineFit& fit, const at::Tensor& w, const at::Tensor& rows) {
            const at::Tensor which = rows.nonzero().squeeze(1);
            const at::Tensor want = expected(w).index_select(0, which);
            return ((fit.predict(x).index_select(0, which) - want).norm() / want.norm()).item<double>();
        };
        const auto isSmall = [&](double error) { return error < tolerance; };
        for (const at::Tensor& rows : {massive, typical}) {
            const double error = off(fits.all, all, rows);
            QVERIFY2(isSmall(error), qPrintable(QString::number(error)));
        }
        QVERIFY(isSmall(off(fits.typical, all * typical, typical)));
        QVERIFY(at::allclose(fits.moments.meanX(), (x * all.unsqueeze(1)).sum(0) / all.sum(), 1e-6, 1e-9));
    }

    void mediansAreTorchs() {
        for (const std::int64_t n : {1, 2, 1024, 5000, 5001}) {
            at::Tensor y = at::randn({n, 37});
            y.select(1, 1).fill_(3);                  // all the same
            y.select(1, 2).copy_(at::arange(n) % 3);  // ties
            y.select(1, 3).copy_(
                at::arange(n, at::kFloat).sin());  // where a sample of every so many misleads
            const at::Tensor centre = std::get<0>(y.median(0));
            const at::Tensor energy = (y.to(at::kDouble) - centre).square().sum(1);
            const MassiveRows found = findMassiveRows(y, n);
            QVERIFY(at::allclose(found.energy, energy, 1e-12));
            QCOMPARE(found.medianEnergy, energy.median().item<double>());
        }
    }

    void constantOutputHasNoScore() {
        const at::Tensor x = at::randn({100, 4});
        const LinearProfile profile = linearProfile(x, at::full({100, 4}, 0.1f));
        QVERIFY(!profile.published.r2);
        QVERIFY(!profile.published.r2Centred);
        QVERIFY(!profile.published.featureMedian);
        QCOMPARE(profile.published.constantFeatures, 4);
        QVERIFY(!profile.massive.share);
    }

    // A constant vector: explained around one mean, undefined around each feature's own.
    void constantFeaturesAreLeftOutAndCounted() {
        const at::Tensor x = at::randn({200, 3});
        at::Tensor y = at::cat({x, at::full({200, 1}, 5.3f)}, 1);
        const LinearProfile profile = linearProfile(x, y);
        QCOMPARE(profile.published.constantFeatures, 1);
        QVERIFY(*profile.published.featureMedian > 0.999999);
        y = at::cat({at::full({200, 2}, 1.0f), at::full({200, 1}, 5.3f)}, 1);
        const LinearProfile constant = linearProfile(x, y);
        QVERIFY(constant.published.r2 && std::abs(*constant.published.r2 - 1) < 1e-12);
        QVERIFY(!constant.published.r2Centred);
    }

    void deadInputsLowerTheRankAndNothingElse() {
        const at::Tensor live = at::randn({400, 5});
        const at::Tensor x = at::cat({live, at::zeros({400, 1}), at::full({400, 1}, 3.0f)}, 1);
        const LinearProfile with = linearProfile(x, live.square());
        const LinearProfile without = linearProfile(live, live.square());
        QCOMPARE(with.fit.rank, 5);
        QVERIFY(std::abs(*with.published.r2 - *without.published.r2) < 1e-10);
    }

    void valuesThatAreNotFiniteAreRefused() {
        at::Tensor x = at::randn({50, 3});
        const at::Tensor y = at::randn({50, 3});
        x[7][1] = std::numeric_limits<float>::quiet_NaN();
        QVERIFY_THROWS_EXCEPTION(Error, linearProfile(x, y));
        QVERIFY_THROWS_EXCEPTION(Error,
                                 linearProfile(y, at::full({50, 3}, std::numeric_limits<float>::infinity())));
    }

    void headAndTailAreTheProtocols() {
        QCOMPARE(headRows(2), 1);
        QCOMPARE(headRows(3), 2);
        QCOMPARE(headRows(14'976), 14'976 - 2'995);
        QCOMPARE(headRows(5), 4);
        QCOMPARE(headRows(12), 10);  // round(2.4)
        QCOMPARE(headRows(128), 102);
    }
};

QTEST_GUILESS_MAIN(TestLinearity)
#include "tst_linearity.moc"
