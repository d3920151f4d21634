// SPDX-License-Identifier: GPL-3.0-or-later
#include "operators.h"

namespace straightedge::model {

at::Tensor normed(const at::Tensor& in, const Norm& norm, NormKind kind, double eps) {
    if (!norm)
        return in;
    if (kind == NormKind::Rms)
        return in * (in.square().mean(-1, /*keepdim=*/true) + eps).rsqrt() * norm.weight;
    return at::layer_norm(in, {in.size(-1)}, norm.weight, norm.bias, eps);
}

at::Tensor rotated(const at::Tensor& heads, const RotaryTable& table, RotaryPairs pairs) {
    const std::int64_t half = table.cosines.size(1), seqLen = heads.size(-2), headDim = heads.size(-1);
    const at::Tensor cosines = table.cosines.narrow(0, 0, seqLen), sines = table.sines.narrow(0, 0, seqLen);
    const at::Tensor turning = heads.narrow(-1, 0, 2 * half);
    const at::Tensor rest = heads.narrow(-1, 2 * half, headDim - 2 * half);
    const bool halves = pairs == RotaryPairs::Halves;
    const at::Tensor a = halves ? turning.narrow(-1, 0, half) : turning.slice(-1, 0, 2 * half, 2);
    const at::Tensor b = halves ? turning.narrow(-1, half, half) : turning.slice(-1, 1, 2 * half, 2);
    const at::Tensor first = a * cosines - b * sines, second = b * cosines + a * sines;
    const at::Tensor turned =
        halves ? at::cat({first, second}, -1) : at::stack({first, second}, -1).flatten(-2);
    return rest.size(-1) > 0 ? at::cat({turned, rest}, -1) : turned;
}

at::Tensor activated(const at::Tensor& in, Activation activation) {
    switch (activation) {
        case Activation::Gelu:
            return at::gelu(in, "none");
        case Activation::GeluTanh:
            return at::gelu(in, "tanh");
        case Activation::Relu:
            return at::relu(in);
        case Activation::Silu:
            return at::silu(in);
    }
    TORCH_CHECK(false, "an activation without operators");
}

at::Tensor activated(const at::Tensor& middle, Activation activation, bool gated) {
    if (!gated)
        return activated(middle, activation);
    const std::int64_t f = middle.size(1) / 2;
    return activated(middle.narrow(1, 0, f), activation) * middle.narrow(1, f, f);
}

void addToLogSums(const at::Tensor& logits, const at::Tensor& largest, const at::Tensor& sum) {
    const at::Tensor now = at::maximum(largest, logits.amax(1));
    sum.mul_((largest - now).to(at::kDouble).exp());
    sum.add_((logits - now.unsqueeze(1)).exp().sum(1, /*keepdim=*/false, at::kDouble));
    largest.copy_(now);
}

}  // namespace straightedge::model
