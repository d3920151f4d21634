// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QTest>
#include <algorithm>

#include "data/tiny_checkpoint.h"
#include "error.h"
#include "linearity/linear_profile.h"
#include "model/gradient.h"
#include "replacement/healing.h"

using namespace straightedge;
using namespace straightedge::replacement;

class TestHealing : public QObject {
    Q_OBJECT

    struct Model {
        std::unique_ptr<model::Decoder> decoder;
        text::Windows windows;
        at::Tensor hidden;  // before block 0
    };

    static Model open(const TinyCheckpoint& tiny) {
        Model model;
        const nlohmann::json expected = tiny.values();
        model.windows.length = expected["seq_len"];
        model.windows.ids = expected["ids"].get<std::vector<text::TokenId>>();
        model.windows.count = static_cast<std::int64_t>(model.windows.ids.size()) / model.windows.length;
        model.decoder = std::make_unique<model::Decoder>(checkpoint::Checkpoint::open(tiny.path()));
        model.hidden = model.decoder->embed(model.windows);
        return model;
    }

    // The FFN's rows and the stream behind it, for block 0.
    static std::pair<at::Tensor, at::Tensor> rowsOf(const Model& model) {
        model::Workspace workspace;
        const model::Block block = model.decoder->block(0, model.windows.length);
        at::Tensor hidden = model.hidden.clone(), x = at::empty_like(hidden), y = at::empty_like(hidden);
        block.attend(hidden, x, workspace);
        block.feedForward(x, y, workspace);
        return {x, y};
    }

    static int indexOf(const std::string& name) {
        return static_cast<int>(
            std::ranges::find_if(tinyCheckpoints, [&](const auto& tiny) { return tiny.name == name; }) -
            tinyCheckpoints.begin());
    }

