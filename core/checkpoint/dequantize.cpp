// SPDX-License-Identifier: GPL-3.0-or-later
// The block formats are GGML's. Each decoder turns one block into its elements; `in` is the block's bytes.
// Products and sums are rounded one by one (no fused multiply-add, see CMakeLists.txt), so that all machines
// get the same weights.
#include <array>
#include <bit>
#include <cstring>

#include "checked.h"
#include "error.h"
#include "half.h"
#include "parse_json.h"
#include "tensor_view.h"

namespace straightedge::checkpoint {

namespace {

using Bytes = const std::uint8_t* __restrict;
using Floats = float* __restrict;
using Decoder = void (*)(Bytes, Floats);

float halfAt(Bytes in) {
    return halfToFloat(loadLittleEndian<std::uint16_t>(in));
}

int signedAt(Bytes in) {
    return static_cast<std::int8_t>(*in);
}

// ---- One element a block: whole runs at once.

template <typename T, typename Convert>
void convert(const std::byte* __restrict from, std::span<float> out, Convert convertOne) {
    Floats to = out.data();
    const std::size_t count = out.size();
    for (std::size_t i = 0; i < count; ++i)
        to[i] = convertOne(loadLittleEndian<T>(from + i * sizeof(T)));
}

// ---- 32 elements a block: a scale d, for the _1 types a minimum m; low nibbles are the first half.

void decodeQ4_0(Bytes in, Floats out) {
    const float d = halfAt(in);
    Bytes quants = in + 2;
    for (int i = 0; i < 16; ++i) {
        out[i] = d * static_cast<float>((quants[i] & 0x0F) - 8);
        out[i + 16] = d * static_cast<float>((quants[i] >> 4) - 8);
    }
}

void decodeQ4_1(Bytes in, Floats out) {
    const float d = halfAt(in);
    const float m = halfAt(in + 2);
    Bytes quants = in + 4;
    for (int i = 0; i < 16; ++i) {
        out[i] = d * static_cast<float>(quants[i] & 0x0F) + m;
        out[i + 16] = d * static_cast<float>(quants[i] >> 4) + m;
    }
}

// The fifth bits of all 32 elements are one word before the nibbles.
template <typename Value>
void decodeFiveBits(Bytes highBits, Floats out, Value value) {
    const auto high = loadLittleEndian<std::uint32_t>(highBits);
    Bytes quants = highBits + 4;
    for (unsigned i = 0; i < 16; ++i) {
        const std::uint32_t first = (quants[i] & 0x0FU) | (((high >> i) & 1U) << 4);
        const std::uint32_t second = (quants[i] >> 4U) | (((high >> (i + 16)) & 1U) << 4);
        out[i] = value(static_cast<float>(static_cast<int>(first)));
        out[i + 16] = value(static_cast<float>(static_cast<int>(second)));
    }
}

void decodeQ5_0(Bytes in, Floats out) {
    const float d = halfAt(in);
    decodeFiveBits(in + 2, out, [d](float q) { return d * (q - 16.0F); });
}

void decodeQ5_1(Bytes in, Floats out) {
    const float d = halfAt(in);
    const float m = halfAt(in + 2);
    decodeFiveBits(in + 4, out, [d, m](float q) { return d * q + m; });
}

void decodeQ8_0(Bytes in, Floats out) {
    const float d = halfAt(in);
    Bytes quants = in + 2;
    for (int i = 0; i < 32; ++i)
        out[i] = d * static_cast<float>(signedAt(quants + i));
}

// ---- 256 elements a block (the K types): sub-blocks of 16 or 32 elements, whose scales are quantized
// themselves.

// scales[16] (scale in the low nibble, minimum in the high one), quants[64], d, dmin.
// Each run of 32 bytes holds 128 elements, two bits at a time.
void decodeQ2_K(Bytes in, Floats out) {
    Bytes scales = in;
    const float d = halfAt(in + 80);
    const float dmin = halfAt(in + 82);
    for (int sub = 0; sub < 16; ++sub) {
        const float scale = d * static_cast<float>(scales[sub] & 0x0F);
        const float minimum = dmin * static_cast<float>(scales[sub] >> 4);
        const int shift = sub % 8 / 2 * 2;
        Bytes quants = in + 16 + sub / 8 * 32 + sub % 2 * 16;
        for (int i = 0; i < 16; ++i)
            out[16 * sub + i] = scale * static_cast<float>((quants[i] >> shift) & 3) - minimum;
    }
}

// highBits[32], quants[64], scales[12], d. Quants as in Q2_K; bit k of highBits belongs to the k-th run of 32
// elements and, where it is not set, takes 4 away. Six-bit scales: low four bits in the first 8 bytes, the
// others in the last 4.
void decodeQ3_K(Bytes in, Floats out) {
    Bytes scales = in + 96;
    const float d = halfAt(in + 108);
    for (int sub = 0; sub < 16; ++sub) {
        const int low = sub < 8 ? scales[sub] & 0x0F : scales[sub - 8] >> 4;
        const int high = (scales[8 + sub % 4] >> (sub / 4 * 2)) & 3;
        const float scale = d * static_cast<float>((low | (high << 4)) - 32);
        const int shift = sub % 8 / 2 * 2;
        const int highBit = sub / 2;
        Bytes highBits = in + sub % 2 * 16;
        Bytes quants = in + 32 + sub / 8 * 32 + sub % 2 * 16;
        for (int i = 0; i < 16; ++i) {
            const int quant = ((quants[i] >> shift) & 3) | (((highBits[i] >> highBit) & 1) << 2);
            out[16 * sub + i] = scale * static_cast<float>(quant - 4);
        }
    }
}

// Eight six-bit scales and minimums in 12 bytes, of Q4_K and Q5_K.
struct ScaleAndMinimum {
    float scale;
    float minimum;
};

ScaleAndMinimum packedScale(Bytes packed, int sub) {
    if (sub < 4)
        return {static_cast<float>(packed[sub] & 63), static_cast<float>(packed[sub + 4] & 63)};
    const int scale = (packed[sub + 4] & 0x0F) | (packed[sub - 4] >> 6 << 4);
    const int minimum = (packed[sub + 4] >> 4) | (packed[sub] >> 6 << 4);
    return {static_cast<float>(scale), static_cast<float>(minimum)};
}

// d, dmin, scales[12], quants[128]: 32 bytes hold two sub-blocks of 32 elements, low nibbles first.
void decodeQ4_K(Bytes in, Floats out) {
    const float d = halfAt(in);
    const float dmin = halfAt(in + 2);
    for (int sub = 0; sub < 8; ++sub) {
        const auto packed = packedScale(in + 4, sub);
        const float scale = d * packed.scale;
        const float minimum = dmin * packed.minimum;
        const int shift = sub % 2 * 4;
        Bytes quants = in + 16 + sub / 2 * 32;
        for (int i = 0; i < 32; ++i)
            out[32 * sub + i] = scale * static_cast<float>((quants[i] >> shift) & 0x0F) - minimum;
    }
}

// d, dmin, scales[12], highBits[32], quants[128]: as Q4_K, with bit k of highBits for the k-th sub-block.
void decodeQ5_K(Bytes in, Floats out) {
    const float d = halfAt(in);
    const float dmin = halfAt(in + 2);
    Bytes highBits = in + 16;
    for (int sub = 0; sub < 8; ++sub) {
        const auto packed = packedScale(in + 4, sub);
        const float scale = d * packed.scale;
        const float minimum = dmin * packed.minimum;
        const int shift = sub % 2 * 4;
        Bytes quants = in + 48 + sub / 2 * 32;
        for (int i = 0; i < 32; ++i) {
            const int quant = ((quants[i] >> shift) & 0x0F) | (((highBits[i] >> sub) & 1) << 4);
            out[32 * sub + i] = scale * static_cast<float>(quant) - minimum;
        }
    }
}

// lowNibbles[128], highBits[64], scales[16] (signed), d. Of each half of 128 elements, 32 at a time: the low
// nibbles of 64 bytes, then their high ones; two high bits from 32 bytes.
void decodeQ6_K(Bytes in, Floats out) {
    const float d = halfAt(in + 208);
    for (int sub = 0; sub < 16; ++sub) {
        const float scale = d * static_cast<float>(signedAt(in + 192 + sub));
        const int half = sub / 8;
        const int run = sub % 8 / 2;  // of 32 elements
        const int shift = run / 2 * 4;
        const int highShift = run * 2;
        Bytes quants = in + 64 * half + run % 2 * 32 + sub % 2 * 16;
        Bytes highBits = in + 128 + 32 * half + sub % 2 * 16;
        for (int i = 0; i < 16; ++i) {
            const int quant = ((quants[i] >> shift) & 0x0F) | (((highBits[i] >> highShift) & 3) << 4);
            out[16 * sub + i] = scale * static_cast<float>(quant - 32);
        }
    }
}

// ---- Tables of sixteen values, by a nibble; low nibbles are the first half.

using Values = std::array<std::int8_t, 16>;
constexpr Values iq4Values{-127, -104, -83, -65, -49, -35, -22, -10, 1, 13, 25, 38, 53, 69, 89, 113};
constexpr Values mxfp4Values{0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12};  // twice E2M1's

void decodeNibbles(Bytes quants, float scale, const Values& values, Floats out) {
    for (std::size_t i = 0; i < 16; ++i) {
        out[i] = scale * static_cast<float>(values[quants[i] & 0x0FU]);
        out[i + 16] = scale * static_cast<float>(values[quants[i] >> 4U]);
    }
}

void decodeIQ4_NL(Bytes in, Floats out) {
    decodeNibbles(in + 2, halfAt(in), iq4Values, out);
}

// d, high bits of the scales (two each), low bits (four each), quants[128]: eight sub-blocks of 32 elements.
void decodeIQ4_XS(Bytes in, Floats out) {
    const float d = halfAt(in);
    const auto highBits = loadLittleEndian<std::uint16_t>(in + 2);
    for (int sub = 0; sub < 8; ++sub) {
        const int low = (in[4 + sub / 2] >> (sub % 2 * 4)) & 0x0F;
        const int high = (highBits >> (2 * sub)) & 3;
        decodeNibbles(in + 8 + 16 * sub, d * static_cast<float>((low | (high << 4)) - 32), iq4Values,
                      out + 32 * sub);
    }
}

// The scale is a power of two, 2^(e - 128) since the values are doubled (OCP Microscaling Formats, E8M0); the
// two smallest are subnormal.
void decodeMXFP4(Bytes in, Floats out) {
    const std::uint32_t e = in[0];
    const std::uint32_t bits = e < 2 ? 0x00200000U << e : (e - 1) << 23U;
    decodeNibbles(in + 1, std::bit_cast<float>(bits), mxfp4Values, out);
}

// ---- Ternary: -1, 0 or 1 times d.

// A byte holds five elements as the digits of a fraction to the base of three, an element a multiplication.
void decodeTernaryRun(Bytes quants, int bytes, int digits, float d, Floats out) {
    std::uint8_t power = 1;
    for (int digit = 0; digit < digits; ++digit, power = static_cast<std::uint8_t>(power * 3))
        for (int i = 0; i < bytes; ++i) {
            const auto shifted = static_cast<std::uint8_t>(quants[i] * power);
            out[digit * bytes + i] = d * static_cast<float>(((shifted * 3) >> 8) - 1);
        }
}

// quants[48], rest[4] with four elements a byte, d.
void decodeTQ1_0(Bytes in, Floats out) {
    const float d = halfAt(in + 52);
    decodeTernaryRun(in, 32, 5, d, out);
    decodeTernaryRun(in + 32, 16, 5, d, out + 160);
    decodeTernaryRun(in + 48, 4, 4, d, out + 240);
}

// quants[64], two bits an element as in Q2_K; d.
void decodeTQ2_0(Bytes in, Floats out) {
    const float d = halfAt(in + 64);
    for (int run = 0; run < 8; ++run)
        for (int i = 0; i < 32; ++i)
            out[32 * run + i] = d * static_cast<float>(((in[run / 4 * 32 + i] >> (run % 4 * 2)) & 3) - 1);
}

// The decoder is a template argument so that it is inlined.
template <DType dtype, Decoder decode>
void decodeBlocks(const std::byte* from, std::span<float> out) {
    const DTypeLayout layout = layoutOf(dtype);
    auto in = reinterpret_cast<const std::uint8_t*>(from);
    float* const end = out.data() + out.size();
    for (float* to = out.data(); to != end; to += layout.elements, in += layout.bytes)
        decode(in, to);
}

void checkRange(const TensorView& tensor, std::int64_t firstRow, std::int64_t rowCount, std::size_t outSize) {
    const std::int64_t rows = tensor.rows();
    if (firstRow < 0 || rowCount < 0 || firstRow > rows || rowCount > rows - firstRow)
        throw Error({.what = "rows are wanted that tensor " + inQuotes(tensor.name) + " does not have",
                     .where = tensor.file,
                     .expected = "rows 0 to " + std::to_string(rows),
                     .found = std::to_string(rowCount) + " rows from " + std::to_string(firstRow)});
    const auto wanted = static_cast<std::size_t>(rowCount * tensor.rowLength());
    if (outSize != wanted)
        throw Error({.what = "the room for rows of tensor " + inQuotes(tensor.name) + " has the wrong size",
                     .where = tensor.file,
                     .expected = std::to_string(wanted) + " elements",
                     .found = std::to_string(outSize)});
}

}  // namespace

void toFloat32(const TensorView& tensor, std::int64_t firstRow, std::int64_t rowCount, std::span<float> out) {
    checkRange(tensor, firstRow, rowCount, out.size());
    if (out.empty())
        return;
    const DTypeLayout layout = layoutOf(tensor.dtype);
    const std::int64_t bytesOfRow = tensor.rowLength() / layout.elements * layout.bytes;
    const auto rows = tensor.data.subspan(static_cast<std::size_t>(firstRow * bytesOfRow),
                                          static_cast<std::size_t>(rowCount * bytesOfRow));
    const std::byte* from = rows.data();

    switch (tensor.dtype) {
        case DType::F32:
            std::memcpy(out.data(), from, out.size_bytes());
            return;
        case DType::F16:
            return convert<std::uint16_t>(from, out, halfToFloat);
        case DType::BF16:
            return convert<std::uint16_t>(from, out, bfloatToFloat);
        case DType::F64:
            return convert<double>(from, out, [](double value) { return static_cast<float>(value); });
        case DType::Q4_0:
            return decodeBlocks<DType::Q4_0, decodeQ4_0>(from, out);
        case DType::Q4_1:
            return decodeBlocks<DType::Q4_1, decodeQ4_1>(from, out);
        case DType::Q5_0:
            return decodeBlocks<DType::Q5_0, decodeQ5_0>(from, out);
        case DType::Q5_1:
            return decodeBlocks<DType::Q5_1, decodeQ5_1>(from, out);
        case DType::Q8_0:
            return decodeBlocks<DType::Q8_0, decodeQ8_0>(from, out);
        case DType::Q2_K:
            return decodeBlocks<DType::Q2_K, decodeQ2_K>(from, out);
        case DType::Q3_K:
            return decodeBlocks<DType::Q3_K, decodeQ3_K>(from, out);
        case DType::Q4_K:
            return decodeBlocks<DType::Q4_K, decodeQ4_K>(from, out);
        case DType::Q5_K:
            return decodeBlocks<DType::Q5_K, decodeQ5_K>(from, out);
        case DType::Q6_K:
            return decodeBlocks<DType::Q6_K, decodeQ6_K>(from, out);
        case DType::IQ4_NL:
            return decodeBlocks<DType::IQ4_NL, decodeIQ4_NL>(from, out);
        case DType::IQ4_XS:
            return decodeBlocks<DType::IQ4_XS, decodeIQ4_XS>(from, out);
        case DType::TQ1_0:
            return decodeBlocks<DType::TQ1_0, decodeTQ1_0>(from, out);
        case DType::TQ2_0:
            return decodeBlocks<DType::TQ2_0, decodeTQ2_0>(from, out);
        case DType::MXFP4:
            return decodeBlocks<DType::MXFP4, decodeMXFP4>(from, out);
        case DType::I64:
        case DType::I32:
        case DType::I16:
        case DType::I8:
        case DType::U8:
        case DType::Bool:
            break;
    }
    throw Error({.what = "tensor " + inQuotes(tensor.name) + " does not hold floating-point numbers",
                 .where = tensor.file,
                 .expected = "F32, F16, BF16, F64 or a quantized type",
                 .found = std::string(dtypeName(tensor.dtype))});
}

}  // namespace straightedge::checkpoint
