// SPDX-License-Identifier: GPL-3.0-or-later
#include "work_plan.h"

#include <algorithm>

namespace straightedge::study {

bool RunShape::isWanted(int block) const {
    return std::ranges::binary_search(wanted, block);
}

bool RunShape::isResidual(int block) const {
    return isWanted(block) && std::ranges::binary_search(residual, block);
}

WorkPlan planWork(const StudyCost& cost, const StudySettings& settings, const RunShape& shape) {
    const double closed = 1 + (settings.balanced ? 2 : 0) + (settings.switched ? 0.3 : 0);
    const auto trained = static_cast<double>(
        std::ranges::count_if(settings.probes, [](Probe p) { return p != Probe::TrainedLinear; }));
    WorkPlan plan;
    for (int block = 0; block <= shape.lastBlock(cost.blocks); ++block) {
        plan.before.push_back(plan.total);
        const bool wanted = shape.isWanted(block), residual = shape.isResidual(block);
        plan.total += (block <= shape.wanted.back() ? cost.rows : 0) +
                      (wanted ? cost.block(block, settings, residual) : 0);
        plan.total += plan.variants * shape.evaluationRows + plan.choices * shape.tailRows;
        plan.variants += (wanted ? closed : 0) +
                         (residual ? trained + (settings.heal ? 2 + std::min(trained, 2.0) : 0) : 0);
        plan.choices += wanted ? 3 : 0;
    }
    plan.total += cost.headWork() * (plan.variants * shape.evaluationRows + plan.choices * shape.tailRows);
    return plan;
}

}  // namespace straightedge::study
