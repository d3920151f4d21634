// SPDX-License-Identifier: GPL-3.0-or-later
#include "estimate.h"

#include <torch/torch.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>

#include "linearity/linear_profile.h"
#include "model/decoder.h"
#include "study/export/number_text.h"
#include "study/store/rows_file.h"
#include "study/threads.h"

namespace straightedge::study {

namespace {

// What the kernel says programs can still have; Linux only.
std::int64_t freeMemory() {
    std::ifstream file("/proc/meminfo");
    std::string name, rest;
    std::int64_t kilobytes = 0;
    while (file >> name >> kilobytes && std::getline(file, rest))
        if (name == "MemAvailable:")
            return kilobytes * 1024;
    return 0;
}

// Multiplications with an addition a second: the best of a few products of the shapes that the sweep is made
// of.
double measuredRate(int threads) {
    const c10::InferenceMode noGradients;
    useThreads(threads);
    const at::Tensor a = at::ones({1024, 1024}, at::kFloat), b = at::ones({1024, 2048}, at::kFloat);
    at::Tensor c = at::empty({1024, 2048}, at::kFloat);
    double best = 0;
    for (int i = 0; i < 4; ++i) {
        const auto began = std::chrono::steady_clock::now();
        at::mm_out(c, a, b);
        const double seconds =
            std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
        best = std::max(best, 1024.0 * 1024 * 2048 / seconds);
    }
    return best;
}

std::string gigabytes(std::int64_t bytes) {
    return fixed(static_cast<double>(bytes) / 1e9, bytes < 10'000'000'000 ? 1 : 0) + " GB";
}

std::string duration(double seconds) {
    if (seconds < 90)
        return std::to_string(std::lround(seconds)) + " s";
    if (seconds < 5400)
        return std::to_string(std::lround(seconds / 60)) + " min";
    return fixed(seconds / 3600, 1) + " h";
}

std::int64_t freeOnDisk(std::filesystem::path folder) {
    std::error_code failure;
    while (!folder.empty() && !std::filesystem::exists(folder, failure) && folder != folder.parent_path())
        folder = folder.parent_path();
    const auto space = std::filesystem::space(folder, failure);
    return failure ? 0 : static_cast<std::int64_t>(space.available);
}

}  // namespace

std::string Estimate::text() const {
    std::string text = "about " + duration(seconds) + " and " + gigabytes(memory) + " of memory";
    if (disk > 1'000'000'000)
        text += ", " + gigabytes(disk) + " of disk while it runs";
    if (memoryFree > 0 && memory > memoryFree)
        text +=
            "; only " + gigabytes(memoryFree) +
            " of memory are free: it will probably not fit. Measure fewer tokens, or fewer blocks, or leave "
            "out ceilings and healing";
    if (diskFree > 0 && disk > diskFree)
        text +=
            "; only " + gigabytes(diskFree) +
            " of disk are free: the run will go on in memory and cannot be resumed. Let STRAIGHTEDGE_STORE "
            "name a folder with more room";
    return text;
}

Estimate estimateOf(const StudyCost& cost, const StudySettings& settings, const RunShape& shape,
                    const std::filesystem::path& onDisk) {
    const WorkPlan plan = planWork(cost, settings, shape);
    static const double productsPerSecond = measuredRate(settings.threads);  // a tenth of a second
    constexpr double single = sizeof(float), twice = sizeof(double);
    const double n = cost.rows, d = cost.width,
                 tail = n - static_cast<double>(linearity::headRows(static_cast<std::int64_t>(n)));
    // The program and its libraries, a block's weights as read and as packed for the products, the moments
    // and their solution; and the rows of its FFN, where they are not many enough to lie on the disk.
    double memory = 250e6 + 2 * cost.blockParameters * single + 8 * d * d * twice;
    const double rows = 2 * n * d * single;
    double states = n * d * single;
    if (shape.evaluationRows > 0)
        states +=
            (plan.variants * shape.evaluationRows + (settings.balanced ? plan.choices * shape.tailRows : 0)) *
            d * single;
    if (onDisk.empty())
        memory += states + 2 * shape.evaluationRows * d * single;
    if (onDisk.empty() || rows < 2 * manyBytes)
        memory += rows;
    if (!shape.residual.empty() && !settings.ceilings.empty()) {
        const double head = n - tail;
        memory += std::min(head * head * twice, 2.2e9) + 4 * n * d * twice;
    }
    if (!shape.residual.empty() && settings.heal && shape.evaluationRows > 0)
        memory += (static_cast<double>(cost.blocks - shape.residual.front()) * cost.blockParameters +
                   2 * cost.headParameters) *
                  single;

    Estimate estimate;
    // Measured: products reach two thirds of the best there is, and a quarter goes to everything between.
    constexpr double share = 0.6;
    estimate.seconds = 1 + plan.total * cost.blockParameters / (share * productsPerSecond);
    estimate.memory = static_cast<std::int64_t>(memory);
    estimate.memoryFree = freeMemory();
    if (!onDisk.empty()) {
        estimate.disk = static_cast<std::int64_t>(3 * states + (rows < 2 * manyBytes ? 0 : rows));
        estimate.diskFree = freeOnDisk(onDisk);
    }
    return estimate;
}

Estimate estimate(const StudySettings& settings, const std::filesystem::path& onDisk) {
    const model::Decoder decoder(checkpoint::Checkpoint::open(settings.model));
    const model::Architecture& architecture = decoder.architecture();
    const auto blocks = static_cast<int>(architecture.blocks);
    const std::int64_t rows = settings.tokens / settings.seqLen * settings.seqLen;
    RunShape shape{.wanted = settings.blocks.resolve(blocks),
                   .residual = settings.residualBlocks.resolve(blocks)};
    if (settings.perplexity && decoder.reader().hasOutputProjection()) {
        shape.evaluationRows =
            static_cast<double>(settings.evaluationBatches * StudySettings::batchWindows * settings.seqLen);
        if (settings.balanced)
            shape.tailRows = static_cast<double>(rows - linearity::headRows(rows));
    }
    return estimateOf(costOf(architecture, decoder.reader().ffnParameters(), rows, settings.seqLen), settings,
                      shape, onDisk);
}

StudyCost costOf(const model::Architecture& m, std::int64_t ffnParameters, std::int64_t rows,
                 std::int64_t seqLen) {
    const auto width = static_cast<double>(m.width);
    const double attention = width * static_cast<double>((2 * m.heads + 2 * m.kvHeads) * m.headDim);
    return {.rows = static_cast<double>(rows),
            .width = width,
            .blockParameters = attention + static_cast<double>(ffnParameters),
            .headParameters = width * static_cast<double>(m.vocabulary),
            .batchRows = static_cast<double>(StudySettings::batchWindows * seqLen),
            .blocks = static_cast<int>(m.blocks)};
}

}  // namespace straightedge::study
