// SPDX-License-Identifier: GPL-3.0-or-later
#include "language_head.h"

#include <limits>

#include "error.h"
#include "operators.h"

namespace straightedge::model {

namespace {

constexpr std::int64_t sliceWords =
    2048;  // of the vocabulary: logits of a chunk of rows stay in the outer cache
constexpr std::int64_t chunkRows = 1024;

// What is known of rows' losses when part of the vocabulary has been seen.
struct Running {
    Running(std::int64_t n, at::Device device)
        : largest(
              at::full({n}, -std::numeric_limits<float>::infinity(), at::device(device).dtype(at::kFloat))),
          sum(at::zeros({n}, at::device(device).dtype(at::kDouble))),
          target(at::zeros({n}, at::device(device).dtype(at::kFloat))) {}

    // Logits [rows, words] of the rows from `first` on, and of the words from `firstWord` on.
    void add(const at::Tensor& logits, std::int64_t first, std::int64_t firstWord,
             const at::Tensor& targets) {
        if (!logits.is_cpu())
            return addByOperators(logits, first, firstWord, targets);
        const std::int64_t* wanted = targets.const_data_ptr<std::int64_t>();
        const std::int64_t words = logits.size(1), stride = logits.stride(0);
        const float* data = logits.const_data_ptr<float>();
        float* largestAt = largest.mutable_data_ptr<float>() + first;
        double* sumAt = sum.mutable_data_ptr<double>() + first;
        float* targetAt = target.mutable_data_ptr<float>() + first;
        at::parallel_for(0, logits.size(0), 8, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t r = begin; r < end; ++r) {
                const float* row = data + r * stride;
                addToLogSum({row, static_cast<std::size_t>(words)}, largestAt[r], sumAt[r]);
                if (const std::int64_t word = wanted[first + r] - firstWord; word >= 0 && word < words)
                    targetAt[r] = row[word];
            }
        });
    }

    void addByOperators(const at::Tensor& logits, std::int64_t first, std::int64_t firstWord,
                        const at::Tensor& targets) {
        const std::int64_t rows = logits.size(0), words = logits.size(1);
        addToLogSums(logits, largest.narrow(0, first, rows), sum.narrow(0, first, rows));
        const at::Tensor word = targets.narrow(0, first, rows) - firstWord;
        const at::Tensor here = word.ge(0).logical_and(word < words);
        const at::Tensor found = logits.gather(1, word.clamp(0, words - 1).unsqueeze(1)).squeeze(1);
        const at::Tensor wanted = target.narrow(0, first, rows);
        wanted.copy_(at::where(here, found, wanted));
    }

    at::Tensor losses(const at::Tensor& hidden) const {
        const at::Tensor usable = at::isfinite(hidden).all(1).logical_and_(at::isfinite(largest));
        return (sum.log() + largest - target)
            .masked_fill_(usable.logical_not_(), std::numeric_limits<double>::quiet_NaN())
            .cpu();
    }

    at::Tensor largest;
    at::Tensor sum;  // of exp(logit - largest)
    at::Tensor target;
};

}  // namespace

LanguageHead::LanguageHead(const WeightReader& reader, const Architecture& architecture, at::Device device)
    : m_reader(reader), m_architecture(architecture), m_device(device) {
    if (const std::string why = reader.whyNoPredictions(); !why.empty())
        throw Error({.what = why, .advice = "it can be measured without perplexity"});
    m_finalNorm = reader.finalNorm().on(device);
}

Linear LanguageHead::projection(std::int64_t firstRow, std::int64_t count) const {
    return m_reader.outputProjection(firstRow, count).on(m_device);
}

void LanguageHead::normInPlace(at::Tensor& hidden) const {
    normRows(hidden, m_finalNorm.weight, m_finalNorm.bias, m_architecture.family->norm,
             m_architecture.normEps, hidden);
}

void LanguageHead::cap(at::Tensor& logits) const {
    if (const double most = m_architecture.logitCap; most > 0)
        logits.div_(most).tanh_().mul_(most);
}

at::Tensor LanguageHead::logits(const at::Tensor& hidden) const {
    at::Tensor normed = hidden.to(m_device, at::kFloat, /*non_blocking=*/false, /*copy=*/true);
    normInPlace(normed);
    at::Tensor logits = project(normed, projection(0, m_architecture.vocabulary),
                                at::empty({hidden.size(0), m_architecture.vocabulary}, normed.options()));
    cap(logits);
    return logits.cpu();
}

at::Tensor LanguageHead::losses(at::Tensor& hidden, const at::Tensor& targets) const {
    return losses({&hidden, 1}, targets, [](double) {}).front();
}

std::vector<at::Tensor> LanguageHead::losses(std::span<at::Tensor> states, const at::Tensor& targets,
                                             const Tick& tick) const {
    const std::int64_t n = targets.size(0), vocabulary = m_architecture.vocabulary;
    const at::Tensor wanted = targets.to(m_device);
    std::vector<Running> running;
    for (at::Tensor& hidden : states) {
        hidden = hidden.to(m_device);
        normInPlace(hidden);
        running.emplace_back(n, m_device);
    }
    at::Tensor buffer =
        at::empty({std::min(chunkRows, n) * sliceWords}, at::device(m_device).dtype(at::kFloat));
    for (std::int64_t first = 0; first < vocabulary; first += sliceWords) {
        const std::int64_t words = std::min(sliceWords, vocabulary - first);
        Linear slice = projection(first, words);
        pack(slice, chunkRows);
        for (std::size_t state = 0; state < states.size(); ++state) {
            for (std::int64_t row = 0; row < n; row += chunkRows) {
                const std::int64_t rows = std::min(chunkRows, n - row);
                at::Tensor logits = project(states[state].narrow(0, row, rows), slice,
                                            buffer.narrow(0, 0, rows * words).view({rows, words}));
                cap(logits);
                running[state].add(logits, row, first, wanted);
            }
            tick(static_cast<double>(words) / static_cast<double>(vocabulary) /
                 static_cast<double>(states.size()));
        }
    }
    std::vector<at::Tensor> losses;
    for (std::size_t state = 0; state < states.size(); ++state)
        losses.push_back(running[state].losses(states[state]));
    return losses;
}

}  // namespace straightedge::model
