// SPDX-License-Identifier: GPL-3.0-or-later
// torch goes first: its headers do not bear Qt's macros.
#include <torch/torch.h>

#include <QTest>

#include "data/probe_rows.h"
#include "error.h"
#include "linearity/polynomial_ceiling.h"
#include "replacement/conjunction.h"
#include "replacement/probes.h"
#include "replacement/trainer.h"

using namespace straightedge;
using namespace straightedge::replacement;
using linearity::linearProfile;
using linearity::LinearProfile;

namespace {

const std::map<std::string, ProbeKind> kinds = {{"trained-linear", ProbeKind::TrainedLinear},
                                                {"bilinear", ProbeKind::Bilinear},
                                                {"dense2x", ProbeKind::Dense2x},
                                                {"poly2x", ProbeKind::Poly2x}};

double r2Of(const Layer& layer, const LinearProfile& profile, const at::Tensor& x, const at::Tensor& y) {
    const std::int64_t tail = profile.rows - profile.head;
    at::Tensor predicted = at::empty({tail, y.size(1)});
    layer.forward(x.narrow(0, profile.head, tail), predicted);
    return *linearity::score(y.narrow(0, profile.head, tail).to(at::kDouble), predicted.to(at::kDouble)).r2;
}

class Square : public Layer {
  public:
    std::unique_ptr<Layer> on(at::Device) const override { return std::make_unique<Square>(); }
    void forward(const at::Tensor& x, at::Tensor& y) const override { y.copy_(x.square()); }
    std::int64_t parameters() const override { return 0; }
    std::vector<std::pair<std::string, at::Tensor>> tensors() const override { return {}; }
};

// The product of the sums of both halves: nothing is left when either is taken away.
class ProductOfHalves : public Square {
  public:
    void forward(const at::Tensor& x, at::Tensor& y) const override {
        const std::int64_t half = x.size(1) / 2;
        y.copy_((x.narrow(1, 0, half).sum(1) * x.narrow(1, half, half).sum(1)).unsqueeze(1).expand_as(y));
    }
};

}  // namespace

class TestProbes : public QObject {
    Q_OBJECT

  private Q_SLOTS:
    void initTestCase() { at::set_num_threads(1); }  // small products; waiting for each other costs more

    void updatesAreThoseOfAutograd() {
        const nlohmann::json oracle = readProbeOracle("training.json");
        const at::Tensor x = floatRows(oracle["x"], oracle["n"]), y = floatRows(oracle["y"], oracle["n"]);
        const std::int64_t d = oracle["d"];
        for (const nlohmann::json& probe : oracle["probes"]) {
            const std::string name = probe["name"];
            const ProbeKind kind = kinds.at(name);
            const auto layer = probeLayer({.kind = kind, .rank = oracle["rank"]}, d, d);
            for (const auto& [of, tensor] : layer->tensors()) {
                const nlohmann::json& start = probe["before"][of];
                tensor.copy_(
                    floatRows(start["values"], 1).view(start["sizes"].get<std::vector<std::int64_t>>()));
            }
            at::Tensor target = y;
            if (kind == ProbeKind::Bilinear) {  // the frozen line, taken off once
                const auto line = [&](const char* of, std::int64_t rows) {
                    return floatRows(probe["before"][of]["values"], rows);
                };
                target = y - at::addmm(line("bias", 1), x, line("weight", d).t());
            }
            Trainer trainer(*layer, probe["rate"]);
            for (const nlohmann::json& batch : oracle["batches"]) {
                const at::Tensor rows = at::tensor(batch.get<std::vector<std::int64_t>>(), at::kLong);
                trainer.fit(x.index_select(0, rows), target.index_select(0, rows));
            }
            for (const auto& [of, tensor] : layer->tensors()) {
                const at::Tensor expected = floatRows(probe["after"][of], 1);
                const double off = (tensor.reshape({1, -1}) - expected).abs().max().item<double>();
                QVERIFY2(off < 2e-5,
                         qPrintable(QStringLiteral("%1, %2: off by %3")
                                        .arg(QString::fromStdString(name), QString::fromStdString(of))
                                        .arg(off)));
                const at::Tensor before = floatRows(probe["before"][of]["values"], 1);
                QVERIFY((expected - before).abs().max().item<double>() > 1e-2);
            }
        }
    }

