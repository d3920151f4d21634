// SPDX-License-Identifier: GPL-3.0-or-later
#include "trained_layer.h"

#include <numeric>

namespace straightedge::replacement {

namespace {

std::int64_t product(const std::vector<std::int64_t>& sizes) {
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}, std::multiplies<>());
}

at::Tensor zeroParameters(const TrainedLayer::Stages& stages) {
    std::int64_t count = 0;
    for (const auto& stage : stages)
        for (const Parameter& parameter : stage->parameters())
            count += product(parameter.sizes);
    return at::zeros({count}, at::kFloat);
}

void copyLine(const linearity::AffineFit& fit, const TrainedLayer& layer) {
    layer.tensor("weight").copy_(fit.weight.t());
    layer.tensor("bias").copy_(fit.bias);
}

}  // namespace

std::vector<std::vector<at::Tensor>> viewsOf(const at::Tensor& flat, const TrainedLayer::Stages& stages) {
    std::vector<std::vector<at::Tensor>> all;
    std::int64_t at = 0;
    for (const auto& stage : stages) {
        std::vector<at::Tensor>& views = all.emplace_back();
        for (const Parameter& parameter : stage->parameters()) {
            views.push_back(flat.narrow(0, at, product(parameter.sizes)).view(parameter.sizes));
            at += views.back().numel();
        }
    }
    return all;
}

TrainedLayer::TrainedLayer(Stages stages)
    : m_stages(std::move(stages)), m_flat(zeroParameters(m_stages)), m_values(viewsOf(m_flat, m_stages)) {}

TrainedLayer::TrainedLayer(const TrainedLayer& other)
    : Layer(other),
      m_stages(other.m_stages),
      m_flat(other.m_flat.clone()),
      m_values(viewsOf(m_flat, m_stages)) {}

void TrainedLayer::initialise(at::Generator& generator) {
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
        const std::vector<Parameter> parameters = m_stages[i]->parameters();
        for (std::size_t j = 0; j < parameters.size(); ++j)
            if (parameters[j].low < parameters[j].high)
                m_values[i][j].uniform_(parameters[j].low, parameters[j].high, generator);
            else
                m_values[i][j].fill_(parameters[j].low);
    }
}

void TrainedLayer::forward(const at::Tensor& x, at::Tensor& y) const {
    at::Tensor rows = x;
    for (std::size_t i = 0; i < m_stages.size(); ++i)
        rows = m_stages[i]->forward(m_values[i], rows, nullptr);
    y.copy_(rows);
}

std::vector<std::pair<std::string, at::Tensor>> TrainedLayer::tensors() const {
    std::vector<std::pair<std::string, at::Tensor>> all;
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
        const std::string prefix = m_stages.size() > 1 ? std::to_string(i) + "." : "";
        const std::vector<Parameter> parameters = m_stages[i]->parameters();
        for (std::size_t j = 0; j < parameters.size(); ++j)
            all.emplace_back(prefix + parameters[j].name, m_values[i][j]);
    }
    return all;
}

std::unique_ptr<Layer> TrainedLayer::on(at::Device device) const {
    auto moved = std::make_unique<TrainedLayer>(*this);
    moved->m_flat = m_flat.to(device);
    moved->m_values = viewsOf(moved->m_flat, m_stages);
    return moved;
}

at::Tensor TrainedLayer::tensor(const std::string& name) const {
    for (const auto& [each, tensor] : tensors())
        if (each == name)
            return tensor;
    TORCH_CHECK(false, "the layer has no tensor ", name);
}

std::unique_ptr<TrainedLayer> trainableAffine(const linearity::AffineFit& fit) {
    auto layer = std::make_unique<TrainedLayer>(
        TrainedLayer::Stages{affineStage(fit.weight.size(0), fit.weight.size(1))});
    copyLine(fit, *layer);
    return layer;
}

std::unique_ptr<TrainedLayer> withLine(const linearity::AffineFit& fit, const TrainedLayer& part) {
    auto layer = std::make_unique<TrainedLayer>(TrainedLayer::Stages{
        sumStage(affineStage(fit.weight.size(0), fit.weight.size(1)), part.stages().front())});
    copyLine(fit, *layer);
    for (const auto& [name, tensor] : part.tensors())
        layer->tensor(name).copy_(tensor);
    return layer;
}

}  // namespace straightedge::replacement