  private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }  // small products; waiting for each other costs more

    void differentiableBlocksHaveTheSameNumbers_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < tinyCheckpoints.size(); ++i)
            QTest::newRow(tinyCheckpoints[i].name) << static_cast<int>(i);
    }
    void differentiableBlocksHaveTheSameNumbers() {
        QFETCH(int, index);
        const at::NoGradGuard noGradients;
        const Model model = open(tinyCheckpoints[static_cast<std::size_t>(index)]);
        const model::Architecture& architecture = model.decoder->architecture();
        model::Workspace workspace;
        at::Tensor hidden = model.hidden.clone(), x = at::empty_like(hidden), y = at::empty_like(hidden);
        for (std::int64_t i = 0; i < architecture.blocks; ++i) {
            const model::Block block = model.decoder->block(i, model.windows.length);
            const at::Tensor other = model::differentiableBlock(block, hidden);
            block.attend(hidden, x, workspace);
            block.feedForward(x, y, workspace);
            block.add(y, hidden);
            QVERIFY(at::allclose(other, hidden, 1e-5, 1e-5));
        }
        const model::WeightReader& reader = model.decoder->reader();
        if (!reader.hasOutputProjection())
            return;  // an encoder
        const at::Tensor targets = at::randint(architecture.vocabulary, {hidden.size(0)}, at::kLong);
        const at::Tensor loss =
            model::differentiableLoss(hidden, targets, reader.finalNorm(),
                                      reader.outputProjection(0, architecture.vocabulary), architecture);
        const double expected =
            model::LanguageHead(reader, architecture).losses(hidden, targets).mean().item<double>();
        QVERIFY(std::abs(loss.item<double>() - expected) < 1e-5);
    }

    void originalIsTheFfnItself() {
        for (const std::size_t index : {std::size_t{0}, std::size_t{1}, std::size_t{4}}) {
            const Model model = open(tinyCheckpoints[index]);
            const auto [x, y] = rowsOf(model);
            const Healer healer(*model.decoder, 0, model.windows, model.hidden);
            at::Tensor found = at::empty_like(y);
            const auto layer = healer.original();
            layer->forward(x, found);
            QVERIFY(at::allclose(found, y, 1e-5, 1e-5));
            QCOMPARE(layer->parameters(), model.decoder->reader().ffnParameters());
        }
    }

    // The same few steps by torch's autograd and Adam through everything, from the same start.
    void stepsAreThoseOfAutograd_data() {
        QTest::addColumn<int>("index");
        QTest::newRow("FFN joins the stream as it is") << 4;
        QTest::newRow("norm behind the FFN") << indexOf("gemma2");
    }
    void stepsAreThoseOfAutograd() {
        QFETCH(int, index);
        const Model model = open(tinyCheckpoints[static_cast<std::size_t>(index)]);
        const model::Architecture& architecture = model.decoder->architecture();
        const Healer healer(*model.decoder, 0, model.windows, model.hidden);
        const auto [x, y] = rowsOf(model);
        const auto layer = trainableAffine(linearity::linearProfile(x, y).fit);
        // All windows in each batch: their order cannot matter.
        const HealingSettings settings{.steps = 5, .batchWindows = model.windows.count, .learningRate = 1e-2};
        const HealingResult result = healer.heal(*layer, settings);

        torch::Tensor weight = layer->tensor("weight").clone().requires_grad_();
        torch::Tensor bias = layer->tensor("bias").clone().requires_grad_();
        torch::optim::Adam adam({weight, bias}, torch::optim::AdamOptions(1e-2));
        model::Workspace workspace;
        at::Tensor attended = model.hidden.clone(), in = at::empty_like(attended);
        const model::Block first = model.decoder->block(0, model.windows.length);
        first.attend(attended, in, workspace);
        const std::int64_t count = model.windows.count, length = model.windows.length;
        const at::Tensor targets = at::tensor(model.windows.ids, at::kInt)
                                       .to(at::kLong)
                                       .view({count, length})
                                       .narrow(1, 1, length - 1)
                                       .flatten();
        for (int step = 0; step < 5; ++step) {
            at::Tensor hidden = model::differentiableAdd(first, at::addmm(bias, in, weight.t()), attended);
            for (std::int64_t i = 1; i < architecture.blocks; ++i)
                hidden = model::differentiableBlock(model.decoder->block(i, length), hidden);
            const at::Tensor loss = model::differentiableLoss(
                hidden.view({count, length, -1}).narrow(1, 0, length - 1).flatten(0, 1), targets,
                model.decoder->reader().finalNorm(),
                model.decoder->reader().outputProjection(0, architecture.vocabulary), architecture);
            QVERIFY(std::abs(loss.item<double>() - result.losses[static_cast<std::size_t>(step)]) < 1e-5);
            adam.zero_grad();
            loss.backward();
            adam.step();
        }
        QVERIFY(at::allclose(result.layer->tensor("weight"), weight, 1e-3, 1e-4));
        QVERIFY(at::allclose(result.layer->tensor("bias"), bias, 1e-3, 1e-4));
    }

    void healingLowersTheLossAndTouchesNothingElse() {
        const c10::InferenceMode noGradients;  // as in a study
        const Model model = open(tinyCheckpoints[3]);
        const auto [x, y] = rowsOf(model);
        const at::Tensor hidden = model.hidden.clone();
        const Healer healer(*model.decoder, 0, model.windows, model.hidden);
        const auto line = trainableAffine(linearity::linearProfile(x, y).fit), original = healer.original();
        for (const TrainedLayer* layer : {line.get(), original.get()}) {
            const at::Tensor before = layer->flat().clone();
            const HealingSettings settings{
                .steps = 40, .batchWindows = model.windows.count, .learningRate = 1e-3};
            const HealingResult result = healer.heal(*layer, settings);
            QCOMPARE(result.losses.size(), 40);
            QVERIFY(result.losses.back() < result.losses.front() - 1e-3);
            QVERIFY(at::equal(layer->flat(), before));
            QVERIFY(!at::equal(result.layer->flat(), before));
            // Every other weight is what it was: the same layer heals again to the same digits.
            QCOMPARE(healer.heal(*layer, settings).losses, result.losses);
        }
        QVERIFY(at::equal(healer.original()->flat(), original->flat()));
        QVERIFY(at::equal(model.hidden, hidden));
    }

    void stopsWhereTheWatchThrows() {
        const Model model = open(tinyCheckpoints[0]);
        const Healer healer(*model.decoder, 0, model.windows, model.hidden);
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, healer.heal(*healer.original(), {}, [](std::int64_t, double) { throw Cancelled(); }));
    }
};

QTEST_GUILESS_MAIN(TestHealing)
#include "tst_healing.moc"
