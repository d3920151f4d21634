// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <vector>

#include "affine_fit.h"
#include "tick.h"

namespace straightedge::linearity {

struct CeilingSettings {
    int degree = 2;
    // Tried ridges, ascending, relative to the kernel's mean diagonal.
    std::vector<double> ridges = {1e-5, 1e-4, 1e-3, 1e-2, 1e-1};
    std::int64_t memoryBudget = std::int64_t{2} << 30;  // bytes for kernel matrices; above it: Nystroem
    std::int64_t mostLandmarks = 8192;                  // more cost more time than they tell
    std::uint64_t seed = 0;                             // of the landmarks
};

// How much of y a polynomial of one degree explains on held-out rows when it is solved, not trained: the
// line, and kernel ridge with (1 + <x - m, x' - m> / (s^2 d))^degree on what the line leaves; m the head's
// mean, s its overall deviation. The ridge is chosen on the last tenth of the head. A lower bound: it grows
// with the rows.
struct PolynomialCeiling {
    int degree = 0;
    std::int64_t head = 0, tail = 0;
    std::optional<double> r2Lin = {};        // the line's on the same tail
    std::optional<double> r2 = {};           // "r2_deg2", "r2_deg3"
    std::optional<double> r2Half = {};       // from the later half of the head alone
    std::int64_t unseenRows = 0;             // of the tail, whose token does not occur in the head
    std::optional<double> r2Unseen = {};     // over those, around the whole tail's mean
    std::optional<double> r2LinUnseen = {};  // the line's over those
    double ridge = 0;
    bool ridgeAtEnd = false;     // of the grid: a better one may lie beyond
    std::int64_t landmarks = 0;  // 0: exact
    // "exact kernel ridge" or "kernel ridge, Nyström approximation with 8192 landmarks".
    std::string method() const;
};

// x [n, d], y [n, e] float32, the first `head` rows train; `line` is the fit of these; ids [n] int64, the
// rows' tokens, or undefined: nothing is said of unseen ones. For some rows only (the typical ones, with
// their own line) pass those rows and how many of them belong to the head. Throws Error where the head is too
// small to choose on (fewer than 10 rows) or no tail is left.
PolynomialCeiling polynomialCeiling(const at::Tensor& x, const at::Tensor& y, std::int64_t head,
                                    const AffineFit& line, const at::Tensor& ids,
                                    const CeilingSettings& settings, const Tick& tick = {});

// The same for the rows where `kept` [n] bool is true.
PolynomialCeiling polynomialCeilingOf(const at::Tensor& kept, const at::Tensor& x, const at::Tensor& y,
                                      std::int64_t head, const AffineFit& line, const at::Tensor& ids,
                                      const CeilingSettings& settings, const Tick& tick = {});

}  // namespace straightedge::linearity
