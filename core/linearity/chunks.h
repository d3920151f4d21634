// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <algorithm>
#include <cstdint>

namespace straightedge::linearity {

// Calls work(first, count) for n rows, some thousand at a time: what is made of them need not fit for all.
template <typename Work>
void inChunks(std::int64_t n, const Work& work) {
    constexpr std::int64_t most = 4096;
    for (std::int64_t first = 0; first < n; first += most)
        work(first, std::min(most, n - first));
}

}  // namespace straightedge::linearity
