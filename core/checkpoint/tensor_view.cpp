// SPDX-License-Identifier: GPL-3.0-or-later
#include "tensor_view.h"

#include <array>
#include <cstdint>
#include <limits>
#include <utility>

#include "checked.h"
#include "error.h"
#include "parse_json.h"

namespace straightedge::checkpoint {

namespace {

struct DTypeInfo {
    std::string_view name;
    DTypeLayout layout;
};

// In the order of DType.
constexpr std::array<DTypeInfo, 25> dtypes = {
    {{"F32", {1, 4}},      {"F16", {1, 2}},        {"BF16", {1, 2}},     {"F64", {1, 8}},
     {"I64", {1, 8}},      {"I32", {1, 4}},        {"I16", {1, 2}},      {"I8", {1, 1}},
     {"U8", {1, 1}},       {"BOOL", {1, 1}},       {"Q4_0", {32, 18}},   {"Q4_1", {32, 20}},
     {"Q5_0", {32, 22}},   {"Q5_1", {32, 24}},     {"Q8_0", {32, 34}},   {"Q2_K", {256, 84}},
     {"Q3_K", {256, 110}}, {"Q4_K", {256, 144}},   {"Q5_K", {256, 176}}, {"Q6_K", {256, 210}},
     {"IQ4_NL", {32, 18}}, {"IQ4_XS", {256, 136}}, {"TQ1_0", {256, 54}}, {"TQ2_0", {256, 66}},
     {"MXFP4", {32, 17}}}};
static_assert(dtypes.size() == static_cast<std::size_t>(DType::MXFP4) + 1);

std::int64_t product(std::span<const std::int64_t> sizes) {
    std::int64_t result = 1;
    for (const std::int64_t size : sizes)
        result *= size;
    return result;
}

}  // namespace

std::string_view dtypeName(DType dtype) {
    return dtypes.at(static_cast<std::size_t>(dtype)).name;
}

DTypeLayout layoutOf(DType dtype) {
    return dtypes.at(static_cast<std::size_t>(dtype)).layout;
}

std::int64_t TensorView::elements() const {
    return product(shape);
}

std::int64_t TensorView::rows() const {
    return shape.empty() ? 1 : product(std::span(shape).first(shape.size() - 1));
}

std::int64_t TensorView::rowLength() const {
    return shape.empty() ? 1 : shape.back();
}

std::uint64_t checkedBytes(DType dtype, std::span<const std::int64_t> shape, const std::string& where) {
    const auto [elementsOfBlock, bytesOfBlock] = layoutOf(dtype);
    if (const std::int64_t row = shape.empty() ? 1 : shape.back(); row % elementsOfBlock != 0)
        throw Error({.what = "the row length does not fit the quantization",
                     .where = where,
                     .expected = "a multiple of " + std::to_string(elementsOfBlock) + " for " +
                                 std::string(dtypeName(dtype)),
                     .found = std::to_string(row)});

    // Left to right as in product(), so that no later product of these sizes can overflow.
    const std::int64_t most = std::numeric_limits<std::int64_t>::max() / bytesOfBlock;
    std::int64_t elements = 1;
    for (const std::int64_t size : shape) {
        if (size != 0 && elements > most / size)
            throw Error({.what = "the shape is impossibly large", .where = where, .found = shapeText(shape)});
        elements *= size;
    }
    return static_cast<std::uint64_t>(elements / elementsOfBlock * bytesOfBlock);
}

}  // namespace straightedge::checkpoint
