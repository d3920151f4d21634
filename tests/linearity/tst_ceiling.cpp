// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QTest>

#include "data/probe_rows.h"
#include "error.h"
#include "linearity/cholesky.h"
#include "linearity/polynomial_ceiling.h"

using namespace straightedge;
using namespace straightedge::linearity;

class TestCeiling : public QObject {
    Q_OBJECT

    static PolynomialCeiling ceilingOf(const ProbeRows& rows, const CeilingSettings& settings) {
        return polynomialCeiling(rows.x, rows.y, rows.profile.head, rows.profile.fit, rows.ids, settings);
    }

    static void compare(const PolynomialCeiling& found, const nlohmann::json& expected, double tolerance) {
        const std::string name = "r2_deg" + std::to_string(found.degree);
        const auto near = [&](const std::string& of, std::optional<double> value) {
            const double want = expected[of];
            QVERIFY2(value && std::abs(*value - want) < tolerance * std::max(1.0, std::abs(want)),
                     qPrintable(QStringLiteral("%1: %2 instead of %3")
                                    .arg(QString::fromStdString(of))
                                    .arg(value.value_or(-9), 0, 'g', 12)
                                    .arg(want, 0, 'g', 12)));
        };
        QCOMPARE(found.ridge, expected[name + "_ridge"].get<double>());
        near(name, found.r2);
        near(name + "_half", found.r2Half);
        near(name + "_unseen", found.r2Unseen);
        near("r2_lin_unseen", found.r2LinUnseen);
    }

  private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }  // small products; waiting for each other costs more

    void valuesAreThoseOfTheReference() {
        for (const ProbeRows& rows : probeRows())
            for (const int degree : {2, 3}) {
                const PolynomialCeiling found = ceilingOf(rows, {.degree = degree});
                QCOMPARE(found.landmarks, 0);
                compare(found, rows.expected, 1e-9);
                QCOMPARE(found.ridgeAtEnd, found.ridge == 1e-1 || found.ridge == 1e-5);
                QVERIFY(std::abs(*found.r2Lin - *rows.profile.published.r2) < 1e-12);
            }
    }

    void valuesAreThoseOfKernelRidge() {
        const CeilingSettings published;
        for (const ProbeRows& rows : probeRows())
            for (const int degree : {2, 3}) {
                const nlohmann::json& expected = rows.expected["kernel_ridge_" + std::to_string(degree)];
                for (std::size_t i = 0; i < published.ridges.size(); ++i) {
                    const PolynomialCeiling found =
                        ceilingOf(rows, {.degree = degree, .ridges = {published.ridges[i]}});
                    QVERIFY(std::abs(*found.r2 - expected[i].get<double>()) < 1e-8);
                }
            }
    }

    void typicalRowsAlone() {
        int compared = 0;
        for (const ProbeRows& rows : probeRows())
            if (rows.expected.contains("typical")) {
                ++compared;
                compare(polynomialCeilingOf(rows.profile.massive.massive.logical_not(), rows.x, rows.y,
                                            rows.profile.head, rows.profile.typicalFit, rows.ids, {}),
                        rows.expected["typical"], 1e-9);
            }
        QCOMPARE(compared, 1);
    }

    // A polynomial kernel of degree 2 in 8 inputs has rank 45: as many landmarks, or all rows, approximate
    // nothing.
    void nystroemIsExactWithEnoughLandmarks() {
        const ProbeRows rows = probeRows().front();
        for (const std::int64_t landmarks : {rows.profile.head, std::int64_t{120}}) {
            const std::int64_t budget = 2 * landmarks * landmarks * 8;
            const PolynomialCeiling found = ceilingOf(
                rows, {.memoryBudget = std::min(budget, rows.profile.head * rows.profile.head * 8 - 1),
                       .mostLandmarks = landmarks});
            QVERIFY(found.landmarks >= 120 && found.landmarks <= landmarks);
            QVERIFY(found.method().find("Nyström") != std::string::npos);
            compare(found, rows.expected, 1e-6);
        }
    }

    void fewLandmarksLoseALittle() {
        const ProbeRows rows = probeRows().front();
        const PolynomialCeiling few = ceilingOf(rows, {.memoryBudget = 1 << 17, .mostLandmarks = 30});
        QCOMPARE(few.landmarks, 30);
        QVERIFY(*few.r2 > *few.r2Lin && *few.r2 < rows.expected["r2_deg2"].get<double>() + 1e-3);
    }

    // More rows than one panel, against torch's own solve.
    void factorAndMatrixShareTheirMemory() {
        at::manual_seed(4);
        const std::int64_t n = 900;
        const at::Tensor root = at::randn({n, n}, at::kDouble), b = at::randn({n, 7}, at::kDouble);
        const at::Tensor matrix = root.mm(root.t());
        at::Tensor room = at::full({n + 5, n + 5}, std::numeric_limits<double>::quiet_NaN(), at::kDouble);
        const at::Tensor a = room.narrow(0, 5, n).narrow(1, 5, n);
        a.copy_(at::triu(matrix, 1) + at::tril(a));
        double flops = 0;
        for (const double ridge : {10.0, 0.5}) {
            const at::Tensor diagonal = matrix.diagonal() + ridge;
            QVERIFY(factorBelow(a, diagonal, [&](double done) { flops += done; }));
            const at::Tensor x = b.clone();
            solveBelow(a, x, [](double) {});
            const at::Tensor back = matrix.mm(x) + ridge * x;
            QVERIFY(at::allclose(back, b, 1e-9, 1e-9));
        }
        QVERIFY(at::equal(at::triu(a, 1), at::triu(matrix, 1)));
        QVERIFY(std::abs(flops / (2 * factorWork(n)) - 1) < 1e-9);
        QVERIFY(!factorBelow(a, matrix.diagonal() - 2 * matrix.diagonal().max(), [](double) {}));
    }

    void stopsWhereTheTickThrows() {
        const ProbeRows rows = probeRows().front();
        double last = 0;
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, polynomialCeiling(rows.x, rows.y, rows.profile.head, rows.profile.fit, rows.ids, {},
                                         [&](double fraction) {
                                             QVERIFY(fraction >= last && fraction <= 1);
                                             if ((last = fraction) > 0.5)
                                                 throw Cancelled();
                                         }));
        QVERIFY(last > 0.5 && last < 1);
    }

    void rowsWithoutNewTokensHaveNoUnseenScore() {
        const ProbeRows rows = probeRows().front();
        const at::Tensor same = at::zeros_like(rows.ids);
        const PolynomialCeiling found =
            polynomialCeiling(rows.x, rows.y, rows.profile.head, rows.profile.fit, same, {});
        QCOMPARE(found.unseenRows, 0);
        QVERIFY(!found.r2Unseen && !found.r2LinUnseen && found.r2);
    }

    void tooFewRowsAreRefused() {
        const at::Tensor x = at::randn({9, 2}), y = at::randn({9, 2});
        const LinearProfile profile = linearProfile(x, y);
        QVERIFY_THROWS_EXCEPTION(Error, polynomialCeiling(x, y, profile.head, profile.fit, {}, {}));
    }
};

QTEST_GUILESS_MAIN(TestCeiling)
#include "tst_ceiling.moc"
