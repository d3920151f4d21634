// SPDX-License-Identifier: GPL-3.0-or-later
#include "moments.h"

#include "wide.h"

namespace straightedge::linearity {

namespace {

constexpr std::int64_t chunkRows =
    1024;  // float64 copies of this many rows at a time stay in the outer cache
constexpr std::int64_t panel =
    256;  // columns of x x^T made at once; what lies below the diagonal is mirrored

// off = rows - shift, or zeros for a row of weight 0; heavy = off weight; sums += heavy. One row, some
// features.
STRAIGHTEDGE_WIDE void shiftRow(const float* row, const float* shift, float weight, std::int64_t features,
                                float* off, float* heavy, double* sums) {
    const float kept = weight == 0 ? 0.0f : 1.0f;
#pragma omp simd
    for (std::int64_t j = 0; j < features; ++j) {
        const float o = kept == 0 ? 0.0f : row[j] - shift[j];
        off[j] = o;
        heavy[j] = o * weight;
        sums[j] += static_cast<double>(o * weight);
    }
}

STRAIGHTEDGE_WIDE void shiftPlainRow(const float* row, const float* shift, std::int64_t features, float* off,
                                     double* sums) {
#pragma omp simd
    for (std::int64_t j = 0; j < features; ++j) {
        off[j] = row[j] - shift[j];
        sums[j] += static_cast<double>(off[j]);
    }
}

// Of `count` rows [count, width]; weights are null for all 1, and `heavy` is then not written.
void shiftRows(const float* rows, const at::Tensor& shift, const float* weights, std::int64_t count,
               at::Tensor& off, at::Tensor& heavy, at::Tensor& sums) {
    constexpr std::int64_t strip = 192;
    const std::int64_t width = shift.size(0);
    const float* shiftAt = shift.const_data_ptr<float>();
    float* offAt = off.mutable_data_ptr<float>();
    float* heavyAt = heavy.mutable_data_ptr<float>();
    double* sumAt = sums.mutable_data_ptr<double>();
    at::parallel_for(0, (width + strip - 1) / strip, 1, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = begin * strip, features = std::min(end * strip, width) - first;
        for (std::int64_t row = 0; row < count; ++row) {
            const std::int64_t at = row * width + first;
            if (weights)
                shiftRow(rows + at, shiftAt + first, weights[row], features, offAt + at, heavyAt + at,
                         sumAt + first);
            else
                shiftPlainRow(rows + at, shiftAt + first, features, offAt + at, sumAt + first);
        }
    });
}

// Columns of x x^T made at once: `panel` or fewer, all panels alike.
std::int64_t panelWidth(std::int64_t d) {
    const std::int64_t panels = (d + panel - 1) / panel;
    return (d + panels - 1) / panels;
}

}  // namespace

Moments::Moments(at::Tensor shiftX, at::Tensor shiftY, Products products)
    : m_shiftX(std::move(shiftX)),
      m_shiftY(std::move(shiftY)),
      m_products(products),
      m_weight(at::IntArrayRef{1}),
      m_sumX(m_shiftX.sizes()),
      m_sumY(m_shiftY.sizes()),
      m_xx(at::IntArrayRef{m_shiftX.size(0), m_shiftX.size(0)}),
      m_xy(at::IntArrayRef{m_shiftX.size(0), m_shiftY.size(0)}) {}

void Moments::add(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights) {
    const bool single = x.scalar_type() == at::kFloat && y.scalar_type() == at::kFloat;
    if (m_products == Products::Single && single)
        addSingle(x.contiguous(), y.contiguous(), weights);
    else
        addDouble(x, y, weights);
}

// Of some rows' offsets from the shift, plain and times their weights.
void Moments::addProducts(const at::Tensor& plainX, const at::Tensor& heavyX, const at::Tensor& heavyY,
                          at::Tensor& buffer) {
    const std::int64_t d = plainX.size(1), e = heavyY.size(1), step = panelWidth(d);
    if (!buffer.defined())
        buffer = at::empty({d * std::max(e, step)}, plainX.options());
    const auto product = [&](const at::Tensor& a, const at::Tensor& b) {
        at::Tensor to = buffer.narrow(0, 0, a.size(1) * b.size(1)).view({a.size(1), b.size(1)});
        at::mm_out(to, a.t(), b);
        return to;
    };
    m_xy.add(product(plainX, heavyY));
    for (std::int64_t column = 0; column < d; column += step) {
        const std::int64_t width = std::min(step, d - column);
        m_xx.addAt(column, column,
                   product(heavyX.narrow(1, column, width), plainX.narrow(1, column, d - column)));
    }
}

