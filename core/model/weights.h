// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include "architecture.h"
#include "checkpoint/checkpoint.h"
#include "projection.h"

namespace straightedge::model {

struct Norm {
    at::Tensor weight;  // [d] float32
    at::Tensor bias;    // [d] float32, or undefined
};

// One block's weights in float32, named for what they do.
struct BlockWeights {
    Norm attentionNorm;
    Linear queryKeyValue;  // [(heads + 2 kvHeads) headDim, d]: all q, all k, all v
    Linear attentionOutput;
    Norm ffnNorm;
    Linear gateUp;  // gated: [2 f, d], gate above up; else [f, d]
    Linear down;    // [d, f]
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
    Norm finalNorm() const;

    // Rows of the token embedding [ids, d], of the position embedding [count, d] and of the output
    // projection.
    at::Tensor tokenEmbedding(const std::vector<std::int32_t>& ids) const;
    at::Tensor positionEmbedding(std::int64_t count) const;
    at::Tensor outputProjection(std::int64_t firstRow, std::int64_t count) const;

    // Weights and biases of one block's FFN, and of the whole model (tied ones once).
    std::int64_t ffnParameters() const;
    std::int64_t modelParameters() const;

    // Whether the checkpoint has a language-model head, tied or of its own.
    bool hasOutputProjection() const;

  private:
    std::string name(Role role, std::int64_t block) const;
    bool present(Role role, std::int64_t block) const;
    const checkpoint::TensorView& weightView(Role role, std::int64_t block) const;
    std::vector<std::int64_t> shapeOf(Role role) const;
    Norm norm(Role role, std::int64_t block) const;
    Linear linear(std::initializer_list<Role> parts, std::int64_t block) const;
    Role outputRole() const;

    const checkpoint::Checkpoint& m_checkpoint;
    const Architecture& m_architecture;
    std::string m_prefix;
};

}  // namespace straightedge::model
