// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "runs/run_list.h"
#include "study/compare/residual_gain.h"
#include "style/colours.h"

namespace straightedge::ui {

// The card of one point of the profile: run, block, its scores side by side, what the swap costs, and why it
// is marked. Rich text.
QString profileCard(const RunEntry& entry, const study::BlockResult& block, study::Metric shown,
                    const Colours& colours);

// The card of a block in the plot of costs: its replacements side by side, the one under the cursor in bold,
// and why a swap that looks cheap is not. Rich text.
QString costCard(const RunEntry& entry, const study::BlockResult& block, study::ReplacementKind shown,
                 const Colours& colours);

// The card of a block in the plot of what is left: the line, and what probes and ceilings add to it. Rich
// text.
QString residualCard(const RunEntry& entry, const study::BlockResult& block, const study::GainSource& shown,
                     const Colours& colours);

}  // namespace straightedge::ui
