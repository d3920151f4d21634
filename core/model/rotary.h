// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "architecture.h"
#include "description.h"

namespace straightedge::model {

// The frequencies of a model's rotary positions, scaled as its description asks. `architecture` has its
// family and head size; it gets a note where something is not honoured. Throws Error for a scaling that is
// not supported.
Rotary readRotary(const Description& description, const checkpoint::Checkpoint& checkpoint,
                  Architecture& architecture);

// Those of the blocks with a sliding window, where they have a base of their own; no scaling.
Rotary readSlidingRotary(const Description& description, const Architecture& architecture,
                         const Sliding& sliding);

}  // namespace straightedge::model
