// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QTest>

#include "data/probe_rows.h"
#include "error.h"
#include "linearity/effective_rank.h"
#include "linearity/folds.h"

using namespace straightedge;
using namespace straightedge::linearity;

class TestFolds : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }  // small products; waiting for each other costs more

    void foldsAreThoseOfTheReference() {
        for (const ProbeRows& rows : probeRows()) {
            const Folds folds = blockedFolds(rows.profile, rows.x, rows.y);
            const auto expected = rows.expected["kfold_r2"].get<std::vector<double>>();
            QCOMPARE(folds.r2Centred.size(), expected.size());
            for (std::size_t k = 0; k < expected.size(); ++k)
                QVERIFY(std::abs(*folds.r2Centred[k] - expected[k]) < 1e-9);
            QVERIFY(std::abs(*folds.mean - rows.expected["kfold_mean"].get<double>()) < 1e-9);
            QVERIFY(std::abs(*folds.deviation - rows.expected["kfold_std"].get<double>()) < 1e-9);
        }
    }

    // Ill-conditioned rows are solved themselves, of which the fold's own must have no part.
    void deadInputsDoNotMatter() {
        at::manual_seed(1);
        const at::Tensor live = at::randn({203, 5}), y = live.square();
        const at::Tensor x = at::cat({live, at::full({203, 1}, 3.0f)}, 1);
        const Folds with = blockedFolds(linearProfile(x, y), x, y);
        const Folds without = blockedFolds(linearProfile(live, y), live, y);
        for (std::size_t k = 0; k < 5; ++k)
            QVERIFY(std::abs(*with.r2Centred[k] - *without.r2Centred[k]) < 1e-8);
    }

    void aConstantFoldHasNoScoreAndLeavesNoMean() {
        at::manual_seed(2);
        const at::Tensor x = at::randn({50, 3});
        at::Tensor y = at::randn({50, 2});
        y.narrow(0, 10, 10).fill_(1);
        const Folds folds = blockedFolds(linearProfile(x, y), x, y);
        QVERIFY(folds.r2Centred[0] && !folds.r2Centred[1]);
        QVERIFY(!folds.mean && !folds.deviation);
    }

    void moreFoldsThanRowsAreRefused() {
        const at::Tensor x = at::randn({4, 1}), y = at::randn({4, 1});
        const LinearProfile profile = linearProfile(x, y);
        QVERIFY_THROWS_EXCEPTION(Error, blockedFolds(profile, x, y, 5));
        QVERIFY_THROWS_EXCEPTION(Error, blockedFolds(profile, x, y, 1));
    }

    void stopsWhereTheTickThrows() {
        const at::Tensor x = at::randn({40, 2}), y = at::randn({40, 2});
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, blockedFolds(linearProfile(x, y), x, y, 5, [](double) { throw Cancelled(); }));
    }

    void ranksAreThoseOfTheReference() {
        for (const ProbeRows& rows : probeRows()) {
            const EffectiveRank rank = effectiveRank(rows.profile, rows.x, rows.y);
            const auto curve = rows.expected["rank_curve"].get<std::vector<double>>();
            QCOMPARE(rank.curve.size(), curve.size());
            for (std::size_t k = 0; k < curve.size(); ++k)
                QVERIFY2(std::abs(rank.curve[k] - curve[k]) < 1e-9, rows.name.c_str());
            if (rows.expected["r2_lin"].get<double>() > 0) {
                QCOMPARE(rank.rank90, rows.expected["rank_90"].get<std::int64_t>());
                QCOMPARE(rank.rank95, rows.expected["rank_95"].get<std::int64_t>());
            } else {
                QVERIFY(!rank.rank90 && !rank.rank95);
            }
        }
    }

    void rankOfAnExactMapIsItsOwn() {
        at::manual_seed(3);
        const at::Tensor x = at::randn({400, 12});
        // Three directions of equal strength: two of them explain no more than two thirds.
        const at::Tensor onto = std::get<0>(at::linalg_qr(at::randn({9, 3}))).t();
        const at::Tensor y = x.mm(std::get<0>(at::linalg_qr(at::randn({12, 3})))).mm(onto);
        const EffectiveRank rank = effectiveRank(linearProfile(x, y), x, y);
        QCOMPARE(rank.rank90, 3);
        QCOMPARE(rank.rank95, 3);
        QVERIFY(rank.curve[2] > 1 - 1e-9);
        QVERIFY(effectiveRank(linearProfile(x, at::ones({400, 2})), x, at::ones({400, 2})).curve.empty());
    }
};

QTEST_GUILESS_MAIN(TestFolds)
#include "tst_folds.moc"
