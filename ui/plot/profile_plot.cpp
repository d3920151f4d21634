// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_plot.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "hover_text.h"
#include "score_ticker.h"
#include "style/format.h"

namespace straightedge::ui {

ProfilePlot::ProfilePlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent)
    : RunPlot(runs, selection, std::move(style), parent),
      m_curves(new ProfileCurves(*this)),
      m_errors(new ErrorBars(*this)),
      m_stack(new StackBars(*this)) {
    setAccessibleName(tr("Profile: R² over block"));
    connect(&selection, &PointSelection::changed, this, [this] {
        if (m_stacked && runToStack() != m_stackedRun)
            rescale();
    });
    xAxis->setTicker(QSharedPointer<BlockTicker>::create());
    xAxis->setLabel(tr("block"));
    connect(yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), yAxis2,
            qOverload<const QCPRange&>(&QCPAxis::setRange));
    begin();
}

std::unique_ptr<RunPlot> ProfilePlot::sameFor(RunList& runs, PointSelection& selection,
                                              PlotStyle style) const {
    auto made = std::make_unique<ProfilePlot>(runs, selection, std::move(style));
    made->setScore(score());
    made->setLog(m_log);
    made->setShowsFolds(m_showsFolds);
    made->setStacked(m_stacked);
    return made;
}

QString ProfilePlot::hoverText(PointId point, int) const {
    const RunEntry* entry = runs().find(point.run);
    const study::BlockResult* block = entry ? entry->block(point.block) : nullptr;
    return block ? profileCard(*entry, *block, metricOf(score()), style().colours) : QString();
}

double ProfilePlot::yOf(const study::BlockResult& block) const {
    const auto value = block.values[metricOf(score())];
    if (!value || (m_log && *value >= 1))
        return std::numeric_limits<double>::quiet_NaN();
    return m_log ? 1 - *value : *value;
}

std::vector<RunPlot::Spot> ProfilePlot::rebuild(const RunEntry& entry) {
    ProfileCurve curve{.look = lookOf(entry),
                       .ring = style().colours.text,
                       .visible = entry.visible && !m_stacked,
                       .points = {}};
    if (m_stacked) {
        m_curves->set(entry.id, std::move(curve));
        m_errors->set(entry.id, {}, {});
        return stackedSpots(entry);
    }
    std::vector<Spot> spots;
    for (const study::BlockResult& block : entry.run.blocks) {
        const double y = yOf(block);
        curve.points.push_back(
            {block.block, y, score() != Score::Typical && study::peakIsMassive(block.values)});
        if (!std::isnan(y))
            spots.push_back({{entry.id, block.block}, 0, static_cast<double>(block.block), y});
    }
    m_curves->set(entry.id, std::move(curve));
    m_errors->set(entry.id, entry.visible && m_showsFolds ? errorsOf(entry) : std::vector<ErrorBar>(),
                  lookOf(entry).colour);
    return spots;
}

std::vector<RunPlot::Spot> ProfilePlot::stackedSpots(const RunEntry& entry) {
    std::vector<Spot> spots;
    if (entry.id != m_stackedRun)
        return spots;
    const std::vector<Stack> stacks = stacksOf(entry);
    for (const Stack& stack : stacks)
        spots.push_back({{entry.id, stack.block}, 0, static_cast<double>(stack.block), stack.top()});
    m_stack->setColours(lookOf(entry).colour, style().colours.base);
    m_stack->set(stacks);
    return spots;
}

double ProfilePlot::toAxis(double score) const {
    return m_log ? std::max(1 - score, 1e-12) : score;
}

std::vector<ErrorBar> ProfilePlot::errorsOf(const RunEntry& entry) const {
    std::vector<ErrorBar> bars;
    for (const study::BlockResult& block : entry.run.blocks) {
        const auto mean = block.values[study::Metric::KfoldMean],
                   deviation = block.values[study::Metric::KfoldStd];
        if (mean && deviation)
            bars.push_back(
                {block.block + 0.16, toAxis(*mean), toAxis(*mean - *deviation), toAxis(*mean + *deviation)});
    }
    return bars;
}

std::vector<Stack> ProfilePlot::stacksOf(const RunEntry& entry) const {
    using study::Metric;
    const bool typical = score() == Score::Typical, centred = score() == Score::Centred;
    std::vector<Stack> stacks;
    for (const study::BlockResult& block : entry.run.blocks)
        if (const auto line = block.values[metricOf(score())]) {
            Stack stack{.block = block.block, .line = *line, .degree2 = {}, .degree3 = {}};
            // There is no ceiling around each feature's own mean.
            if (!centred) {
                stack.degree2 = block.values[typical ? Metric::R2Deg2Typical : Metric::R2Deg2];
                stack.degree3 = block.values[typical ? Metric::R2Deg3Typical : Metric::R2Deg3];
            }
            stacks.push_back(stack);
        }
    return stacks;
}

RunId ProfilePlot::runToStack() const {
    for (const PointId& point : selection().points())
        if (const RunEntry* entry = runs().find(point.run); entry && entry->visible)
            return point.run;
    RunId first = 0;
    for (int row = 0; row < runs().size(); ++row) {
        const RunEntry& entry = runs().at(row);
        if (!entry.visible || entry.run.blocks.empty())
            continue;
        if (std::ranges::any_of(entry.run.blocks, [](const auto& block) { return !block.ceilings.empty(); }))
            return entry.id;
        first = first == 0 ? entry.id : first;
    }
    return first;
}

