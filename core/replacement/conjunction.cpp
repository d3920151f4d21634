// SPDX-License-Identifier: GPL-3.0-or-later
#include "conjunction.h"

namespace straightedge::replacement {

double conjunctionIndex(const Layer& layer, const at::Tensor& x) {
    constexpr std::int64_t enough = 256;
    const std::int64_t d = x.size(1), half = d / 2;
    const at::Tensor rows = x.narrow(0, 0, std::min(enough, x.size(0)));
    // The layer's mean output per row, [rows], with some of the input features set to zero.
    const auto meanWithout = [&](std::int64_t first, std::int64_t count) {
        at::Tensor input = rows.clone();
        input.narrow(1, first, count).zero_();
        at::Tensor output = at::empty_like(input);
        layer.forward(input, output);
        return output.to(at::kDouble).mean(1);
    };
    const at::Tensor whole = meanWithout(0, 0);
    const at::Tensor dropA = whole - meanWithout(0, half), dropB = whole - meanWithout(half, d - half);
    const at::Tensor dropBoth = whole - meanWithout(0, d);
    return ((dropA + dropB - dropBoth) / (dropBoth.abs() + 1e-8)).clamp(0, 1).mean().item<double>();
}

}  // namespace straightedge::replacement
