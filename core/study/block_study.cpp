// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_study.h"

#include "checkpoint/safetensors_writer.h"
#include "error.h"
#include "replacement/closed_forms.h"

namespace straightedge::study {

namespace {

MetricValues valuesOf(const linearity::LinearProfile& profile) {
    const auto whole = [](std::int64_t count) { return static_cast<double>(count); };
    MetricValues values;
    values.set(Metric::Rows, whole(profile.rows));
    values.set(Metric::RowsTrain, whole(profile.head));
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

void addReplacements(BlockStudy& study, const linearity::LinearProfile& profile, const at::Tensor& x,
                     const at::Tensor& y, const StudySettings& settings) {
    const std::int64_t tail = profile.rows - profile.head;
    const at::Tensor xTail = x.narrow(0, profile.head, tail), yTail = y.narrow(0, profile.head, tail);
    const auto add = [&](ReplacementKind kind, std::shared_ptr<const replacement::Layer> layer,
                         const linearity::Scores& scores) {
        ReplacementResult row{.kind = kind, .parameters = layer->parameters()};
        row.r2 = scores.r2;
        row.r2Centred = scores.r2Centred;
        row.rmse = scores.rmse;
        row.cosine = scores.cosine;
        study.result.replacements.push_back(row);
        study.layers.push_back(std::move(layer));
    };
    add(ReplacementKind::Linear, std::make_shared<replacement::AffineLayer>(profile.fit), profile.published);
    if (settings.balanced)
        for (const auto& [kind, power] : {std::pair{ReplacementKind::BalancedHalf, 0.5},
                                          std::pair{ReplacementKind::BalancedFourFifths, 0.8}}) {
            const linearity::AffineFit fit = replacement::balancedFit(profile, x, y, power);
            add(kind, std::make_shared<replacement::AffineLayer>(fit),
                linearity::score(yTail, fit.predict(xTail)));
        }
    if (settings.switched)
        if (std::shared_ptr<const replacement::Layer> layer = replacement::switchedFit(profile, x, y)) {
            at::Tensor predicted = at::empty({tail, y.size(1)}, at::kFloat);
            layer->forward(xTail, predicted);
            add(ReplacementKind::Switched, layer, linearity::score(yTail, predicted.to(at::kDouble)));
        }
}

}  // namespace

BlockStudy studyBlock(int block, const at::Tensor& x, const at::Tensor& y, const StudySettings& settings) {
    BlockStudy study{.result = {.block = block, .values = {}}, .layers = {}};
    try {
        const linearity::LinearProfile profile = linearity::linearProfile(x, y);
        study.result.values = valuesOf(profile);
        addReplacements(study, profile, x, y, settings);
    } catch (const Error& error) {
        study.result.failure = error.what();
    } catch (const c10::Error& error) {
        study.result.failure = std::string("a computation failed: ") + error.what_without_backtrace();
    }
    return study;
}

void saveMaps(const BlockStudy& study, const std::filesystem::path& runFolder) {
    std::vector<at::Tensor> kept;  // the views below look into these
    std::vector<checkpoint::TensorView> views;
    for (std::size_t i = 0; i < study.layers.size(); ++i)
        for (const auto& [name, tensor] : study.layers[i]->tensors()) {
            kept.push_back(tensor.contiguous());
            views.push_back(
                {std::string(info(study.result.replacements[i].kind).name) + "." + name,
                 checkpoint::DType::F32,
                 tensor.sizes().vec(),
                 {static_cast<const std::byte*>(kept.back().const_data_ptr()), kept.back().nbytes()},
                 {}});
        }
    writeSafetensors(mapsFile(runFolder, study.result.block), views);
}

}  // namespace straightedge::study
