// SPDX-License-Identifier: GPL-3.0-or-later
#include <QTest>
#include <bit>
#include <cmath>
#include <limits>

#include "checkpoint/tensor_view.h"
#include "checkpoint_files.h"

using namespace straightedge;
using namespace straightedge::checkpoint;

Q_DECLARE_METATYPE(straightedge::checkpoint::DType)

namespace {

// What an IEEE 754 half means, by its definition.
float halfByDefinition(unsigned bits) {
    const int exponent = static_cast<int>(bits >> 10 & 0x1F);
    const int fraction = static_cast<int>(bits & 0x3FF);
    double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
    if (exponent == 31)
        value = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
    return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

// The same for bfloat16: a float's sign and exponent, seven bits of fraction.
float bfloatByDefinition(unsigned bits) {
    const int exponent = static_cast<int>(bits >> 7 & 0xFF);
    const int fraction = static_cast<int>(bits & 0x7F);
    double value = exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(128 + fraction, exponent - 134);
    if (exponent == 255)
        value = fraction == 0 ? std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::quiet_NaN();
    return static_cast<float>((bits & 0x8000) != 0 ? -value : value);
}

// All 65,536 patterns as one tensor.
std::vector<float> allPatterns(DType dtype) {
    std::vector<std::uint16_t> patterns(65'536);
    for (std::size_t i = 0; i < patterns.size(); ++i)
        patterns[i] = static_cast<std::uint16_t>(i);
    return valuesOf({.name = "patterns",
                     .dtype = dtype,
                     .shape = {256, 256},
                     .data = std::as_bytes(std::span(patterns)),
                     .file = "memory"});
}

void compareBits(const std::vector<float>& found, float (*byDefinition)(unsigned)) {
    for (unsigned bits = 0; bits < found.size(); ++bits) {
        const float expected = byDefinition(bits);
        const bool same = std::isnan(expected) ? std::isnan(found[bits])
                                               : std::bit_cast<std::uint32_t>(found[bits]) ==
                                                     std::bit_cast<std::uint32_t>(expected);
        QVERIFY2(same,
                 qPrintable(QString("pattern %1: %2, expected %3").arg(bits).arg(found[bits]).arg(expected)));
    }
}

}  // namespace

class TestDequantize : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void everyHalf() { compareBits(allPatterns(DType::F16), halfByDefinition); }
    void everyBfloat() { compareBits(allPatterns(DType::BF16), bfloatByDefinition); }

    void doublesAreRounded() {
        const double values[] = {0.1, -1e300, 1e-50, 16'777'217.0};
        const TensorView tensor{.name = "t",
                                .dtype = DType::F64,
                                .shape = {4},
                                .data = std::as_bytes(std::span(values)),
                                .file = "memory"};
        const std::vector<float> expected = {0.1F, -std::numeric_limits<float>::infinity(), 0.0F,
                                             16'777'216.0F};
        QCOMPARE(valuesOf(tensor), expected);
    }

    // Safetensors may put data at any address.
    void dataNeedNotBeAligned() {
        std::string bytes = floats({0.0F, 1.5F, -2.5F});
        bytes.erase(0, 3);  // the floats begin at the second byte
        const auto data = std::as_bytes(std::span(bytes)).subspan(1);
        QCOMPARE(valuesOf({.name = "t", .dtype = DType::F32, .shape = {2}, .data = data, .file = "memory"}),
                 (std::vector<float>{1.5F, -2.5F}));
    }

    // Against data/quant, which make_quant_fixtures.py wrote: to the last bit.
    void blocks_data() {
        QTest::addColumn<DType>("dtype");
        for (const DType dtype : {DType::Q4_0, DType::Q4_1, DType::Q5_0, DType::Q5_1, DType::Q8_0,
                                  DType::Q2_K, DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K,
                                  DType::IQ4_NL, DType::IQ4_XS, DType::TQ1_0, DType::TQ2_0, DType::MXFP4})
            QTest::newRow(std::string(dtypeName(dtype)).c_str()) << dtype;
    }
    void blocks() {
        QFETCH(DType, dtype);
        const std::string base = std::string(TEST_DATA "/quant/").append(dtypeName(dtype));
        const std::string blocks = readFile(base + ".blocks");
        const std::string expected = readFile(base + ".f32");
        QCOMPARE(expected.size(), std::size_t{2048 * 4});
        const auto layout = layoutOf(dtype);
        QCOMPARE(blocks.size(), static_cast<std::size_t>(2048 / layout.elements * layout.bytes));

        const TensorView tensor{.name = "t",
                                .dtype = dtype,
                                .shape = {2, 4, 256},
                                .data = std::as_bytes(std::span(blocks)),
                                .file = base};
        QCOMPARE(tensor.rows(), 8);
        const std::string all = floats(valuesOf(tensor));
        for (std::size_t i = 0; i < expected.size(); i += 4)
            QVERIFY2(all.compare(i, 4, expected, i, 4) == 0, qPrintable(QString("element %1").arg(i / 4)));

        std::vector<float> some(3 * 256);  // rows 5 to 7
        toFloat32(tensor, 5, 3, some);
        QVERIFY(floats(some) == expected.substr(5 * 256 * 4));
    }
};

QTEST_GUILESS_MAIN(TestDequantize)
#include "tst_dequantize.moc"
