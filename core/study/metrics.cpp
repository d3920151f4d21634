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
    {Metric::DpplHealed, "dppl_healed", "ΔPPL healed",
     "ΔPPL of the published map after it alone was trained on the capture windows (200 Adam steps). Compare "
     "it with the "
     "next column: the same training of the block's own FFN.",
     false, 2},
    {Metric::DpplHealedOriginal, "dppl_healed_original", "ΔPPL own FFN healed",
     "The fair baseline of a healed figure: the same budget given to the block's own FFN. Below zero where "
     "the training "
     "fits the model to the text.",
     false, 2},
    {Metric::KfoldMean, "kfold_mean", "k-fold mean",
     "Mean of R² centred over blocked folds: contiguous parts of the text, each predicted from all others."},
    {Metric::KfoldStd, "kfold_std", "k-fold σ",
     "Sample standard deviation of R² centred over the folds: how much the score depends on the text."},
    {Metric::Rank90, "rank_90", "rank 90 %",
     "The fewest directions of the fitted output whose held-out R² reaches 90 % of the full fit's.", true},
    {Metric::Rank95, "rank_95", "rank 95 %",
     "The fewest directions of the fitted output whose held-out R² reaches 95 % of the full fit's.", true},
    {Metric::R2TrainedLinear, "r2_trained_linear", "R² trained linear",
     "Best held-out R² of a linear layer trained with Adam: what a trained probe reports where the closed "
     "form gives R² "
     "published."},
    {Metric::R2Bilinear, "r2_bilinear", "R² bilinear",
     "The line with a trained rank-16 bilinear part on top."},
    {Metric::GainBilinear, "gain_bilinear", "bilinear gain", "R² bilinear minus R² published."},
    {Metric::GateBilinear, "gate_bilinear", "gate",
     "Mean of exp(s), the scale of the bilinear part's outputs."},
    {Metric::R2Dense2x, "r2_dense2x", "R² dense ×2",
     "Two linear layers with a GELU between them, trained on the same rows."},
    {Metric::R2Poly2x, "r2_poly2x", "R² bilinear ×2", "Two bilinear layers in a row, trained."},
    {Metric::ConjunctionFfn, "conjunction_ffn", "conjunction",
     "How far the FFN's mean output needs both halves of its input at once: 0 for an additive map, at most "
     "1."},
    {Metric::R2Deg2, "r2_deg2", "R² degree 2",
     "Closed-form ceiling: the line and the best quadratic on what it leaves (kernel ridge, solved, not "
     "trained). A lower "
     "bound that grows with the rows."},
    {Metric::R2Deg2Half, "r2_deg2_half", "degree 2, half the rows",
     "R² degree 2 from the later half of the head alone: how fast the bound still grows."},
    {Metric::R2Deg2Unseen, "r2_deg2_unseen", "degree 2, unseen tokens",
     "R² degree 2 over the held-out rows whose token does not occur in the head."},
    {Metric::R2Deg2Typical, "r2_deg2_typical", "degree 2, typical",
     "R² degree 2, fitted and scored without massive rows."},
    {Metric::R2Deg3, "r2_deg3", "R² degree 3",
     "Closed-form ceiling of degree 3: the line and the best cubic on what it leaves."},
    {Metric::R2Deg3Half, "r2_deg3_half", "degree 3, half the rows",
     "R² degree 3 from the later half of the head alone."},
    {Metric::R2Deg3Unseen, "r2_deg3_unseen", "degree 3, unseen tokens",
     "R² degree 3 over the held-out rows whose token does not occur in the head."},
    {Metric::R2Deg3Typical, "r2_deg3_typical", "degree 3, typical",
     "R² degree 3, fitted and scored without massive rows."},
    {Metric::R2LinUnseen, "r2_lin_unseen", "R² published, unseen tokens",
     "The published fit over the held-out rows whose token does not occur in the head."},
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