    void anExactBilinearMapIsRecovered() {
        const c10::InferenceMode noGradients;  // as in a study
        at::manual_seed(0);
        const std::int64_t n = 6000, d = 16, rank = 4;
        const at::Tensor x = at::randn({n, d});
        const at::Tensor products = x.mm(at::randn({d, rank})) * x.mm(at::randn({d, rank})) / d;
        const at::Tensor y = x.mm(at::randn({d, d})) / 4 + products.mm(at::randn({rank, d})) + 0.5;
        const LinearProfile profile = linearProfile(x, y);
        QVERIFY(*profile.published.r2 < 0.9);
        std::vector<ProbePoint> seen;
        const ProbeResult result =
            trainProbe(profile, x, y, probeSettings(ProbeKind::Bilinear),
                       {.stepped = {}, .scored = [&](const ProbePoint& point) { seen.push_back(point); }});
        QVERIFY2(*result.r2 > 0.99, qPrintable(QString::number(*result.r2)));
        QCOMPARE(*result.gain, *result.r2 - *profile.published.r2);
        QCOMPARE(seen.size(), result.curve.size());
        QCOMPARE(seen.front().step, 200);
        QVERIFY(std::abs(r2Of(*result.layer, profile, x, y) - *result.r2) < 1e-5);
        QCOMPARE(result.parameters, d * d + d + 2 * 16 * d + 16 * d + d);
        QVERIFY(*result.gate > 0 && *result.gate != std::exp(-2));
        // The line inside is the closed form's, untouched.
        QVERIFY(at::equal(result.layer->tensor("weight"), profile.fit.weight.t().to(at::kFloat)));
        QVERIFY(at::equal(result.layer->tensor("bias"), profile.fit.bias.to(at::kFloat)));
    }

    void aFullQuadraticFormDefeatsTheProbeAndNotTheCeiling() {
        const c10::InferenceMode noGradients;
        at::manual_seed(0);
        const std::int64_t n = 3000, d = 20;
        const at::Tensor x = at::randn({n, d});
        const at::Tensor pairs = (x.unsqueeze(2) * x.unsqueeze(1)).view({n, d * d});
        const at::Tensor y = x.mm(at::randn({d, d})) + pairs.mm(at::randn({d * d, d})) / 3;
        const LinearProfile profile = linearProfile(x, y);
        const ProbeResult probe = trainProbe(profile, x, y, probeSettings(ProbeKind::Bilinear));
        const linearity::PolynomialCeiling ceiling =
            linearity::polynomialCeiling(x, y, profile.head, profile.fit, {}, {});
        QVERIFY2(*probe.r2 < 0.6, qPrintable(QString::number(*probe.r2)));
        QVERIFY2(*ceiling.r2 > 0.99, qPrintable(QString::number(*ceiling.r2)));
    }

