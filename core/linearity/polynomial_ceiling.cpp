// SPDX-License-Identifier: GPL-3.0-or-later
#include "polynomial_ceiling.h"

#include <cmath>
#include <limits>

#include "error.h"
#include "kernel_ridge.h"

namespace straightedge::linearity {

namespace {

// Turns flops done into the fraction of all.
class Meter {
  public:
    explicit Meter(const Tick& tick) : m_tick(tick) {}
    void setTotal(double flops) { m_total = flops; }
    void add(double flops) {
        m_done += flops;
        if (m_tick)
            m_tick(std::min(1.0, m_done / m_total));
    }

  private:
    const Tick& m_tick;
    double m_done = 0, m_total = 1;
};

KernelRows scaledRows(const at::Tensor& x, const at::Tensor& y, std::int64_t head, const AffineFit& line,
                      int degree) {
    at::Tensor z = x.to(at::kDouble);
    const at::Tensor inHead = z.narrow(0, 0, head);
    const double deviation = inHead.std().item<double>();
    if (!(deviation > 0))
        throw Error({.what = "the FFN's inputs do not vary", .expected = "inputs to fit a polynomial to"});
    z = (z - inHead.mean(0)).div_(deviation);
    return {std::move(z), y.to(at::kDouble).sub_(line.predict(x)), head, degree};
}

// The tail's rows whose token the head does not have.
at::Tensor unseenRows(const at::Tensor& ids, std::int64_t head) {
    const at::Tensor tail = ids.narrow(0, head, ids.size(0) - head);
    return at::isin(tail, ids.narrow(0, 0, head)).logical_not_().nonzero().squeeze(1);
}

}  // namespace

std::string PolynomialCeiling::method() const {
    return landmarks == 0
               ? "exact kernel ridge"
               : "kernel ridge, Nyström approximation with " + std::to_string(landmarks) + " landmarks";
}

PolynomialCeiling polynomialCeiling(const at::Tensor& x, const at::Tensor& y, std::int64_t head,
                                    const AffineFit& line, const at::Tensor& ids,
                                    const CeilingSettings& settings, const Tick& tick) {
    const std::int64_t n = x.size(0), tail = n - head;
    if (head < 10 || tail < 1)
        throw Error({.what = "too few rows for a polynomial ceiling",
                     .expected = "at least 10 rows to train on and 1 held out",
                     .found = std::to_string(head) + " and " + std::to_string(tail)});
    PolynomialCeiling result{.degree = settings.degree, .head = head, .tail = tail};

    KernelRows rows = scaledRows(x, y, head, line, settings.degree);
    const at::Tensor residual = rows.targets;
    Meter meter(tick);
    const Worked worked = [&](double flops) { meter.add(flops); };
    constexpr auto bytes = static_cast<std::int64_t>(sizeof(double));
    const std::int64_t fitting = settings.memoryBudget / bytes;
    std::unique_ptr<KernelRidge> ridge;
    if (head <= fitting / head) {
        ridge = exactKernelRidge(std::move(rows), worked);
    } else {
        const auto affordable = static_cast<std::int64_t>(std::sqrt(static_cast<double>(fitting) / 2));
        ridge = nystroemKernelRidge(std::move(rows),
                                    std::clamp<std::int64_t>(affordable, 1, settings.mostLandmarks),
                                    settings.seed, worked);
        result.landmarks = ridge->landmarks();
    }

    const auto inner = static_cast<std::int64_t>(0.9 * static_cast<double>(head));
    const RowRange all{0, head}, held{head, tail}, half{head - head / 2, head / 2};
    const RowRange innerTrain{0, inner}, innerHeld{inner, head - inner};
    const auto tries = static_cast<double>(settings.ridges.size());
    meter.setTotal(ridge->setUpWork() + ridge->work(innerTrain, innerHeld, false) +
                   (tries - 1) * ridge->work(innerTrain, innerHeld, true) + ridge->work(all, held, false) +
                   ridge->work(half, held, false));
    ridge->setUp();

    double least = std::numeric_limits<double>::infinity();
    for (const double candidate : settings.ridges) {
        const at::Tensor left = ridge->leftOver(innerTrain, innerHeld, candidate);
        const double sse = left.defined() ? left.square().sum().item<double>() : least;
        if (sse < least) {
            least = sse;
            result.ridge = candidate;
        }
    }
    if (!std::isfinite(least))
        throw Error(
            {.what = "no ridge makes the polynomial kernel's matrix solvable", .expected = "finite inputs"});
    result.ridgeAtEnd = result.ridge == settings.ridges.front() || result.ridge == settings.ridges.back();

    const at::Tensor yHeld = y.narrow(0, head, tail).to(at::kDouble);
    const at::Tensor energy = (yHeld - yHeld.mean()).square().sum(1);  // [tail], around the one scalar mean
    const auto r2 = [&](const at::Tensor& left, const at::Tensor& kept = {}) -> std::optional<double> {
        if (!left.defined())
            return std::nullopt;
        const at::Tensor errors = left.square().sum(1);
        const auto sum = [&](const at::Tensor& values) {
            return (kept.defined() ? values.index_select(0, kept) : values).sum().item<double>();
        };
        const double total = sum(energy);
        return total > 0 ? std::optional(1 - sum(errors) / total) : std::nullopt;
    };
    const at::Tensor lineLeft = residual.narrow(0, head, tail);
    const at::Tensor left = ridge->leftOver(all, held, result.ridge);
    result.r2Lin = r2(lineLeft);
    result.r2 = r2(left);
    if (ids.defined()) {
        const at::Tensor unseen = unseenRows(ids, head);
        result.unseenRows = unseen.size(0);
        result.r2Unseen = r2(left, unseen);
        result.r2LinUnseen = r2(lineLeft, unseen);
    }
    result.r2Half = r2(ridge->leftOver(half, held, result.ridge));
    return result;
}

PolynomialCeiling polynomialCeilingOf(const at::Tensor& kept, const at::Tensor& x, const at::Tensor& y,
                                      std::int64_t head, const AffineFit& line, const at::Tensor& ids,
                                      const CeilingSettings& settings, const Tick& tick) {
    const at::Tensor rows = kept.nonzero().squeeze(1);
    const auto ofHead = kept.narrow(0, 0, head).sum().item<std::int64_t>();
    return polynomialCeiling(x.index_select(0, rows), y.index_select(0, rows), ofHead, line,
                             ids.defined() ? ids.index_select(0, rows) : at::Tensor(), settings, tick);
}

}  // namespace straightedge::linearity
