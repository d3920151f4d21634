// SPDX-License-Identifier: GPL-3.0-or-later
#include "layer.h"

namespace straightedge::replacement {

AffineLayer::AffineLayer(const linearity::AffineFit& fit)
    : m_weight(fit.weight.t().to(at::kFloat).contiguous()), m_bias(fit.bias.to(at::kFloat)) {}

void AffineLayer::forward(const at::Tensor& x, at::Tensor& y) const {
    at::addmm_out(y, m_bias, x, m_weight.t());
}

std::vector<std::pair<std::string, at::Tensor>> AffineLayer::tensors() const {
    return {{"weight", m_weight}, {"bias", m_bias}};
}

void AffineLayer::moveTo(at::Device device) {
    m_weight = m_weight.to(device);
    m_bias = m_bias.to(device);
}

std::unique_ptr<Layer> AffineLayer::on(at::Device device) const {
    auto moved = std::make_unique<AffineLayer>(*this);
    moved->moveTo(device);
    return moved;
}

SwitchedLayer::SwitchedLayer(const linearity::AffineFit& typical, const at::Tensor& direction,
                             double threshold, const at::Tensor& constant)
    : m_affine(typical),
      m_direction(direction.to(at::kFloat)),
      m_constant(constant.to(at::kFloat)),
      m_threshold(static_cast<float>(threshold)) {}

void SwitchedLayer::forward(const at::Tensor& x, at::Tensor& y) const {
    m_affine.forward(x, y);
    const at::Tensor massive = (at::mv(x, m_direction) > m_threshold).nonzero().squeeze(1);
    if (massive.size(0) > 0)
        y.index_copy_(0, massive, m_constant.expand({massive.size(0), m_constant.size(0)}));
}

std::unique_ptr<Layer> SwitchedLayer::on(at::Device device) const {
    auto moved = std::make_unique<SwitchedLayer>(*this);
    moved->m_affine.moveTo(device);
    moved->m_direction = m_direction.to(device);
    moved->m_constant = m_constant.to(device);
    return moved;
}

std::int64_t SwitchedLayer::parameters() const {
    return m_affine.parameters() + m_direction.numel() + m_constant.numel() + 1;
}

std::vector<std::pair<std::string, at::Tensor>> SwitchedLayer::tensors() const {
    auto all = m_affine.tensors();
    all.emplace_back("direction", m_direction);
    all.emplace_back("threshold", at::full({1}, m_threshold, at::kFloat));
    all.emplace_back("constant", m_constant);
    return all;
}

}  // namespace straightedge::replacement
