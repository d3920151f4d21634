// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <type_traits>

#include "tensor_view.h"

namespace straightedge::checkpoint {

static_assert(std::endian::native == std::endian::little,
              "both formats are little-endian, and so are the views");

// A number at any address.
template <typename T>
T loadLittleEndian(const void* from) {
    static_assert(std::is_arithmetic_v<T>);
    T number;
    std::memcpy(&number, from, sizeof number);
    return number;
}

// [offset, offset + length) of a file's bytes. Throws Error naming `piece` when that is not inside.
std::span<const std::byte> sliceOf(std::span<const std::byte> bytes, std::uint64_t offset,
                                   std::uint64_t length, const std::string& piece, const std::string& where);

// The bytes a tensor takes. Throws Error when the product overflows or a row is no whole number of blocks.
// Sizes must not be negative.
std::uint64_t checkedBytes(DType dtype, std::span<const std::int64_t> shape, const std::string& where);

}  // namespace straightedge::checkpoint
