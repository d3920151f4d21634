// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "layer.h"
#include "stage.h"

namespace straightedge::replacement {

// Stages one after the other, their parameters in one flat buffer: a layer that can be trained.
class TrainedLayer : public Layer {
  public:
    using Stages = std::vector<std::shared_ptr<const Stage>>;
    // All parameters zero.
    explicit TrainedLayer(Stages stages);
    // With parameters of its own.
    TrainedLayer(const TrainedLayer& other);
    TrainedLayer& operator=(const TrainedLayer&) = delete;

    // Draws all parameters anew, in their order.
    void initialise(at::Generator& generator);

    void forward(const at::Tensor& x, at::Tensor& y) const override;
    std::int64_t parameters() const override { return m_flat.numel(); }
    // Of one stage by their plain names, of several with the stage's number before, as torch.nn.Sequential
    // names them: "2.weight".
    std::vector<std::pair<std::string, at::Tensor>> tensors() const override;
    std::unique_ptr<Layer> on(at::Device device) const override;
    // The one of that name. A view: writing to it changes the layer.
    at::Tensor tensor(const std::string& name) const;

    const Stages& stages() const { return m_stages; }
    // Those of one stage; views into flat().
    std::span<const at::Tensor> values(std::size_t stage) const { return m_values[stage]; }
    const at::Tensor& flat() const { return m_flat; }

  private:
    Stages m_stages;
    at::Tensor m_flat;  // float32
    std::vector<std::vector<at::Tensor>> m_values;
};

// Views of `flat` for the parameters of each stage.
std::vector<std::vector<at::Tensor>> viewsOf(const at::Tensor& flat, const TrainedLayer::Stages& stages);

// y = x W + b as a layer that can be trained further.
std::unique_ptr<TrainedLayer> trainableAffine(const linearity::AffineFit& fit);

// The frozen line and a bilinear part: y = W x + b + exp(s) A [(U x) * (V x)]; tensors "weight", "bias", "u",
// "v", "a", "s". `part` is a bilinear stage alone.
std::unique_ptr<TrainedLayer> withLine(const linearity::AffineFit& fit, const TrainedLayer& part);

}  // namespace straightedge::replacement
