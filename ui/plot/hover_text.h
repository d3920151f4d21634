// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "runs/run_list.h"
#include "style/colours.h"

namespace straightedge::ui {

// The card of one point: run, block, its scores side by side, what else is known, and why it is marked. Rich
// text.
QString hoverText(const RunEntry& entry, const study::BlockResult& block, study::Metric shown,
                  const Colours& colours);

}  // namespace straightedge::ui
