// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "study/export/number_text.h"
#include "study/run.h"

namespace straightedge::app {

using study::grouped;

// Columns aligned to the right, the widest cell wide; the first row is the heading. Width is counted in
// characters.
void printTable(std::ostream& out, const std::vector<std::vector<std::string>>& rows);

// What a run found, for reading: a heading, the table of blocks, its notes.
void printRun(std::ostream& out, const study::Run& run);

// The compression table with its reasons; nothing for a run without replacements.
// Folds, rank, probes and ceilings: the columns that some block has; nothing where there are none.
void printResidual(std::ostream& out, const study::Run& run);
void printCompression(std::ostream& out, const study::Run& run);

}  // namespace straightedge::app
