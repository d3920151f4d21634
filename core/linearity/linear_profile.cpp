// SPDX-License-Identifier: GPL-3.0-or-later
#include "linear_profile.h"

#include <atomic>
#include <bit>
#include <cmath>
#include <cstdint>

#include "error.h"

namespace straightedge::linearity {

namespace {

// Features from which on moments are what a fit costs, and worth the quicker products.
constexpr std::int64_t wide = 256;

// Moments shifted by about the mean of the typical rows: a massive row among the first must not set it.
at::Tensor shiftOf(const at::Tensor& rows, const at::Tensor& massive) {
    constexpr std::int64_t enough = 256;
    const at::Tensor typical = massive.logical_not().nonzero().squeeze(1);
    const at::Tensor first = typical.narrow(0, 0, std::min(enough, typical.size(0)));
    // Rounded to float32, so that it can be taken off in either precision.
    return first.size(0) > 0
               ? rows.index_select(0, first).to(at::kDouble).mean(0).to(at::kFloat).to(at::kDouble)
               : at::zeros({rows.size(1)}, at::kDouble);
}

// By the exponent bits: one quick trip, which a sum in float64 is not.
void checkFinite(const at::Tensor& rows, const char* what) {
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
    if (!finite)
        throw Error({.what = std::string(what) + " has values that are not finite",
                     .expected = "finite FFN inputs and outputs",
                     .advice = "the weights may be damaged, or overflow float32"});
}

}  // namespace

std::int64_t headRows(std::int64_t n) {
    const auto tail =
        std::max<std::int64_t>(1, std::llrint(0.2 * static_cast<double>(n)));  // half to even, as Python
    return std::max<std::int64_t>(1, n - tail);
}

LinearProfile linearProfile(const at::Tensor& x, const at::Tensor& y) {
    checkFinite(x, "the FFN's input");
    checkFinite(y, "the FFN's output");

    LinearProfile profile;
    profile.rows = x.size(0);
    profile.head = headRows(profile.rows);
    profile.massive = findMassiveRows(y, profile.head);
    const at::Tensor xHead = x.narrow(0, 0, profile.head), yHead = y.narrow(0, 0, profile.head);
    const at::Tensor headMassive = profile.massive.massive.narrow(0, 0, profile.head);
    const bool someInHead = headMassive.any().item<bool>();
    const at::Tensor typicalWeights = someInHead ? headMassive.logical_not().to(at::kDouble) : at::Tensor();

    // Typical rows first, the few massive ones added: taking them off again would cost the typical fit its
    // digits.
    const at::Tensor shiftX = shiftOf(xHead, headMassive), shiftY = shiftOf(yHead, headMassive);
    const Products products = x.size(1) >= wide ? Products::Single : Products::Double;
    Moments typicalMoments(shiftX, shiftY, products);
    typicalMoments.add(xHead, yHead, typicalWeights);
    profile.typicalFit = solveAffine(typicalMoments, xHead, yHead, typicalWeights);
    profile.fit = profile.typicalFit;
    profile.moments = typicalMoments;
    if (someInHead) {
        const at::Tensor rows = headMassive.nonzero().squeeze(1);
        Moments massiveMoments(shiftX, shiftY, products);
        massiveMoments.add(xHead.index_select(0, rows), yHead.index_select(0, rows));
        profile.moments = typicalMoments + massiveMoments;
        profile.fit = solveAffine(*profile.moments, xHead, yHead);
    }

    const std::int64_t tail = profile.rows - profile.head;
    at::Tensor xTail = x.narrow(0, profile.head, tail);
    at::Tensor yTail = y.narrow(0, profile.head, tail);
    at::Tensor predicted = profile.fit.predictFast(xTail);
    profile.published = score(yTail, predicted);
    if (profile.massive.count == 0) {
        profile.typical = profile.publishedOnTypical = profile.published;
        return profile;
    }
    const at::Tensor kept =
        profile.massive.massive.narrow(0, profile.head, tail).logical_not().nonzero().squeeze(1);
    xTail = xTail.index_select(0, kept);
    yTail = yTail.index_select(0, kept);
    predicted = predicted.index_select(0, kept);
    profile.publishedOnTypical = score(yTail, predicted);
    profile.typical =
        someInHead ? score(yTail, profile.typicalFit.predictFast(xTail)) : profile.publishedOnTypical;
    return profile;
}

}  // namespace straightedge::linearity
