// SPDX-License-Identifier: GPL-3.0-or-later
#include "language_head.h"

#include <limits>

#include "error.h"
#include "kernels.h"

namespace straightedge::model {

namespace {

constexpr std::int64_t sliceWords =
    2048;  // of the vocabulary: logits of a chunk of rows stay in the outer cache
constexpr std::int64_t chunkRows = 512;

}  // namespace

LanguageHead::LanguageHead(const WeightReader& reader, const Architecture& architecture)
    : m_reader(reader), m_architecture(architecture) {
    if (!reader.hasOutputProjection())
        throw Error({.what = "the model has no language-model head",
                     .advice = "it can be measured without perplexity"});
    m_finalNorm = reader.finalNorm();
}

void LanguageHead::normInPlace(at::Tensor& hidden) const {
    normRows(hidden, m_finalNorm.weight, m_finalNorm.bias, m_architecture.family->norm,
             m_architecture.normEps, hidden);
}

at::Tensor LanguageHead::logits(const at::Tensor& hidden) const {
    at::Tensor normed = hidden.clone();
    normInPlace(normed);
    return normed.mm(m_reader.outputProjection(0, m_architecture.vocabulary).t());
}

at::Tensor LanguageHead::losses(at::Tensor& hidden, const at::Tensor& targets) const {
    normInPlace(hidden);
    const std::int64_t n = hidden.size(0), vocabulary = m_architecture.vocabulary;
    at::Tensor largest = at::full({n}, -std::numeric_limits<float>::infinity(), at::kFloat);
    at::Tensor sum = at::zeros({n}, at::kDouble);  // of exp(logit - largest)
    at::Tensor target = at::zeros({n}, at::kFloat);
    float* largestAt = largest.mutable_data_ptr<float>();
    double* sumAt = sum.mutable_data_ptr<double>();
    float* targetAt = target.mutable_data_ptr<float>();
    const std::int64_t* wanted = targets.const_data_ptr<std::int64_t>();

    at::Tensor buffer = at::empty({std::min(chunkRows, n), sliceWords}, at::kFloat);
    for (std::int64_t first = 0; first < vocabulary; first += sliceWords) {
        const std::int64_t words = std::min(sliceWords, vocabulary - first);
        const at::Tensor projection = m_reader.outputProjection(first, words);
        for (std::int64_t row = 0; row < n; row += chunkRows) {
            const std::int64_t rows = std::min(chunkRows, n - row);
            at::Tensor slice = buffer.narrow(0, 0, rows).narrow(1, 0, words);
            at::mm_out(slice, hidden.narrow(0, row, rows), projection.t());
            const float* logits = slice.const_data_ptr<float>();
            at::parallel_for(0, rows, 8, [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t r = begin; r < end; ++r)
                    addToLogSum({logits + r * sliceWords, static_cast<std::size_t>(words)},
                                largestAt[row + r], sumAt[row + r]);
            });
            for (std::int64_t r = 0; r < rows; ++r)
                if (const std::int64_t word = wanted[row + r] - first; word >= 0 && word < words)
                    targetAt[row + r] = logits[r * sliceWords + word];
        }
    }
    at::Tensor losses = sum.log_().add_(largest).sub_(target);
    const at::Tensor usable = at::isfinite(hidden).all(1).logical_and_(at::isfinite(largest));
    return losses.masked_fill_(usable.logical_not_(), std::numeric_limits<double>::quiet_NaN());
}

}  // namespace straightedge::model
