// SPDX-License-Identifier: GPL-3.0-or-later
// The parts of a measurement one by one, on rows and weights of chance, as a table or JSON.
// against_reference.py runs it.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <thread>

#include "checkpoint/checkpoint.h"
#include "error.h"
#include "linearity/linear_profile.h"
#include "model/projection.h"
#include "text/corpus.h"

using namespace straightedge;

namespace {

using Clock = std::chrono::steady_clock;

class Table {
  public:
    // Best of several times, and `work` (of `unit`) a second.
    void add(const std::string& part, double work, const std::string& unit,
             const std::function<void()>& once) {
        constexpr int most = 20;
        constexpr double enough = 1.5;  // seconds
        once();
        double best = 1e9, all = 0;
        for (int i = 0; i < most && all < enough; ++i) {
            const auto start = Clock::now();
            once();
            const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
            best = std::min(best, seconds);
            all += seconds;
        }
        m_rows.push_back({{"part", part}, {"ms", 1000 * best}, {"rate", work / best}, {"unit", unit + "/s"}});
        std::fprintf(stderr, "%-34s %9.2f ms  %8.1f %s/s\n", part.c_str(), 1000 * best, work / best,
                     unit.c_str());
    }
    const nlohmann::json& rows() const { return m_rows; }

  private:
    nlohmann::json m_rows = nlohmann::json::array();
};

void products(Table& table, std::int64_t width, std::int64_t hidden) {
    const at::Tensor a = at::randn({4096, 4096}), b = at::randn({4096, 4096});
    at::Tensor c = at::empty({4096, 4096});
    table.add("product 4096 x 4096, float32", 2 * std::pow(4.096, 3), "GFLOP",
              [&] { at::mm_out(c, a, b.t()); });
    model::Linear large{b, {}};
    model::pack(large, 1024);
    table.add("the same, weight packed", 2 * std::pow(4.096, 3), "GFLOP",
              [&] { c = model::project(a, large, c); });
    const at::Tensor d = at::randn({2048, 2048}, at::kDouble);
    table.add("product 2048 x 2048, float64", 2 * std::pow(2.048, 3), "GFLOP", [&] { d.mm(d); });
    const at::Tensor x = at::randn({1024, width});
    model::Linear linear{at::randn({hidden, width}), {}};
    const double work = 2e-9 * 1024 * static_cast<double>(width * hidden);
    at::Tensor y = at::empty({1024, hidden});
    table.add("1024 rows through a projection", work, "GFLOP", [&] { y = model::project(x, linear, y); });
    model::pack(linear, 1024);
    table.add("the same, weight packed", work, "GFLOP", [&] { y = model::project(x, linear, y); });
}

void fits(Table& table, std::int64_t rows, std::int64_t width) {
    const auto n = static_cast<double>(rows), d = static_cast<double>(width);
    const at::Tensor x = at::randn({rows, width}) * at::logspace(-2, 2, width, 10, at::kFloat);
    const at::Tensor y = at::tanh(x).mm(at::randn({width, width}));
    const at::Tensor shift = at::zeros({width}, at::kDouble);
    const double work = 1e-9 * n * d * d * 3;  // the cross products, and half of the symmetric ones
    const auto moments = [&](linearity::Products products) {
        linearity::Moments sums(shift, shift, products);
        sums.add(x, y);
        return sums;
    };
    table.add("moments, float64 products", work, "GFLOP", [&] { moments(linearity::Products::Double); });
    table.add("moments, float32 products", work, "GFLOP", [&] { moments(linearity::Products::Single); });
    const linearity::Moments sums = moments(linearity::Products::Single);
    table.add("solve", 1e-9 * d * d * d * (1.0 / 3 + 2), "GFLOP",
              [&] { linearity::solveAffine(sums, x, y); });
    const linearity::AffineFit fit = linearity::solveAffine(sums, x, y).fit;
    const at::Tensor predicted = fit.predictFast(x);
    table.add("predictions, float64", 2e-9 * n * d * d, "GFLOP", [&] { fit.predict(x); });
    table.add("predictions, float32", 2e-9 * n * d * d, "GFLOP", [&] { fit.predictFast(x); });
    table.add("scores", 1e-6 * n * d, "M values", [&] { linearity::score(y, predicted); });
    table.add("massive rows", 1e-6 * n * d, "M values",
              [&] { linearity::findMassiveRows(y, linearity::headRows(rows)); });
    table.add("whole profile", 1e-6 * n, "M rows", [&] { linearity::linearProfile(x, y); });
}

void dequantization(Table& table) {
    using checkpoint::DType;
    constexpr std::int64_t rows = 2048, length = 2048;
    std::vector<float> out(static_cast<std::size_t>(rows * length));
    for (const DType dtype : {DType::F16, DType::BF16, DType::Q4_0, DType::Q4_1, DType::Q5_1, DType::Q8_0,
                              DType::Q2_K, DType::Q3_K, DType::Q4_K, DType::Q5_K, DType::Q6_K}) {
        const auto layout = checkpoint::layoutOf(dtype);
        const std::vector<std::byte> bytes(
            static_cast<std::size_t>(rows * length / layout.elements * layout.bytes), std::byte{0x2A});
        const checkpoint::TensorView view{"bench", dtype, {rows, length}, bytes, {}};
        table.add("dequantize " + std::string(checkpoint::dtypeName(dtype)) + ", one thread",
                  1e-6 * rows * length, "M values", [&] { checkpoint::toFloat32(view, 0, rows, out); });
    }
}

void tokenizing(Table& table, const std::string& model, const std::string& corpus) {
    const auto files = checkpoint::Checkpoint::open(model);
    const auto tokenizer = files->format() == checkpoint::Format::Gguf
                               ? text::Tokenizer::fromGguf(files->metadata(), model)
                               : text::Tokenizer::fromFolder(model);
    const std::string text = text::readText(corpus);
    table.add("tokenize, one thread", 1e-6 * static_cast<double>(text.size()), "M characters",
              [&] { tokenizer->encode(text); });
}

}  // namespace

int main(int argc, char** argv) try {
    CLI::App app("Times the parts of a measurement");
    std::int64_t width = 576, hidden = 3072, rows = 14'976;
    int threads = static_cast<int>(std::thread::hardware_concurrency());
    std::string model, corpus, json;
    app.add_option("--width", width, "Features of a row")->capture_default_str();
    app.add_option("--hidden", hidden, "Outputs of the projection")->capture_default_str();
    app.add_option("--rows", rows, "Rows to fit")->capture_default_str();
    app.add_option("--threads", threads, "Threads to compute with");
    app.add_option("--model", model, "A GGUF file or Hugging Face folder, for its tokenizer");
    app.add_option("--corpus", corpus, "A text to tokenize");
    app.add_option("--json", json, "Write the table as JSON");
    CLI11_PARSE(app, argc, argv);
    const c10::InferenceMode noGradients;
    at::set_num_threads(threads);
    torch::manual_seed(0);

    Table table;
    products(table, width, hidden);
    fits(table, rows, width);
    dequantization(table);
    if (!model.empty() && !corpus.empty())
        tokenizing(table, model, corpus);
    if (!json.empty())
        std::ofstream(json) << table.rows().dump(1) << '\n';
} catch (const Error& error) {
    std::cerr << error.what() << '\n';
    return 2;
}
