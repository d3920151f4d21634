// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QTest>

#include "data/tiny_checkpoint.h"
#include "error.h"
#include "model/decoder.h"
#include "model/language_head.h"
#include "model/operators.h"

using namespace straightedge;

class TestDecoder : public QObject {
    Q_OBJECT

    struct Walk {
        at::Tensor hidden;
        std::unique_ptr<model::Decoder> decoder;
        nlohmann::json expected;
        text::Windows windows;
    };

    static Walk walk(const TinyCheckpoint& tiny) {
        Walk walk;
        walk.expected = tiny.values();
        walk.windows.length = walk.expected["seq_len"];
        walk.windows.ids = walk.expected["ids"].get<std::vector<text::TokenId>>();
        walk.windows.count = static_cast<std::int64_t>(walk.windows.ids.size()) / walk.windows.length;
        walk.decoder = std::make_unique<model::Decoder>(checkpoint::Checkpoint::open(tiny.path()));
        walk.hidden = walk.decoder->embed(walk.windows);
        model::Workspace workspace;
        at::Tensor x = at::empty_like(walk.hidden), y = at::empty_like(walk.hidden);
        for (std::int64_t i = 0; i < walk.decoder->architecture().blocks; ++i) {
            const model::Block block = walk.decoder->block(i, walk.windows.length);
            block.attend(walk.hidden, x, workspace);
            block.feedForward(x, y, workspace);
            block.add(y, walk.hidden);
        }
        return walk;
    }

