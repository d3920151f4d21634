// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_study.h"

namespace straightedge::study {

namespace {

bool healable(ReplacementKind kind) {
    return kind == ReplacementKind::Linear || kind == ReplacementKind::Bilinear ||
           kind == ReplacementKind::Dense2x || kind == ReplacementKind::Original;
}

}  // namespace

void studyHealing(BlockStudy& study, const linearity::LinearProfile& profile, const BlockRows& rows,
                  const StudySettings& settings, const StudyCost& cost, StudyListener& listener) {
    const std::unique_ptr<replacement::Healer> healer = rows.healer();
    const std::shared_ptr<const replacement::TrainedLayer> own = healer->original();
    addReplacement(study, profile, rows, ReplacementKind::Original, own);
    study.layers.back() = nullptr;  // swapped in, it changes nothing
    replacement::HealingSettings asked;
    asked.steps = settings.healSteps;
    asked.seed = settings.seed;
    const double each = cost.healing(rows.block, settings.healSteps) / static_cast<double>(asked.steps);
    for (std::size_t i = 0; i < study.layers.size(); ++i) {
        ReplacementResult& row = study.result.replacements[i];
        if (!healable(row.kind))
            continue;
        std::shared_ptr<const replacement::TrainedLayer> layer;
        if (row.kind == ReplacementKind::Original)
            layer = own;
        else if (row.kind == ReplacementKind::Linear)
            layer = replacement::trainableAffine(profile.fit);
        else
            layer = std::dynamic_pointer_cast<const replacement::TrainedLayer>(study.layers[i]);
        const std::string_view name = info(row.kind).name;
        listener.stage("healing " + std::string(name));
        const replacement::HealingResult healed =
            healer->heal(*layer, asked, [&](std::int64_t step, double loss) {
                listener.worked(each);
                listener.trained({rows.block, name, true, {step, loss}});
            });
        for (std::size_t step = 0; step < healed.losses.size(); ++step)
            row.healing.push_back({static_cast<std::int64_t>(step) + 1, healed.losses[step]});
        study.healed[i] = healed.layer;
    }
}

}  // namespace straightedge::study
