// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

// Products of rows with a weight, in torch's plain way or with the weight laid out once for oneDNN, whose
// float32 product is a tenth to a fifth faster than MKL's where this was measured.
namespace straightedge::model {

// The tensor on that device; an undefined one stays so.
inline at::Tensor moved(const at::Tensor& tensor, at::Device device) {
    return tensor.defined() ? tensor.to(device) : tensor;
}

struct Linear {
    at::Tensor weight;       // [out, in] float32; undefined once packed
    at::Tensor bias;         // [out] float32, or undefined
    at::Tensor packed = {};  // the weight in oneDNN's own layout, or undefined

    at::Device where() const { return (packed.defined() ? packed : weight).device(); }
    Linear on(at::Device device) const;  // with a plain weight, unless it is there already
};

// Trades the weight for its packed form, best for products of about `rows` rows. Where oneDNN is not there,
// and on other devices than the processor, nothing changes.
void pack(Linear& linear, std::int64_t rows);

// The same with a plain weight again, value for value.
Linear unpacked(const Linear& linear);

// in weight^T + bias: into `out` [n, out], which is returned; a packed product returns memory of its own
// instead.
at::Tensor project(const at::Tensor& in, const Linear& linear, at::Tensor out);

}  // namespace straightedge::model
