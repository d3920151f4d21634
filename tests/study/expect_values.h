// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTest>
#include <cmath>
#include <nlohmann/json.hpp>

#include "study/run.h"

// The scores of measure.py and the metrics that stand for them.
inline const std::vector<std::pair<const char*, straightedge::study::Metric>> referenceNames = {
    {"r2", straightedge::study::Metric::R2Lin},
    {"r2_centred", straightedge::study::Metric::R2LinCentred},
    {"rmse", straightedge::study::Metric::Rmse},
    {"rel_mse", straightedge::study::Metric::RelMse},
    {"cosine", straightedge::study::Metric::Cosine},
    {"feature_r2_median", straightedge::study::Metric::FeatureR2Median},
    {"feature_r2_mean", straightedge::study::Metric::FeatureR2Mean},
    {"massive_rows", straightedge::study::Metric::MassiveRows},
    {"massive_share", straightedge::study::Metric::MassiveShare},
    {"r2_typical", straightedge::study::Metric::R2Typical},
    {"r2_typical_centred", straightedge::study::Metric::R2TypicalCentred},
    {"r2_lin_on_typical", straightedge::study::Metric::R2LinOnTypical},
};

// Scores within 1e-4 of their size (1 where they are smaller), as PROTOCOL.md asks of R2 between 0 and 1.
inline void expectValues(const straightedge::study::BlockResult& block, const nlohmann::json& expected) {
    QVERIFY2(block.failure.empty(), block.failure.c_str());
    for (const auto& [name, metric] : referenceNames) {
        const auto found = block.values[metric];
        QVERIFY2(found, name);
        const double want = expected[name];
        QVERIFY2(std::abs(*found - want) <= 1e-4 * std::max(1.0, std::abs(want)),
                 qPrintable(QStringLiteral("block %1, %2: %3 instead of %4").arg(block.block).arg(QLatin1String(name))
                                .arg(*found, 0, 'g', 9).arg(want, 0, 'g', 9)));
    }
}
