// SPDX-License-Identifier: GPL-3.0-or-later
#include "linear_profile.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "chunks.h"
#include "error.h"
#include "typical_and_all.h"

namespace straightedge::linearity {

namespace {

// About the mean of the typical rows, from the first of them: a massive row among these must not set it.
at::Tensor shiftOf(const at::Tensor& rows, const at::Tensor& massive, const Ranks& ranks) {
    constexpr std::int64_t enough = 256;
    const at::Tensor typical = massive.logical_not().nonzero().squeeze(1);
    const auto [before, total] = ranks.place(typical.size(0));
    const at::Tensor first =
        typical.narrow(0, 0, std::clamp<std::int64_t>(enough - before, 0, typical.size(0)));
    const at::Tensor sum = rows.index_select(0, first).to(at::kDouble).sum(0);
    ranks.sum({sum});
    // Rounded to float32, so that it can be taken off in either precision.
    return (sum / static_cast<double>(std::clamp<std::int64_t>(total, 1, enough)))
        .to(at::kFloat)
        .to(at::kDouble);
}

// By the exponent bits: one quick trip, which a sum in float64 is not.
void checkFinite(const at::Tensor& rows, const char* what, const Ranks& ranks) {
    constexpr std::uint32_t exponent = 0x7F800000;
    const float* values = rows.const_data_ptr<float>();
    std::atomic<bool> finite = true;
    at::parallel_for(0, rows.numel(), 65'536, [&](std::int64_t begin, std::int64_t end) {
        std::uint32_t found = 0;
#pragma omp simd reduction(| : found)
        for (std::int64_t i = begin; i < end; ++i)
            found |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) == exponent ? 1U : 0U;
        if (found)
            finite = false;
    });
    if (ranks.total(finite ? std::int64_t{0} : std::int64_t{1}) > 0)
        throw Error({.what = std::string(what) + " has values that are not finite",
                     .expected = "finite FFN inputs and outputs",
                     .advice = "the weights may be damaged, or overflow float32"});
}

void scoreTail(LinearProfile& profile, const at::Tensor& x, const at::Tensor& y) {
    const at::Tensor about = profile.moments->shiftY();
    const bool someMassive = profile.massive.count > 0, twoFits = profile.massive.inHead > 0;
    Scorer published(about), publishedOnTypical(about), typical(about);
    inChunks(profile.rows - profile.head, [&](std::int64_t first, std::int64_t count) {
        at::Tensor xs = x.narrow(0, profile.head + first, count),
                   ys = y.narrow(0, profile.head + first, count);
        at::Tensor predicted = profile.fit.predictFast(xs);
        published.add(ys, predicted);
        if (!someMassive)
            return;
        const at::Tensor massive = profile.massive.massive.narrow(0, profile.head + first, count);
        if (massive.any().item<bool>()) {
            const at::Tensor kept = massive.logical_not().nonzero().squeeze(1);
            xs = xs.index_select(0, kept);
            ys = ys.index_select(0, kept);
            predicted = predicted.index_select(0, kept);
        }
        publishedOnTypical.add(ys, predicted);
        if (twoFits)
            typical.add(ys, profile.typicalFit.predictFast(xs));
    });
    profile.published = published.scores(*profile.ranks);
    profile.publishedOnTypical = someMassive ? publishedOnTypical.scores(*profile.ranks) : profile.published;
    profile.typical = twoFits ? typical.scores(*profile.ranks) : profile.publishedOnTypical;
}

}  // namespace

std::int64_t headRows(std::int64_t n) {
    const auto tail =
        std::max<std::int64_t>(1, std::llrint(0.2 * static_cast<double>(n)));  // half to even, as Python
    return std::max<std::int64_t>(1, n - tail);
}

LinearProfile linearProfile(const at::Tensor& x, const at::Tensor& y, const Ranks& ranks) {
    checkFinite(x, "the FFN's input", ranks);
    checkFinite(y, "the FFN's output", ranks);

    LinearProfile profile;
    profile.ranks = &ranks;
    profile.rows = x.size(0);
    const auto [before, total] = ranks.place(profile.rows);
    profile.before = before;
    profile.allRows = total;
    profile.allHead = headRows(total);
    profile.head = std::clamp<std::int64_t>(profile.allHead - before, 0, profile.rows);
    profile.massive = findMassiveRows(y, profile.head, ranks);
    const at::Tensor xHead = x.narrow(0, 0, profile.head), yHead = y.narrow(0, 0, profile.head);
    const at::Tensor massive = profile.massive.massive.narrow(0, 0, profile.head);
    TypicalAndAll fits = fitTypicalAndAll(xHead, yHead, {}, massive, shiftOf(xHead, massive, ranks),
                                          shiftOf(yHead, massive, ranks), ranks);
    profile.fit = std::move(fits.all);
    profile.typicalFit = std::move(fits.typical);
    profile.moments = std::move(fits.moments);
    scoreTail(profile, x, y);
    return profile;
}

}  // namespace straightedge::linearity
