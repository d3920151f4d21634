// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_study.h"

#include <algorithm>
#include <new>

#include "checkpoint/safetensors_writer.h"
#include "error.h"
#include "replacement/conjunction.h"

namespace straightedge::study {

std::vector<std::shared_ptr<const replacement::Layer>> BlockStudy::variants() const {
    std::vector<std::shared_ptr<const replacement::Layer>> all;
    for (std::size_t i = 0; i < layers.size(); ++i)
        for (const auto& layer : {layers[i], healed[i]})
            if (layer)
                all.push_back(layer);
    return all;
}

BlockStudy studyBlock(const BlockRows& rows, const StudySettings& settings, const StudyCost& cost,
                      bool residual, StudyListener& listener) {
    BlockStudy study{.result = {.block = rows.block, .values = {}}, .layers = {}, .healed = {}};
    // Does one part of the study; what is wrong with it goes to `trouble`, and the others go on.
    const auto part = [&](const std::string& name, const auto& trouble, const auto& work) {
        listener.stage(name);
        try {
            work();
        } catch (const Error& error) {
            trouble(error.what());  // of the values, and so the same on all ranks
        } catch (const c10::Error& error) {
            if (rows.ranks->count() > 1)
                throw;
            trouble(std::string("a computation failed: ") + error.what_without_backtrace());
        } catch (const std::bad_alloc&) {
            if (rows.ranks->count() > 1)
                throw;
            trouble(std::string("memory is exhausted"));
        }
        listener.found(study.result);
    };
    std::optional<linearity::LinearProfile> profile;
    part(
        "fit", [&](const std::string& why) { study.result.failure = why; },
        [&] { profile = studyLine(study, rows, settings); });
    listener.worked(cost.line());
    if (!profile)
        return study;

    const auto further = [&](const std::string& name, const auto& work) {
        part(
            name, [&](const std::string& why) { study.result.remarks.push_back(name + ": " + why); }, work);
    };
    if (settings.folds > 0)
        further("folds", [&] { studyFolds(study, *profile, rows, settings, cost, listener); });
    if (settings.effectiveRank) {
        further("rank", [&] { studyRank(study, *profile, rows); });
        listener.worked(cost.rank());
    }
    if (!residual)
        return study;
    for (const int degree : settings.ceilings)
        further("ceiling of degree " + std::to_string(degree),
                [&] { studyCeiling(study, *profile, rows, degree, settings, cost, listener); });
    if (!settings.probes.empty())
        study.result.values.set(Metric::ConjunctionFfn, replacement::conjunctionIndex(*rows.ffn, rows.x));
    for (const Probe probe : settings.probes)
        further("probe " + std::string(info(probe).name),
                [&] { studyProbe(study, *profile, rows, probe, settings, cost, listener); });
    if (rows.healer)
        further("healing", [&] { studyHealing(study, *profile, rows, settings, cost, listener); });
    return study;
}

void saveMaps(const BlockStudy& study, const std::filesystem::path& runFolder) {
    std::vector<at::Tensor> kept;  // the views below look into these
    std::vector<checkpoint::TensorView> views;
    const auto add = [&](const std::string& prefix, const replacement::Layer& layer) {
        for (const auto& [name, tensor] : layer.tensors()) {
            kept.push_back(tensor.contiguous());
            views.push_back(
                {prefix + "." + name,
                 checkpoint::DType::F32,
                 tensor.sizes().vec(),
                 {static_cast<const std::byte*>(kept.back().const_data_ptr()), kept.back().nbytes()},
                 {}});
        }
    };
    for (std::size_t i = 0; i < study.layers.size(); ++i) {
        const std::string name(info(study.result.replacements[i].kind).name);
        if (study.layers[i])
            add(name, *study.layers[i]);
        if (study.healed[i])
            add(name + "-healed", *study.healed[i]);
    }
    writeSafetensors(mapsFile(runFolder, study.result.block), views);
}

}  // namespace straightedge::study