// Which run is stacked may change with any news: then all are drawn anew.
void ProfilePlot::rebuilt() {
    if (!m_stacked || runToStack() == m_stackedRun)
        return;
    rescale();
    flush();
}

void ProfilePlot::drop(RunId run) {
    m_curves->drop(run);
    m_errors->drop(run);
}

std::vector<RunLegend::Key> ProfilePlot::legendKeys() const {
    std::vector<RunLegend::Key> keys;
    if (m_stacked) {
        const auto& stacks = m_stack->stacks();
        const auto add = [&](const QString& text, StackBars::Layer layer) {
            keys.push_back({text, CurveLook{.colour = m_stack->colour(layer),
                                            .background = style().colours.base,
                                            .marker = Marker::Square,
                                            .line = false,
                                            .markerSize = 12}});
        };
        const auto left = [](const Stack& stack) { return stack.hasCeiling(); };
        if (std::ranges::any_of(stacks, left))
            add(tr("left"), StackBars::Left);
        if (std::ranges::any_of(stacks, [](const Stack& stack) { return stack.degree3.has_value(); }))
            add(tr("degree 3, on top"), StackBars::Degree3);
        if (std::ranges::any_of(stacks, [](const Stack& stack) { return stack.degree2.has_value(); }))
            add(tr("degree 2, on top"), StackBars::Degree2);
        if (!stacks.empty())
            add(tr("the line"), StackBars::Line);
        return keys;
    }
    if (m_curves->any(&ProfileCurve::hasRings))
        keys.push_back(RunLegend::ringKey());
    if (!m_errors->isEmpty())
        keys.push_back({tr("folds: R² centred ± σ"), CurveLook{.colour = style().colours.text,
                                                               .background = style().colours.base,
                                                               .lineWidth = 1.2,
                                                               .markerSize = 0}});
    return keys;
}

void ProfilePlot::setShowsFolds(bool shows) {
    if (std::exchange(m_showsFolds, shows) == shows)
        return;
    rescale();
    Q_EMIT viewChanged();
}

void ProfilePlot::setStacked(bool stacked) {
    if (std::exchange(m_stacked, stacked) == stacked)
        return;
    fitWhatComes();
    rescale();
    Q_EMIT viewChanged();
}

void ProfilePlot::setLog(bool log) {
    if (std::exchange(m_log, log) == log)
        return;
    fitWhatComes();
    rescale();
    Q_EMIT viewChanged();
}

// Bars stand on zero, which a logarithmic axis does not have.
void ProfilePlot::scaleAxes() {
    const bool log = m_log && !m_stacked;
    m_stackedRun = m_stacked ? runToStack() : 0;
    m_stack->set({});
    const QString name = toQString(study::info(metricOf(score())).title);
    for (QCPAxis* axis : {yAxis, yAxis2}) {
        axis->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setRangeReversed(log);
        axis->setSubTicks(log);
    }
    yAxis->setLabel(log ? tr("1 − %1").arg(name) : name);
    yAxis2->setVisible(log);
    yAxis2->setTickLabels(log);
    if (log) {
        yAxis->setTicker(QSharedPointer<UnexplainedTicker>::create(UnexplainedTicker::Label::Unexplained));
        yAxis2->setTicker(QSharedPointer<UnexplainedTicker>::create(UnexplainedTicker::Label::Score));
        yAxis2->setLabel(name);
    } else {
        yAxis->setTicker(QSharedPointer<ScoreTicker>::create());
    }
}

void ProfilePlot::fitAxes() {
    int blocks = 1;
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (int row = 0; row < runs().size(); ++row) {
        const RunEntry& entry = runs().at(row);
        if (!entry.visible)
            continue;
        blocks = std::max(blocks, entry.run.header.modelBlocks);
        if (!entry.run.blocks.empty())
            blocks = std::max(blocks, entry.run.blocks.back().block + 1);
        for (const Spot& spot : spotsOf(entry.id)) {
            low = std::min(low, spot.value);
            high = std::max(high, spot.value);
        }
    }
    const double side = std::max(0.4, 0.012 * blocks);
    xAxis->setRange(-side, blocks - 1 + side);
    if (m_log && !m_stacked) {
        yAxis->setRange(std::min(low, 0.05) / 1.35, std::max(high, 1.0) * 1.12);
        return;
    }
    // The whole of 0 to 1 unless something lies below: profiles are compared, so their axis stays put.
    const double bottom = low < 0 ? low : 0;
    yAxis->setRange(bottom - 0.025 * (1 - bottom), std::max(high, 1.0) + 0.035 * (1 - bottom));
}

QString ProfilePlot::emptyText() const {
    const bool anyVisible = m_curves->any([](const ProfileCurve&) { return true; });
    return anyVisible && score() != Score::Published
               ? tr("No visible run has this score yet.\nThe published profiles give R² as "
                    "published and nothing else.")
               : tr("Nothing to show.");
}

}  // namespace straightedge::ui
