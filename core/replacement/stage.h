// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/architecture.h"

// The parts trained layers are made of, with their gradients written out: training needs no autograd, and a
// step no more passes than it must.
namespace straightedge::replacement {

// A parameter tensor before it has values: drawn evenly from [low, high), or `low` where they are equal.
struct Parameter {
    std::string name;
    std::vector<std::int64_t> sizes;
    double low = 0, high = 0;
};

// What backward needs of forward.
struct Kept {
    std::vector<at::Tensor> tensors = {};
    std::vector<Kept> parts = {};  // of a stage that is made of others
};

// A differentiable map of rows, without state: its parameters lie elsewhere, in the order of parameters().
class Stage {
  public:
    virtual ~Stage() = default;
    virtual std::vector<Parameter> parameters() const { return {}; }
    // [n, out] for x [n, in]; fills `kept` where it is given.
    virtual at::Tensor forward(std::span<const at::Tensor> values, const at::Tensor& x, Kept* kept) const = 0;
    // Overwrites `gradients` with those for dy [n, out], and returns dx [n, in] if that is wanted.
    virtual at::Tensor backward(std::span<const at::Tensor> values, const Kept& kept, const at::Tensor& dy,
                                std::span<const at::Tensor> gradients, bool wantInput) const = 0;
};

// y = x W^T + b, with torch's default initialisation: "weight" [out, in], "bias" [out].
std::shared_ptr<const Stage> affineStage(std::int64_t in, std::int64_t out, bool bias = true);

// y = exp(s) A [(U x) * (V x)]: "u", "v" [rank, in], "a" [out, rank], "s" [out].
std::shared_ptr<const Stage> bilinearStage(std::int64_t in, std::int64_t out, std::int64_t rank);

// act(x), or act(gate) * up where x [n, 2 f] holds the gate before up.
std::shared_ptr<const Stage> activationStage(model::Activation activation, bool gated);

// The sum of two stages of the same input.
std::shared_ptr<const Stage> sumStage(std::shared_ptr<const Stage> first,
                                      std::shared_ptr<const Stage> second);

}  // namespace straightedge::replacement
