// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <vector>

#include "runs/point_selection.h"

namespace straightedge::ui {

// The blocks that the views of one block show: the chosen ones of visible runs, else the block under way,
// else the first of which more is known than the line. Never more than there are colours to tell apart.
std::vector<PointId> shownBlocks(const RunList& runs, const PointSelection& selection);

}  // namespace straightedge::ui
