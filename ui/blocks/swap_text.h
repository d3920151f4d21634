// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "runs/run_list.h"
#include "study/export/compression.h"

// What a swap costs, in words and numbers for the reader.
namespace straightedge::ui {

struct Colours;

// "+316 ± 4.1": the error to two digits, the value to as many decimals; "+0.63" without one. Empty: unknown.
QString costText(std::optional<double> dppl, std::optional<double> error);

// What stands beside every R² of a block: the cost of its published map, or that it is not known. A high R²
// alone is no reason to replace a block.
QString swapCost(const study::BlockResult& block);

// The block's rows of the compression table.
std::vector<study::CompressionRow> rowsOf(const RunEntry& entry, const study::BlockResult& block);

// The block whose published map costs most where its R² promises a cheap swap; none: empty.
std::optional<PointId> mostTelling(const RunList& runs);

// Why the swaps of a block cost what they cost, one sentence a replacement. Rich text.
QString costStory(const RunEntry& entry, const study::BlockResult& block, const Colours& colours);

}  // namespace straightedge::ui
