// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace straightedge::checkpoint {

// How elements lie in the file. The quantized ones are GGUF's blocks.
enum class DType {
    F32,
    F16,
    BF16,
    F64,
    I64,
    I32,
    I16,
    I8,
    U8,
    Bool,
    Q4_0,
    Q4_1,
    Q5_0,
    Q5_1,
    Q8_0,
    Q2_K,
    Q3_K,
    Q4_K,
    Q5_K,
    Q6_K,
    IQ4_NL,
    IQ4_XS,
    TQ1_0,
    TQ2_0,
    MXFP4
};

std::string_view dtypeName(DType dtype);

// Elements and bytes of one indivisible piece: {1, 4} for F32, {32, 18} for Q4_0, {256, 144} for Q4_K.
struct DTypeLayout {
    std::int64_t elements;
    std::int64_t bytes;
};
DTypeLayout layoutOf(DType dtype);

// One tensor of a mapped file. `shape` is row-major, outermost first ([out, in] for a linear layer in both
// formats: GGUF's reversed order is turned round when it is read). data.size() always equals what shape and
// dtype ask for.
struct TensorView {
    std::string name;
    DType dtype = DType::F32;
    std::vector<std::int64_t> shape;
    std::span<const std::byte> data;
    std::string file;  // for messages

    std::int64_t elements() const;
    std::int64_t rows() const;       // elements / rowLength
    std::int64_t rowLength() const;  // the last dimension; 1 for a scalar
};

// Rows [firstRow, firstRow + rowCount) as float32 into `out`, whose size must be rowCount * rowLength().
// Throws Error when the dtype is not a floating-point or quantized one. Thread-safe; rows are independent, so
// callers may split them over threads. GGML block formats: ggml's published block layouts.
void toFloat32(const TensorView& tensor, std::int64_t firstRow, std::int64_t rowCount, std::span<float> out);

}  // namespace straightedge::checkpoint