void Moments::addSingle(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights) {
    const std::int64_t n = x.size(0), d = x.size(1), e = y.size(1), most = std::min(chunkRows, n);
    const at::Tensor shiftX = m_shiftX.to(at::kFloat), shiftY = m_shiftY.to(at::kFloat);
    at::Tensor xs = at::empty({most, d}, at::kFloat), ys = at::empty({most, e}, at::kFloat);
    at::Tensor heavyX = weights.defined() ? at::empty_like(xs) : xs,
               heavyY = weights.defined() ? at::empty_like(ys) : ys;
    const at::Tensor w = weights.defined() ? weights.to(at::kFloat) : at::Tensor();
    at::Tensor buffer;
    for (std::int64_t row = 0; row < n; row += chunkRows) {
        const std::int64_t count = std::min(chunkRows, n - row);
        const float* weightAt = w.defined() ? w.const_data_ptr<float>() + row : nullptr;
        at::Tensor sumX = at::zeros_like(m_shiftX), sumY = at::zeros_like(m_shiftY);
        shiftRows(x.const_data_ptr<float>() + row * d, shiftX, weightAt, count, xs, heavyX, sumX);
        shiftRows(y.const_data_ptr<float>() + row * e, shiftY, weightAt, count, ys, heavyY, sumY);
        m_weight.add(weightAt ? w.narrow(0, row, count).sum({0}, true, at::kDouble)
                              : at::full({1}, count, at::kDouble));
        m_sumX.add(sumX);
        m_sumY.add(sumY);
        addProducts(xs.narrow(0, 0, count), heavyX.narrow(0, 0, count), heavyY.narrow(0, 0, count), buffer);
    }
}

void Moments::addDouble(const at::Tensor& x, const at::Tensor& y, const at::Tensor& weights) {
    at::Tensor buffer;
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
            m_weight.add(w.sum(0));
        } else {
            m_weight.add(at::full({1}, count, at::kDouble));
        }
        m_sumX.add(weighted.sum(0));
        m_sumY.add(ys.sum(0));
        addProducts(xs, weighted, ys, buffer);
    }
}

void Moments::sumOver(const Ranks& ranks) {
    for (CompensatedSum* sum : {&m_weight, &m_sumX, &m_sumY, &m_xx, &m_xy})
        sum->sumOver(ranks);
}

Moments operator+(const Moments& a, const Moments& b) {
    TORCH_CHECK(at::equal(a.m_shiftX, b.m_shiftX) && at::equal(a.m_shiftY, b.m_shiftY),
                "moments around different shifts cannot be added");
    const bool exact = a.m_products == Products::Double && b.m_products == Products::Double;
    Moments sum(a.m_shiftX, a.m_shiftY, exact ? Products::Double : Products::Single);
    for (const Moments* each : {&a, &b}) {
        sum.m_weight.add(each->m_weight);
        sum.m_sumX.add(each->m_sumX);
        sum.m_sumY.add(each->m_sumY);
        sum.m_xx.add(each->m_xx);
        sum.m_xy.add(each->m_xy);
    }
    return sum;
}

at::Tensor Moments::meanX() const {
    return m_shiftX + m_sumX.value() / weight();
}

at::Tensor Moments::meanY() const {
    return m_shiftY + m_sumY.value() / weight();
}

at::Tensor Moments::covarianceX() const {
    at::Tensor sums = m_xx.value().triu_();
    sums += at::triu(sums, 1).t();
    const at::Tensor offset = m_sumX.value();
    return sums.addr_(offset, offset, 1, -1 / weight());
}

at::Tensor Moments::covarianceXY() const {
    return m_xy.value().addr_(m_sumX.value(), m_sumY.value(), 1, -1 / weight());
}

}  // namespace straightedge::linearity
