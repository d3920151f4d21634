// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "linearity/ranks.h"
#include "settings.h"
#include "text/corpus.h"

namespace straightedge::study {

// This rank's windows of all: contiguous, in order of rank, as evenly as it goes. Where there are enough, in
// whole chunks of those that are worked on together, so that the sums within one are the same to the last bit
// however many ranks share the rows. May be none.
text::Windows dealt(const text::Windows& all, const linearity::Ranks& ranks);

// Throws Error for what one process alone can do.
void checkForRanks(const StudySettings& settings);

}  // namespace straightedge::study
