// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "study/run.h"

namespace straightedge::app {

// 4722432 as "4,722,432".
std::string grouped(std::int64_t number);

// Columns aligned to the right, the widest cell wide; the first row is the heading. Width is counted in characters.
void printTable(std::ostream& out, const std::vector<std::vector<std::string>>& rows);

// What a run found, for reading: a heading, the table of blocks, its notes.
void printRun(std::ostream& out, const study::Run& run);

}  // namespace straightedge::app
