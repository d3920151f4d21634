// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

namespace straightedge::study {

// Makes tensor work use that many threads from now on; 0: one for each processor that this process may use.
void useThreads(int threads);

}  // namespace straightedge::study
