// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "affine_fit.h"
#include "massive_rows.h"
#include "scores.h"

namespace straightedge::linearity {

// Rows of the train head of n; the rest, max(1, round(0.2 n)), is the held-out tail.
std::int64_t headRows(std::int64_t n);

// All that the affine map tells of one block.
struct LinearProfile {
    const Ranks* ranks = &Ranks::alone();  // who holds the rows
    std::int64_t rows = 0, head = 0;       // of this rank
    std::int64_t before = 0;               // rows of the ranks before it
    std::int64_t allRows = 0, allHead = 0;
    MassiveRows massive;
    std::optional<Moments> moments;  // of all rows of the head
    AffineFit fit;                   // the published one: all rows of the head
    AffineFit typicalFit;            // the head's typical rows; the same where none is massive
    Scores published;                // fit on the tail
    Scores typical;                  // typicalFit on the tail's typical rows
    Scores publishedOnTypical;       // fit on the tail's typical rows
};

// x [n, d], y [n, e] float32, contiguous, in row order: this rank's. Throws Error for values that are not
// finite, on all ranks alike. `ranks` outlives the profile.
LinearProfile linearProfile(const at::Tensor& x, const at::Tensor& y, const Ranks& ranks = Ranks::alone());

}  // namespace straightedge::linearity
