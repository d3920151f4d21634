// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <array>

#include "architecture.h"
#include "checkpoint/checkpoint.h"
#include "projection.h"

namespace straightedge::model {

// One that the family has not: without a weight.
struct Norm {
    at::Tensor weight;  // [d] float32
    at::Tensor bias;    // [d] float32, or undefined

    explicit operator bool() const { return weight.defined(); }
    Norm on(at::Device device) const { return {moved(weight, device), moved(bias, device)}; }
};

// One block's weights in float32, named for what they do; the norms' places are those of their roles.
struct BlockWeights {
    Norm attentionNorm;
    Linear queryKeyValue;  // [(heads + 2 kvHeads) headDim, d]: all q, all k, all v
    Norm queryNorm, keyNorm;
    Linear attentionOutput;
    Norm attentionOutNorm, attentionSumNorm;
    Norm ffnNorm;
    Linear gateUp;  // gated: [2 f, d], gate above up; else [f, d]
    Linear down;    // [d, f]
    Norm ffnOutNorm, ffnSumNorm;
};

// Finds a model's tensors by role, whatever the file's names and layouts, and turns them to float32.
// Throws Error for one that is missing or has another shape. Safe for concurrent readers.
class WeightReader {
  public:
    WeightReader(const checkpoint::Checkpoint& checkpoint, const Architecture& architecture);

    // Looks every tensor of the model up, so that a broken checkpoint is refused before an hour's work.
    void checkAll() const;

    BlockWeights block(std::int64_t index) const;
    // The file's pages of this block need not stay in memory.
    void forgetBlock(std::int64_t index) const;
    Norm embeddingNorm() const;
    Norm finalNorm() const;

    // Rows of the token embedding [ids, d], of the position embedding [count, d] (the first position's
    // first), of the token types [1, d] and of the output projection.
    at::Tensor tokenEmbedding(const std::vector<std::int32_t>& ids) const;
    at::Tensor positionEmbedding(std::int64_t count) const;
    at::Tensor tokenTypeEmbedding() const;  // undefined where the family has none
    Linear outputProjection(std::int64_t firstRow, std::int64_t count) const;
    // [buckets, heads], see Role; undefined where the family has none.
    at::Tensor relativeBias() const;

    // Weights and biases of one block's FFN, and of the whole model (tied ones once).
    std::int64_t ffnParameters() const;
    std::int64_t modelParameters() const;

    // Whether next-token predictions can be made, and why not.
    bool hasOutputProjection() const { return whyNoPredictions().empty(); }
    std::string whyNoPredictions() const;

    // What x and y are in this checkpoint.
    Site site() const;

  private:
    const TensorEntry* entry(Role role) const { return m_entries[static_cast<std::size_t>(role)]; }
    std::string name(const TensorEntry& entry, std::int64_t block) const;
    // "weight" or "bias" of a tensor, as the file calls it.
    std::string partName(const TensorEntry& entry, std::int64_t block, const char* part) const;
    bool present(Role role, std::int64_t block) const;
    bool transposed() const;
    const checkpoint::TensorView& weightView(Role role, std::int64_t block) const;
    std::vector<std::int64_t> shapeOf(Role role) const;
    Norm norm(Role role, std::int64_t block) const;
    Linear linear(std::initializer_list<Role> parts, std::int64_t block) const;
    Role outputRole() const;

    const checkpoint::Checkpoint& m_checkpoint;
    const Architecture& m_architecture;
    std::string m_prefix;
    std::array<const TensorEntry*, static_cast<std::size_t>(Role::OutputProjection) + 1>
        m_entries{};  // by role; those of its alternatives that the file holds
};

}  // namespace straightedge::model
