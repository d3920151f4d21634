// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linearity/affine_fit.h"

namespace straightedge::replacement {

// What stands in for a block's FFN: rows x [n, d] to rows y [n, d], float32.
class Layer {
  public:
    virtual ~Layer() = default;
    // y is written whole.
    virtual void forward(const at::Tensor& x, at::Tensor& y) const = 0;
    virtual std::int64_t parameters() const = 0;
    // Its tensors by name, float32, for a file: "weight" is [out, in] as Hugging Face keeps it.
    virtual std::vector<std::pair<std::string, at::Tensor>> tensors() const = 0;
    // The same for rows that lie on another device.
    virtual std::unique_ptr<Layer> on(at::Device device) const = 0;
};

// y = x W + b, in float32.
class AffineLayer : public Layer {
  public:
    explicit AffineLayer(const linearity::AffineFit& fit);
    void forward(const at::Tensor& x, at::Tensor& y) const override;
    std::int64_t parameters() const override { return m_weight.numel() + m_bias.numel(); }
    std::vector<std::pair<std::string, at::Tensor>> tensors() const override;
    std::unique_ptr<Layer> on(at::Device device) const override;

  private:
    friend class SwitchedLayer;
    void moveTo(at::Device device);
    at::Tensor m_weight;  // [out, in]
    at::Tensor m_bias;    // [out]
};

// The typical rows' map; a row whose projection x u exceeds t gets a constant output instead.
class SwitchedLayer : public Layer {
  public:
    // direction u [d], threshold t, constant [out]; float64.
    SwitchedLayer(const linearity::AffineFit& typical, const at::Tensor& direction, double threshold,
                  const at::Tensor& constant);
    void forward(const at::Tensor& x, at::Tensor& y) const override;
    std::int64_t parameters() const override;
    std::vector<std::pair<std::string, at::Tensor>> tensors() const override;
    std::unique_ptr<Layer> on(at::Device device) const override;

  private:
    AffineLayer m_affine;
    at::Tensor m_direction, m_constant;
    float m_threshold;
};

}  // namespace straightedge::replacement
