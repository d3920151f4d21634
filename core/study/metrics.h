// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace straightedge::study {

// Every number there is of a block. PROTOCOL.md (resources/help/protocol.md for users) defines them; the
// table in metrics.cpp is the one place where a name, a title and an explanation stand, for the CSV, the
// JSON, the store, the table of the window and its tool tips alike.
enum class Metric : std::size_t {
    Rows,
    RowsTrain,
    R2Lin,
    R2LinCentred,
    Rmse,
    RelMse,
    Cosine,
    FeatureR2Median,
    FeatureR2Mean,
    Rank,
    Condition,
    MassiveRows,
    MassiveShare,
    R2Typical,
    R2TypicalCentred,
    R2LinOnTypical,
    ConstantFeatures,
    BasePpl,
    Dppl,
    DpplSe,
    BalancedPower,
    DpplBalanced,
    DpplSwitched,
    DpplHealed,
    DpplHealedOriginal,
    KfoldMean,
    KfoldStd,
    Rank90,
    Rank95,
    R2TrainedLinear,
    R2Bilinear,
    GainBilinear,
    GateBilinear,
    R2Dense2x,
    R2Poly2x,
    ConjunctionFfn,
    R2Deg2,
    R2Deg2Half,
    R2Deg2Unseen,
    R2Deg2Typical,
    R2Deg3,
    R2Deg3Half,
    R2Deg3Unseen,
    R2Deg3Typical,
    R2LinUnseen,
    Count_  // how many there are; not a metric
};

struct MetricInfo {
    Metric metric;
    std::string_view name;         // in files: "r2_lin"
    std::string_view title;        // on screen: "R² published"
    std::string_view explanation;  // one or two sentences, for tool tips and the help
    bool whole = false;            // a count
    int decimals = 3;              // on screen
};

// All metrics in the order of the CSV's columns.
std::span<const MetricInfo> metrics();
const MetricInfo& info(Metric metric);
std::optional<Metric> metricNamed(std::string_view name);

// The values of one block; one that is undefined or was not asked for is empty.
class MetricValues {
  public:
    std::optional<double> operator[](Metric metric) const {
        return m_values[static_cast<std::size_t>(metric)];
    }
    // A value that is not finite counts as undefined.
    void set(Metric metric, std::optional<double> value);

    bool operator==(const MetricValues&) const = default;

  private:
    std::array<std::optional<double>, static_cast<std::size_t>(Metric::Count_)> m_values;
};

}  // namespace straightedge::study
