// SPDX-License-Identifier: GPL-3.0-or-later
#include "probes.h"

#include <cmath>
#include <limits>

#include "trainer.h"

namespace straightedge::replacement {

namespace {

constexpr std::int64_t scoreRows = 1024;

// R2 of a layer's output against target [n, e], with the total of what the target stands for.
double scoreOf(const TrainedLayer& layer, const at::Tensor& x, const at::Tensor& target, double total) {
    const std::int64_t n = x.size(0);
    at::Tensor buffer = at::empty({std::min(scoreRows, n), target.size(1)}, at::kFloat);
    double sse = 0;
    for (std::int64_t row = 0; row < n; row += scoreRows) {
        const std::int64_t count = std::min(scoreRows, n - row);
        at::Tensor errors = buffer.narrow(0, 0, count);
        layer.forward(x.narrow(0, row, count), errors);
        errors.sub_(target.narrow(0, row, count));
        sse += errors.square_().sum(at::kDouble).item<double>();
    }
    return 1 - sse / total;
}

// The mean of exp(s) over all gates of a layer.
std::optional<double> gateOf(const TrainedLayer& layer) {
    double sum = 0;
    std::int64_t count = 0;
    for (const auto& [name, tensor] : layer.tensors())
        if (name == "s" || name.ends_with(".s")) {
            sum += tensor.to(at::kDouble).exp().sum().item<double>();
            count += tensor.numel();
        }
    return count > 0 ? std::optional(sum / static_cast<double>(count)) : std::nullopt;
}

}  // namespace

ProbeSettings probeSettings(ProbeKind kind) {
    ProbeSettings settings{.kind = kind};
    if (kind == ProbeKind::TrainedLinear) {
        settings.steps = 3000;
        settings.scoreEvery = 100;
        settings.patience.reset();
    }
    return settings;
}

std::unique_ptr<TrainedLayer> probeLayer(const ProbeSettings& settings, std::int64_t in, std::int64_t out) {
    const auto polyLinear = [&](std::int64_t from) {
        return sumStage(affineStage(from, out), bilinearStage(from, out, settings.rank));
    };
    const auto make = [](TrainedLayer::Stages stages) {
        return std::make_unique<TrainedLayer>(std::move(stages));
    };
    switch (settings.kind) {
        case ProbeKind::TrainedLinear:
            return make({affineStage(in, out)});
        case ProbeKind::Bilinear:
            return make({bilinearStage(in, out, settings.rank)});
        case ProbeKind::Dense2x:
            return make({affineStage(in, out), activationStage(model::Activation::Gelu, false),
                         affineStage(out, out)});
        case ProbeKind::Poly2x:
            return make({polyLinear(in), polyLinear(out)});
    }
    TORCH_CHECK(false, "a probe without a layer");
}

ProbeResult trainProbe(const linearity::LinearProfile& profile, const at::Tensor& x, const at::Tensor& y,
                       const ProbeSettings& settings, const ProbeWatch& watch) {
    ProbeResult result;
    if (!profile.published.r2)
        return result;
    const bool frozenLine = settings.kind == ProbeKind::Bilinear;
    // The frozen line is taken off once for all rows: a step costs no more than the part that learns.
    const at::Tensor target = frozenLine ? (y.to(at::kDouble) - profile.fit.predict(x)).to(at::kFloat) : y;
    const std::int64_t head = profile.head, tail = profile.rows - head;
    const at::Tensor xHead = x.narrow(0, 0, head), targetHead = target.narrow(0, 0, head);
    const at::Tensor xTail = x.narrow(0, head, tail), targetTail = target.narrow(0, head, tail);
    const at::Tensor yTail = y.narrow(0, head, tail).to(at::kDouble);
    const double total = (yTail - yTail.mean()).square().sum().item<double>();

    at::Generator generator = at::detail::createCPUGenerator(settings.seed);
    const std::unique_ptr<TrainedLayer> layer = probeLayer(settings, x.size(1), y.size(1));
    layer->initialise(generator);
    Trainer trainer(*layer, settings.learningRate);
    at::Tensor best = layer->flat().clone();
    at::Tensor xBatch = at::empty({settings.batch, x.size(1)}, at::kFloat);
    at::Tensor targetBatch = at::empty({settings.batch, y.size(1)}, at::kFloat);

    double reference =
        -std::numeric_limits<double>::infinity();  // what a score has to be above to count as a gain
    int stale = 0;
    for (std::int64_t step = 1; step <= settings.steps; ++step) {
        const at::Tensor rows = at::randint(head, {settings.batch}, generator, at::kLong);
        at::index_select_out(xBatch, xHead, 0, rows);
        at::index_select_out(targetBatch, targetHead, 0, rows);
        trainer.fit(xBatch, targetBatch);
        if (watch.stepped)
            watch.stepped(step);
        if (step % settings.scoreEvery != 0 && step != settings.steps)
            continue;
        const ProbePoint point{step, scoreOf(*layer, xTail, targetTail, total)};
        result.curve.push_back(point);
        if (watch.scored)
            watch.scored(point);
        if (std::isfinite(point.r2) && (!result.r2 || point.r2 > *result.r2)) {
            result.r2 = point.r2;
            result.bestStep = step;
            best.copy_(layer->flat());
        }
        if (point.r2 > reference + settings.leastGain) {
            reference = point.r2;
            stale = 0;
        } else if (++stale; settings.patience && stale >= *settings.patience) {
            break;
        }
    }

    if (!result.r2)
        return result;  // it has diverged from the first score on
    layer->flat().copy_(best);
    result.layer = frozenLine ? withLine(profile.fit, *layer) : std::make_unique<TrainedLayer>(*layer);
    result.parameters = result.layer->parameters();
    result.gate = gateOf(*layer);
    result.gain = *result.r2 - *profile.published.r2;
    return result;
}

}  // namespace straightedge::replacement
