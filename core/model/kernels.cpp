// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels.h"

#include <bit>
#include <cmath>

// One build serves every x86-64: the loader picks the widest variant that the processor runs. The sanitizers
// cannot meet the resolver that does it.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__)
#define STRAIGHTEDGE_WIDE __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define STRAIGHTEDGE_WIDE
#endif

namespace straightedge::model {

namespace {

STRAIGHTEDGE_WIDE void rmsNorm(const float* in, float* out, std::int64_t rows, std::int64_t d, float eps,
                               const float* weight) {
    for (std::int64_t r = 0; r < rows; ++r, in += d, out += d) {
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t j = 0; j < d; ++j)
            squares += in[j] * in[j];
        const float scale = 1.0f / std::sqrt(squares / static_cast<float>(d) + eps);
#pragma omp simd
        for (std::int64_t j = 0; j < d; ++j)
            out[j] = weight[j] * (in[j] * scale);
    }
}

STRAIGHTEDGE_WIDE void layerNorm(const float* in, float* out, std::int64_t rows, std::int64_t d, float eps,
                                 const float* weight, const float* bias) {
    for (std::int64_t r = 0; r < rows; ++r, in += d, out += d) {
        float sum = 0;
#pragma omp simd reduction(+ : sum)
        for (std::int64_t j = 0; j < d; ++j)
            sum += in[j];
        const float mean = sum / static_cast<float>(d);
        float squares = 0;
#pragma omp simd reduction(+ : squares)
        for (std::int64_t j = 0; j < d; ++j)
            squares += (in[j] - mean) * (in[j] - mean);
        const float scale = 1.0f / std::sqrt(squares / static_cast<float>(d) + eps);
        if (bias) {
#pragma omp simd
            for (std::int64_t j = 0; j < d; ++j)
                out[j] = weight[j] * ((in[j] - mean) * scale) + bias[j];
        } else {
#pragma omp simd
            for (std::int64_t j = 0; j < d; ++j)
                out[j] = weight[j] * ((in[j] - mean) * scale);
        }
    }
}

// The pair {a[i], b[i]}, i < half, turned by the angle of that i; neighbours lie two apart, halves one.
STRAIGHTEDGE_WIDE void rotateHalves(float* head, std::int64_t half, const float* cosines,
                                    const float* sines) {
    float* upper = head + half;
#pragma omp simd
    for (std::int64_t i = 0; i < half; ++i) {
        const float a = head[i], b = upper[i];
        head[i] = a * cosines[i] - b * sines[i];
        upper[i] = b * cosines[i] + a * sines[i];
    }
}

STRAIGHTEDGE_WIDE void rotateNeighbours(float* head, std::int64_t half, const float* cosines,
                                        const float* sines) {
#pragma omp simd
    for (std::int64_t i = 0; i < half; ++i) {
        const float a = head[2 * i], b = head[2 * i + 1];
        head[2 * i] = a * cosines[i] - b * sines[i];
        head[2 * i + 1] = b * cosines[i] + a * sines[i];
    }
}

STRAIGHTEDGE_WIDE float largestOf(const float* values, std::size_t count) {
    float largest = values[0];
#pragma omp simd reduction(max : largest)
    for (std::size_t i = 1; i < count; ++i)
        largest = values[i] > largest ? values[i] : largest;
    return largest;
}

// e^v for v <= 0, to about one unit in the last place of a float: 2^n times a polynomial (Cephes' expf
// coefficients), in a form that the compiler turns into vector code. Below -87 the result is 0 as far as a
// sum of them can tell.
inline float expOfNegative(float v) {
    v = v < -87.0f ? -87.0f : v;
    const float n = std::nearbyint(v * 1.44269504f);
    float r = v - n * 0.693359375f;
    r += n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

STRAIGHTEDGE_WIDE float sumOfExp(const float* values, std::size_t count, float largest) {
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (std::size_t i = 0; i < count; ++i)
        sum += expOfNegative(values[i] - largest);
    return sum;
}

}  // namespace

void addToLogSum(std::span<const float> logits, float& largest, double& sum) {
    const float top = largestOf(logits.data(), logits.size());
    if (top > largest) {
        sum *= std::exp(static_cast<double>(largest) - static_cast<double>(top));
        largest = top;
    }
    sum += static_cast<double>(sumOfExp(logits.data(), logits.size(), largest));
}

void normRows(const at::Tensor& in, const at::Tensor& weight, const at::Tensor& bias, NormKind kind,
              double eps, at::Tensor& out) {
    const std::int64_t d = in.size(1);
    const float* source = in.const_data_ptr<float>();
    const float* scale = weight.const_data_ptr<float>();
    const float* shift = bias.defined() ? bias.const_data_ptr<float>() : nullptr;
    float* target = out.mutable_data_ptr<float>();
    at::parallel_for(0, in.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
        const float* from = source + begin * d;
        float* to = target + begin * d;
        if (kind == NormKind::Rms)
            rmsNorm(from, to, end - begin, d, static_cast<float>(eps), scale);
        else
            layerNorm(from, to, end - begin, d, static_cast<float>(eps), scale, shift);
    });
}

RotaryTable rotaryTable(const Rotary& rotary, std::int64_t positions) {
    const auto half = static_cast<std::int64_t>(rotary.inverseFrequencies.size());
    const at::Tensor frequencies = at::tensor(rotary.inverseFrequencies, at::kFloat);
    const at::Tensor angles = at::arange(positions, at::kFloat).unsqueeze(1) * frequencies.reshape({1, half});
    return {angles.cos(), angles.sin()};
}

void rotateRows(at::Tensor& rows, std::int64_t heads, std::int64_t headDim, std::int64_t seqLen,
                RotaryPairs pairs, const RotaryTable& table) {
    const std::int64_t half = table.cosines.size(1), stride = rows.size(1);
    const float* cosines = table.cosines.const_data_ptr<float>();
    const float* sines = table.sines.const_data_ptr<float>();
    float* data = rows.mutable_data_ptr<float>();
    at::parallel_for(0, rows.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const std::int64_t angle = (row % seqLen) * half;
            float* head = data + row * stride;
            for (std::int64_t h = 0; h < heads; ++h, head += headDim)
                if (pairs == RotaryPairs::Halves)
                    rotateHalves(head, half, cosines + angle, sines + angle);
                else
                    rotateNeighbours(head, half, cosines + angle, sines + angle);
        }
    });
}

at::Tensor activateRows(at::Tensor& gateUp, Activation activation, bool gated) {
    const std::int64_t f = gated ? gateUp.size(1) / 2 : gateUp.size(1);
    at::Tensor middle = gateUp.narrow(1, 0, f);
    switch (activation) {
        case Activation::Gelu:
            at::gelu_(middle, "none");
            break;
        case Activation::GeluTanh:
            at::gelu_(middle, "tanh");
            break;
        case Activation::Relu:
            at::relu_(middle);
            break;
        case Activation::Silu:
            at::silu_(middle);
            break;
    }
    if (gated)
        middle.mul_(gateUp.narrow(1, f, f));
    return middle;
}

}  // namespace straightedge::model
