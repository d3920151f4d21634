// SPDX-License-Identifier: GPL-3.0-or-later
#include "moments.h"

namespace straightedge::linearity {

namespace {

constexpr std::int64_t chunkRows =
    1024;  // float64 copies of this many rows at a time stay in the outer cache
constexpr std::int64_t panel =
    256;  // columns of x x^T made at once; what lies below the diagonal is mirrored

}  // namespace

Moments::Moments(at::Tensor shiftX, at::Tensor shiftY)
    : m_shiftX(std::move(shiftX)),
      m_shiftY(std::move(shiftY)),
      m_sumX(at::zeros_like(m_shiftX)),
      m_sumY(at::zeros_like(m_shiftY)),
      m_xx(at::zeros({m_shiftX.size(0), m_shiftX.size(0)}, at::kDouble)),
      m_xy(at::zeros({m_shiftX.size(0), m_shiftY.size(0)}, at::kDouble)) {}

void Moments::add(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights) {
    const std::int64_t d = m_xx.size(0);
    for (std::int64_t row = 0; row < x.size(0); row += chunkRows) {
        const std::int64_t count = std::min(chunkRows, x.size(0) - row);
        const at::Tensor xs = x.narrow(0, row, count) - m_shiftX;  // float64, as the shift is
        at::Tensor ys = y.narrow(0, row, count) - m_shiftY;
        at::Tensor weighted = xs;
        if (weights.defined()) {
            const at::Tensor w = weights.narrow(0, row, count).to(at::kDouble).unsqueeze(1);
            const at::Tensor dropped = w == 0;
            xs.masked_fill_(dropped, 0);
            ys.masked_fill_(dropped, 0);
            weighted = xs * w;
            ys.mul_(w);
            m_weight += w.sum().item<double>();
        } else {
            m_weight += static_cast<double>(count);
        }
        m_sumX += weighted.sum(0);
        m_sumY += ys.sum(0);
        m_xy.addmm_(xs.t(), ys);
        for (std::int64_t column = 0; column < d; column += panel) {
            const std::int64_t width = std::min(panel, d - column);
            m_xx.narrow(0, column, width)
                .narrow(1, column, d - column)
                .addmm_(weighted.narrow(1, column, width).t(), xs.narrow(1, column, d - column));
        }
    }
}

Moments operator+(const Moments& a, const Moments& b) {
    TORCH_CHECK(at::equal(a.m_shiftX, b.m_shiftX) && at::equal(a.m_shiftY, b.m_shiftY),
                "moments around different shifts cannot be added");
    Moments sum(a.m_shiftX, a.m_shiftY);
    sum.m_weight = a.m_weight + b.m_weight;
    sum.m_sumX = a.m_sumX + b.m_sumX;
    sum.m_sumY = a.m_sumY + b.m_sumY;
    sum.m_xx = a.m_xx + b.m_xx;
    sum.m_xy = a.m_xy + b.m_xy;
    return sum;
}

at::Tensor Moments::meanX() const {
    return m_shiftX + m_sumX / m_weight;
}

at::Tensor Moments::meanY() const {
    return m_shiftY + m_sumY / m_weight;
}

at::Tensor Moments::covarianceX() const {
    const at::Tensor upper = at::triu(m_xx);
    return at::sub(upper + at::triu(m_xx, 1).t(), at::outer(m_sumX, m_sumX), 1 / m_weight);
}

at::Tensor Moments::covarianceXY() const {
    return at::sub(m_xy, at::outer(m_sumX, m_sumY), 1 / m_weight);
}

}  // namespace straightedge::linearity
