// SPDX-License-Identifier: GPL-3.0-or-later
#include "kernels.h"

#include <bit>
#include <cmath>

#include "operators.h"
#include "wide.h"

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

inline float sigmoid(float v) {
    const float e = expOfNegative(v < 0 ? v : -v);
    return (v < 0 ? e : 1.0f) / (1.0f + e);
}

STRAIGHTEDGE_WIDE void silu(const float* in, std::int64_t count, float* out) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = in[i] * sigmoid(in[i]);
}

// x (1 + tanh u) / 2 with u = sqrt(2 / pi) (x + 0.044715 x^3), which is x sigmoid(2 u).
STRAIGHTEDGE_WIDE void geluTanh(const float* in, std::int64_t count, float* out) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i) {
        const float x = in[i];
        out[i] = x * sigmoid(1.595769122f * (x + 0.044715f * x * x * x));
    }
}

STRAIGHTEDGE_WIDE void relu(const float* in, std::int64_t count, float* out) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        out[i] = in[i] < 0 ? 0 : in[i];  // NaN stays
}

STRAIGHTEDGE_WIDE void multiply(const float* in, std::int64_t count, float* out) {
#pragma omp simd
    for (std::int64_t i = 0; i < count; ++i)
        out[i] *= in[i];
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
    if (!in.is_cpu()) {
        out.copy_(normed(in, {weight, bias}, kind, eps));
        return;
    }
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

void normParts(at::Tensor& rows, std::int64_t from, std::int64_t parts, const at::Tensor& weight,
               double eps) {
    const std::int64_t length = weight.size(0), stride = rows.size(1);
    if (!rows.is_cpu()) {
        const at::Tensor all = rows.narrow(1, from, parts * length);
        all.copy_(
            normed(all.reshape({rows.size(0), parts, length}), {weight, {}}, NormKind::Rms, eps).flatten(1));
        return;
    }
    const float* scale = weight.const_data_ptr<float>();
    float* data = rows.mutable_data_ptr<float>() + from;
    at::parallel_for(0, rows.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row)
            rmsNorm(data + row * stride, data + row * stride, parts, length, static_cast<float>(eps), scale);
    });
}

RotaryTable rotaryTable(const Rotary& rotary, std::int64_t positions) {
    const bool isLong = rotary.shortUpTo > 0 && positions > rotary.shortUpTo;
    const std::vector<float>& inverse = isLong ? rotary.longInverseFrequencies : rotary.inverseFrequencies;
    const auto half = static_cast<std::int64_t>(inverse.size());
    const at::Tensor frequencies = at::tensor(inverse, at::kFloat);
    const at::Tensor angles = at::arange(positions, at::kFloat).unsqueeze(1) * frequencies.reshape({1, half});
    return {angles.cos().mul_(rotary.scale), angles.sin().mul_(rotary.scale)};
}

void rotateRows(at::Tensor& rows, std::int64_t heads, std::int64_t headDim, std::int64_t seqLen,
                RotaryPairs pairs, const RotaryTable& table) {
    if (!rows.is_cpu()) {
        const at::Tensor all =
            rows.narrow(1, 0, heads * headDim).view({-1, seqLen, heads, headDim}).transpose(1, 2);
        all.copy_(rotated(all, table, pairs));
        return;
    }
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

void activateRows(const at::Tensor& gateUp, Activation activation, bool gated, at::Tensor& out) {
    if (!gateUp.is_cpu()) {
        out.copy_(activated(gateUp, activation, gated));
        return;
    }
    const std::int64_t f = out.size(1), stride = gateUp.size(1);
    if (activation == Activation::Gelu) {
        at::gelu_out(out, gateUp.narrow(1, 0, f), "none");
        if (gated)
            out.mul_(gateUp.narrow(1, f, f));
        return;
    }
    const float* in = gateUp.const_data_ptr<float>();
    float* to = out.mutable_data_ptr<float>();
    at::parallel_for(0, out.size(0), 16, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
            const float* gate = in + row * stride;
            float* target = to + row * f;
            if (activation == Activation::Relu)
                relu(gate, f, target);
            else if (activation == Activation::Silu)
                silu(gate, f, target);
            else
                geluTanh(gate, f, target);
            if (gated)
                multiply(gate + f, f, target);
        }
    });
}

}  // namespace straightedge::model