    static void addCheckpoints() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < tinyCheckpoints.size(); ++i)
            QTest::newRow(tinyCheckpoints[i].name) << static_cast<int>(i);
    }

  private Q_SLOTS:
    void logitsAreThoseOfTransformers_data() { addCheckpoints(); }
    void logitsAreThoseOfTransformers() {
        QFETCH(int, index);
        const c10::InferenceMode noGradients;
        Walk run = walk(tinyCheckpoints[static_cast<std::size_t>(index)]);
        const std::int64_t d = run.hidden.size(1);
        const at::Tensor last =
            run.hidden.view({run.windows.count, run.windows.length, d}).select(1, -1).contiguous();
        // An encoder has no logits; its last hidden state takes their place.
        const bool predicts = run.expected.contains("logits");
        QCOMPARE(run.decoder->reader().whyNoPredictions().empty(), predicts);
        at::Tensor values = last;
        if (predicts)
            values = model::LanguageHead(run.decoder->reader(), run.decoder->architecture()).logits(last);
        const at::Tensor found = values.to(at::kDouble).flatten();
        const at::Tensor expected =
            at::tensor(run.expected[predicts ? "logits" : "hidden"].get<std::vector<double>>(), at::kDouble);
        QCOMPARE(found.numel(), expected.numel());
        QVERIFY2((found - expected).abs().max().item<double>() < 1e-3,
                 qPrintable(QString::number((found - expected).abs().max().item<double>())));
    }

    void packedProductsAreThePlainOnes() {
        const c10::InferenceMode noGradients;
        for (const bool biased : {false, true}) {
            model::Linear linear{at::randn({96, 40}), biased ? at::randn({96}) : at::Tensor()};
            const at::Tensor weight = linear.weight.clone(), in = at::randn({50, 40});
            at::Tensor out = at::empty({50, 96});
            const at::Tensor plain = model::project(in, linear, out).clone();
            QVERIFY(at::allclose(plain, at::linear(in, weight, linear.bias), 1e-5, 1e-5));
            model::pack(linear, 64);
            QVERIFY(at::allclose(model::project(in, linear, out), plain, 1e-5, 1e-5));
            QVERIFY(at::equal(model::unpacked(linear).weight, weight));
        }
    }

    void activationsAreTorchs() {
        using model::Activation;
        const c10::InferenceMode noGradients;
        const at::Tensor rows =
            at::cat({at::linspace(-100, 100, 800), at::zeros(2), at::randn(198)}).view({10, 100});
        const at::Tensor gate = rows.narrow(1, 0, 50), up = rows.narrow(1, 50, 50);
        const auto of = [](const at::Tensor& in, Activation activation) {
            return activation == Activation::Silu ? at::silu(in)
                   : activation == Activation::Relu
                       ? at::relu(in)
                       : at::gelu(in, activation == Activation::Gelu ? "none" : "tanh");
        };
        for (const Activation activation :
             {Activation::Gelu, Activation::GeluTanh, Activation::Relu, Activation::Silu}) {
            at::Tensor gated = at::empty({10, 50}), plain = rows.clone();
            model::activateRows(rows, activation, true, gated);
            model::activateRows(plain, activation, false, plain);
            QVERIFY(at::allclose(gated, of(gate, activation) * up, 1e-5, 1e-6));
            QVERIFY(at::allclose(plain, of(rows, activation), 1e-5, 1e-6));
        }
    }

    // The slices of the vocabulary and the running sum against torch's own loss over all logits at once.
    void lossesAreThoseOfAllLogits() {
        const c10::InferenceMode noGradients;
        Walk run = walk(tinyCheckpoints[3]);
        const model::LanguageHead head(run.decoder->reader(), run.decoder->architecture());
        const at::Tensor targets =
            at::randint(run.decoder->architecture().vocabulary, {run.hidden.size(0)}, at::kLong);
        const at::Tensor expected =
            at::cross_entropy_loss(head.logits(run.hidden).to(at::kDouble), targets, {}, at::Reduction::None);
        at::Tensor hidden = run.hidden.clone();
        const at::Tensor losses = head.losses(hidden, targets);
        QVERIFY((losses - expected).abs().max().item<double>() < 1e-4);
    }

    void lossesOfRowsThatAreNotFiniteAreNotNumbers() {
        const c10::InferenceMode noGradients;
        Walk run = walk(tinyCheckpoints[3]);
        const model::LanguageHead head(run.decoder->reader(), run.decoder->architecture());
        run.hidden[1][0] = std::numeric_limits<float>::infinity();
        const at::Tensor losses = head.losses(run.hidden, at::zeros({run.hidden.size(0)}, at::kLong));
        QVERIFY(std::isfinite(losses[0].item<double>()));
        QVERIFY(std::isnan(losses[1].item<double>()));
    }

    // What runs on other devices than the processor, which are not here, gives what the kernels give.
    void operatorsGiveWhatKernelsGive() {
        const c10::InferenceMode noGradients;
        const std::int64_t n = 24, d = 40, heads = 5, headDim = 8, seqLen = 12;
        const auto same = [](const at::Tensor& a, const at::Tensor& b) {
            return at::allclose(a, b, 1e-5, 1e-6);
        };
        const at::Tensor rows = at::randn({n, d}) * 3 + 0.5;
        const model::Norm norm{at::randn({d}), at::randn({d})};
        for (const auto kind : {model::NormKind::Rms, model::NormKind::Layer}) {
            at::Tensor found = at::empty_like(rows);
            model::normRows(rows, norm.weight, norm.bias, kind, 1e-5, found);
            QVERIFY(same(found, model::normed(rows, norm, kind, 1e-5)));
        }
        for (const auto activation : {model::Activation::Gelu, model::Activation::GeluTanh,
                                      model::Activation::Relu, model::Activation::Silu})
            for (const bool gated : {false, true}) {
                at::Tensor found = at::empty({n, gated ? d / 2 : d});
                model::activateRows(rows, activation, gated, found);
                QVERIFY(same(found, model::activated(rows, activation, gated)));
            }
        for (const auto pairs : {model::RotaryPairs::Halves, model::RotaryPairs::Neighbours}) {
            const model::RotaryTable table =
                model::rotaryTable({.inverseFrequencies = {1, 0.3F, 0.01F}}, seqLen);
            at::Tensor found = rows.clone();
            model::rotateRows(found, heads, headDim, seqLen, pairs, table);
            const at::Tensor all = rows.view({n / seqLen, seqLen, heads, headDim}).transpose(1, 2);
            QVERIFY(same(found, model::rotated(all, table, pairs).transpose(1, 2).reshape({n, d})));
        }
        const at::Tensor largest = at::full({n}, -std::numeric_limits<float>::infinity()),
                         sum = at::zeros({n}, at::kDouble);
        for (const at::Tensor& some : {rows.narrow(1, 0, 15), rows.narrow(1, 15, 25)})
            model::addToLogSums(some, largest, sum);
        for (std::int64_t row = 0; row < n; ++row) {
            float top = -std::numeric_limits<float>::infinity();
            double of = 0;
            model::addToLogSum({rows.const_data_ptr<float>() + row * d, static_cast<std::size_t>(d)}, top,
                               of);
            QCOMPARE(largest[row].item<float>(), top);
            QVERIFY(std::abs(sum[row].item<double>() / of - 1) < 1e-5);
        }
    }

    // Windows do not see one another, so that how many go through a block together must not matter.
    void windowsAreIndependent() {
        const c10::InferenceMode noGradients;
        const model::Decoder decoder(checkpoint::Checkpoint::open(tinyCheckpoints[1].path()));
        const nlohmann::json expected = tinyCheckpoints[1].values();
        text::Windows windows{2, 32, expected["ids"].get<std::vector<text::TokenId>>()};
        windows.ids.resize(64);
        at::Tensor both = decoder.embed(windows);
        at::Tensor second = both.narrow(0, 32, 32).clone();
        model::Workspace workspace;
        const model::Block block = decoder.block(0, 32);
        at::Tensor x = at::empty_like(both), alone = at::empty_like(second);
        block.attend(both, x, workspace);
        block.attend(second, alone, workspace);
        QVERIFY(at::allclose(x.narrow(0, 32, 32), alone, 1e-5, 1e-5));
    }

    void windowsLongerThanLearnedPositionsAreRefused() {
        const model::Decoder decoder(checkpoint::Checkpoint::open(tinyCheckpoints[0].path()));
        decoder.checkWindowLength(64);
        QVERIFY_THROWS_EXCEPTION(Error, decoder.checkWindowLength(65));
    }

    void idsBeyondTheVocabularyAreRefused() {
        const model::Decoder decoder(checkpoint::Checkpoint::open(tinyCheckpoints[0].path()));
        QVERIFY_THROWS_EXCEPTION(Error, decoder.embed(text::Windows{1, 2, {0, 384}}));
    }
};

QTEST_GUILESS_MAIN(TestDecoder)
#include "tst_decoder.moc"