    void publishedSizes() {
        const auto parameters = [](ProbeKind kind) {
            return probeLayer({.kind = kind}, 768, 768)->parameters();
        };
        QCOMPARE(parameters(ProbeKind::Bilinear) + 768 * 768 + 768, 628'224);
        QCOMPARE(parameters(ProbeKind::Dense2x), 1'181'184);
        QCOMPARE(parameters(ProbeKind::Poly2x), 1'256'448);
        QCOMPARE(parameters(ProbeKind::TrainedLinear), 590'592);
    }

    void startsAreTheProtocols() {
        const auto layer = probeLayer({.kind = ProbeKind::Bilinear}, 64, 48);
        at::Generator generator = at::detail::createCPUGenerator(1);
        layer->initialise(generator);
        const auto spread = [&](const char* name) { return layer->tensor(name).abs().max().item<double>(); };
        QVERIFY(spread("u") <= 1.0 / 8 && spread("u") > 0.9 / 8);
        QVERIFY(spread("v") <= 1.0 / 8 && spread("v") > 0.9 / 8);
        QVERIFY(spread("a") <= 1.0 / 4 && spread("a") > 0.9 / 4);
        QVERIFY(at::equal(layer->tensor("s"), at::full({48}, -2.0f)));
    }

    void trainingIsSeededAndRepeatable() {
        const ProbeRows rows = probeRows().front();
        for (const auto& [name, kind] : kinds) {
            ProbeSettings settings = probeSettings(kind);
            settings.steps = 60;
            settings.scoreEvery = 20;
            const ProbeResult once = trainProbe(rows.profile, rows.x, rows.y, settings);
            const ProbeResult again = trainProbe(rows.profile, rows.x, rows.y, settings);
            QVERIFY2(at::equal(once.layer->flat(), again.layer->flat()), name.c_str());
            QCOMPARE(once.curve.size(), 3);
            QVERIFY(std::abs(r2Of(*once.layer, rows.profile, rows.x, rows.y) - *once.r2) < 1e-5);
            settings.seed = 1;
            QVERIFY(!at::equal(once.layer->flat(),
                               trainProbe(rows.profile, rows.x, rows.y, settings).layer->flat()));
        }
    }

    // On ill-conditioned inputs a trained line stops short of the solved one, and never scores above it by
    // more than chance.
    void aTrainedLineComesShortOfTheClosedForm() {
        at::manual_seed(0);
        const at::Tensor scales = at::logspace(0, -3, 16);
        const at::Tensor x = at::randn({4000, 16}) * scales;
        const at::Tensor y = (x / scales).mm(at::randn({16, 16}));
        const LinearProfile profile = linearProfile(x, y);
        QVERIFY(*profile.published.r2 > 0.9999);
        ProbeSettings settings = probeSettings(ProbeKind::TrainedLinear);
        settings.steps = 1000;
        const ProbeResult result = trainProbe(profile, x, y, settings);
        QVERIFY(*result.r2 < 0.9);
        QCOMPARE(result.curve.size(), 10);
        QVERIFY(!result.gate);
    }

    void stopsEarlyWhereNothingIsGained() {
        at::manual_seed(0);
        const at::Tensor x = at::randn({1000, 6}), y = x.mm(at::randn({6, 6})) + at::randn({1000, 6});
        ProbeSettings settings = probeSettings(ProbeKind::Bilinear);
        settings.scoreEvery = 10;
        settings.leastGain = 1;  // no score can gain so much over the first
        const ProbeResult result = trainProbe(linearProfile(x, y), x, y, settings);
        QCOMPARE(result.curve.size(), 9);
    }

    void stopsWhereTheWatchThrows() {
        const ProbeRows rows = probeRows().front();
        std::int64_t last = 0;
        const ProbeWatch watch{.stepped =
                                   [&](std::int64_t step) {
                                       if ((last = step) == 7)
                                           throw Cancelled();
                                   },
                               .scored = {}};
        QVERIFY_THROWS_EXCEPTION(
            Cancelled, trainProbe(rows.profile, rows.x, rows.y, probeSettings(ProbeKind::Bilinear), watch));
        QCOMPARE(last, 7);
    }

    void constantOutputHasNoScore() {
        const at::Tensor x = at::randn({100, 4}), y = at::full({100, 4}, 0.5f);
        const ProbeResult result = trainProbe(linearProfile(x, y), x, y, probeSettings(ProbeKind::Bilinear));
        QVERIFY(!result.r2 && !result.gain && !result.layer && result.curve.empty());
    }

    void conjunctionIndexOfKnownMaps() {
        at::manual_seed(0);
        const at::Tensor x = at::randn({300, 8}), y = x.mm(at::randn({8, 8})) + 1;
        const LinearProfile profile = linearProfile(x, y);
        QVERIFY(conjunctionIndex(AffineLayer(profile.fit), x) < 1e-3);
        QVERIFY(conjunctionIndex(Square(), x) < 1e-5);  // additive, though not linear
        // Either half alone takes all away: drop_a = drop_b = drop_ab.
        QVERIFY(std::abs(conjunctionIndex(ProductOfHalves(), x.abs() + 0.1) - 1) < 1e-5);
    }
};

QTEST_GUILESS_MAIN(TestProbes)
#include "tst_probes.moc"
