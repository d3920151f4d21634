// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>

#include "runs/run_list.h"

namespace straightedge::ui {

struct Colours;

// What is known of a block's residual, in tables: ceilings with their controls, probes, remarks. Rich text;
// empty where nothing was asked for.
QString residualNotes(const RunEntry& entry, const study::BlockResult& block, const Colours& colours);

}  // namespace straightedge::ui
