// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics.h"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace straightedge::study {

namespace {

constexpr MetricInfo table[] = {
    {Metric::Rows, "rows", "rows", "Rows captured: one for each token of the windows.", true},
    {Metric::RowsTrain, "rows_train", "train rows",
     "Rows of the head that the map is fitted on; the rest, the last fifth, is held out and scored.", true},
    {Metric::R2Lin, "r2_lin", "R² published",
     "Share of the held-out output variance that the best affine map of x explains, around one scalar mean "
     "of all "
     "entries: the published number. A constant output and a few massive rows inflate it."},
    {Metric::R2LinCentred, "r2_lin_centred", "R² centred",
     "The same fit scored around each feature's own mean, so that a constant output explains nothing."},
    {Metric::Rmse, "rmse", "RMSE", "Root of the mean squared error over all held-out entries.", false, 4},
    {Metric::RelMse, "rel_mse", "rel. MSE",
     "Mean squared error over the mean of the squared held-out outputs.", false, 4},
    {Metric::Cosine, "cosine", "cosine",
     "Mean over the held-out rows of the cosine between y and its prediction."},
    {Metric::FeatureR2Median, "feature_r2_median", "feature R² median",
     "Median over the output features of the R² of each feature alone; constant features are left out."},
    {Metric::FeatureR2Mean, "feature_r2_mean", "feature R² mean",
     "Mean over the output features of the R² of each feature alone; constant features are left out."},
    {Metric::Rank, "rank", "rank", "Numerical rank of the centred inputs of the head.", true},
    {Metric::Condition, "condition", "condition",
     "Condition number of the covariance of the head's inputs: its largest eigenvalue over the smallest of "
     "its "
     "numerical rank. A probe trained by gradient descent crawls where it is large; the closed form does "
     "not.",
     false, 0},
    {Metric::MassiveRows, "massive_rows", "massive rows",
     "Rows whose output lies more than 100 times the median energy from the typical output: attention sinks.",
     true},
    {Metric::MassiveShare, "massive_share", "massive share", "Their share of the output energy of all rows."},
    {Metric::R2Typical, "r2_typical", "R² typical",
     "Fitted and scored without massive rows: how linear the block is on ordinary tokens."},
    {Metric::R2TypicalCentred, "r2_typical_centred", "R² typical centred",
     "R² typical, scored around each feature's own mean."},
    {Metric::R2LinOnTypical, "r2_lin_on_typical", "published fit on typical",
     "The published fit scored on ordinary tokens only: what it costs them to have been fitted with massive "
     "rows. Often "
     "far below zero."},
    {Metric::ConstantFeatures, "constant_features", "constant features",
     "Output features that do not vary over the held-out rows and so have no R² of their own.", true},
    {Metric::BasePpl, "base_ppl", "base PPL", "Perplexity of the untouched model on the evaluation text.",
     false, 2},
    {Metric::Dppl, "dppl", "ΔPPL",
     "What it costs to put the published affine map in the FFN's place: perplexity swapped minus base, on "
     "the same windows. "
     "A high R² does not promise a small one.",
     false, 2},
    {Metric::DpplSe, "dppl_se", "± ΔPPL",
     "Standard error of ΔPPL from the paired losses of the windows (delta method): more windows make it "
     "smaller.",
     false, 2},
    {Metric::BalancedPower, "balanced_power", "power kept",
     "The power p of the row weights (energy + median)^-p that is kept for this block, chosen by perplexity "
     "on the capture "
     "text's held-out tail; 0 is the published fit.",
     false, 1},
    {Metric::DpplBalanced, "dppl_balanced", "ΔPPL balanced",
     "ΔPPL of the balanced fit that is kept: one matrix like the published one, with massive rows weighted "
     "down.",
     false, 2},
    {Metric::DpplSwitched, "dppl_switched", "ΔPPL switched",
     "ΔPPL of the switched fit: the typical rows' map, and for massive rows their mean output; only where "
     "there are massive "
     "rows.",
     false, 2},
};
static_assert(std::size(table) == static_cast<std::size_t>(Metric::Count_));

}  // namespace

std::span<const MetricInfo> metrics() {
    return table;
}

const MetricInfo& info(Metric metric) {
    return *std::ranges::find(table, metric, &MetricInfo::metric);
}

std::optional<Metric> metricNamed(std::string_view name) {
    const auto* found = std::ranges::find(table, name, &MetricInfo::name);
    return found == std::end(table) ? std::nullopt : std::optional(found->metric);
}

void MetricValues::set(Metric metric, std::optional<double> value) {
    m_values[static_cast<std::size_t>(metric)] = value && std::isfinite(*value) ? value : std::nullopt;
}

}  // namespace straightedge::study
