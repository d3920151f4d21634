// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>

namespace straightedge::checkpoint {

// Exact, payloads of NaN included. Branch-free on purpose: loops over these become vector code, and the
// subnormals go through a normal difference, so that a thread which flushes subnormals gets them right too.
inline float halfToFloat(std::uint16_t half) {
    const std::uint32_t sign = std::uint32_t{half & 0x8000U} << 16;
    const std::uint32_t magnitude = std::uint32_t{half & 0x7FFFU} << 13;  // exponent and fraction in place
    constexpr std::uint32_t rebias = (127 - 15) << 23;
    constexpr std::uint32_t smallestNormal = rebias + (1U << 23);  // 2^-14
    constexpr std::uint32_t infinity = 0x1FU << 23;                // before the bias is changed

    const std::uint32_t normal = magnitude + rebias;
    const std::uint32_t subnormal = std::bit_cast<std::uint32_t>(
        std::bit_cast<float>(magnitude + smallestNormal) - std::bit_cast<float>(smallestNormal));
    // Masks of all ones or none: a choice with `?:` would keep compilers from vectorizing.
    const std::uint32_t isSubnormal = 0U - static_cast<std::uint32_t>(magnitude < (1U << 23));
    const std::uint32_t isInfinite = 0U - static_cast<std::uint32_t>(magnitude >= infinity);
    const std::uint32_t result =
        (subnormal & isSubnormal) | ((normal + (rebias & isInfinite)) & ~isSubnormal);
    return std::bit_cast<float>(sign | result);
}

inline float bfloatToFloat(std::uint16_t bfloat) {
    return std::bit_cast<float>(std::uint32_t{bfloat} << 16);
}

}  // namespace straightedge::checkpoint
