// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "affine_fit.h"

namespace straightedge::linearity {

// Least squares over the typical rows, and over all of them.
struct TypicalAndAll {
    AffineFit typical, all;  // the same where no row is massive
    Moments moments;         // of all rows
};

// x [n, d], y [n, e] float32, weights [n] float64 (undefined: all 1), massive [n] bool: this rank's rows.
// Shifts as Moments takes them. A fit of all rows from their moments would have to tell the typical rows'
// spread beside squares a million times as large; so the few massive rows are added to the typical ones' fit
// as rows (Woodbury's identity; Golub and Van Loan, Matrix Computations, 2.1.4), and the result is as good as
// that fit is. Throws Error as solveAffine does.
TypicalAndAll fitTypicalAndAll(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights,
                               const at::Tensor& massive, const at::Tensor& shiftX, const at::Tensor& shiftY,
                               const Ranks& ranks = Ranks::alone());

}  // namespace straightedge::linearity
