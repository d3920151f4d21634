// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_study.h"
#include "linearity/effective_rank.h"
#include "linearity/folds.h"
#include "replacement/closed_forms.h"

namespace straightedge::study {

namespace {

double whole(std::int64_t count) {
    return static_cast<double>(count);
}

MetricValues valuesOf(const linearity::LinearProfile& profile) {
    MetricValues values;
    values.set(Metric::Rows, whole(profile.allRows));
    values.set(Metric::RowsTrain, whole(profile.allHead));
    values.set(Metric::R2Lin, profile.published.r2);
    values.set(Metric::R2LinCentred, profile.published.r2Centred);
    values.set(Metric::Rmse, profile.published.rmse);
    values.set(Metric::RelMse, profile.published.relMse);
    values.set(Metric::Cosine, profile.published.cosine);
    values.set(Metric::FeatureR2Median, profile.published.featureMedian);
    values.set(Metric::FeatureR2Mean, profile.published.featureMean);
    values.set(Metric::ConstantFeatures, whole(profile.published.constantFeatures));
    values.set(Metric::Rank, whole(profile.fit.rank));
    values.set(Metric::Condition, profile.fit.condition);
    values.set(Metric::MassiveRows, whole(profile.massive.count));
    values.set(Metric::MassiveShare, profile.massive.share);
    values.set(Metric::R2Typical, profile.typical.r2);
    values.set(Metric::R2TypicalCentred, profile.typical.r2Centred);
    values.set(Metric::R2LinOnTypical, profile.publishedOnTypical.r2);
    return values;
}

void add(BlockStudy& study, ReplacementKind kind, std::shared_ptr<const replacement::Layer> layer,
         const linearity::Scores& scores) {
    ReplacementResult row{.kind = kind, .parameters = layer->parameters()};
    row.r2 = scores.r2;
    row.r2Centred = scores.r2Centred;
    row.rmse = scores.rmse;
    row.cosine = scores.cosine;
    study.result.replacements.push_back(std::move(row));
    study.layers.push_back(std::move(layer));
    study.healed.emplace_back();
}

// On the held-out tail.
linearity::Scores scoreTail(const linearity::LinearProfile& profile, const BlockRows& rows,
                            const linearity::Predict& predict) {
    const std::int64_t tail = profile.rows - profile.head;
    return linearity::score(rows.x.narrow(0, profile.head, tail), rows.y.narrow(0, profile.head, tail),
                            profile.moments->shiftY(), predict, *profile.ranks);
}

}  // namespace

void addReplacement(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                    ReplacementKind kind, std::shared_ptr<const replacement::Layer> layer) {
    const linearity::Scores scores = scoreTail(profile, rows, [&](const at::Tensor& x) {
        at::Tensor predicted = at::empty({x.size(0), rows.y.size(1)}, at::kFloat);
        layer->forward(x, predicted);
        return predicted;
    });
    add(study, kind, std::move(layer), scores);
}

linearity::LinearProfile studyLine(BlockStudy& study, const BlockRows& rows, const StudySettings& settings) {
    linearity::LinearProfile profile = linearity::linearProfile(rows.x, rows.y, *rows.ranks);
    study.result.values = valuesOf(profile);
    add(study, ReplacementKind::Linear, std::make_shared<replacement::AffineLayer>(profile.fit),
        profile.published);
    if (settings.balanced)
        for (const auto& [kind, power] : {std::pair{ReplacementKind::BalancedHalf, 0.5},
                                          std::pair{ReplacementKind::BalancedFourFifths, 0.8}}) {
            const linearity::AffineFit fit = replacement::balancedFit(profile, rows.x, rows.y, power);
            add(study, kind, std::make_shared<replacement::AffineLayer>(fit),
                scoreTail(profile, rows, [&](const at::Tensor& x) { return fit.predict(x); }));
        }
    if (settings.switched)
        if (std::shared_ptr<const replacement::Layer> layer =
                replacement::switchedFit(profile, rows.x, rows.y))
            addReplacement(study, profile, rows, ReplacementKind::Switched, std::move(layer));
    return profile;
}

void studyFolds(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                const StudySettings& settings, const StudyCost& cost, StudyListener& listener) {
    double before = 0;
    const linearity::Folds folds =
        linearity::blockedFolds(profile, rows.x, rows.y, settings.folds, [&](double fraction) {
            listener.worked((fraction - before) * cost.folds());
            before = fraction;
        });
    study.result.folds = folds.r2Centred;
    study.result.values.set(Metric::KfoldMean, folds.mean);
    study.result.values.set(Metric::KfoldStd, folds.deviation);
}

void studyRank(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows) {
    const linearity::EffectiveRank rank = linearity::effectiveRank(profile, rows.x, rows.y);
    study.result.rankCurve = rank.curve;
    study.result.values.set(Metric::Rank90, rank.rank90 ? std::optional(whole(*rank.rank90)) : std::nullopt);
    study.result.values.set(Metric::Rank95, rank.rank95 ? std::optional(whole(*rank.rank95)) : std::nullopt);
}

}  // namespace straightedge::study
