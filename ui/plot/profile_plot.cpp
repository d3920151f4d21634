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
    : RunPlot(runs, selection, std::move(style), parent) {
    setAccessibleName(tr("Profile: R² over block"));
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
    ProfileCurve*& curve = m_curves[entry.id];
    if (!curve)
        curve = new ProfileCurve(*this, entry.id);
    std::vector<ProfilePoint> points;
    std::vector<Spot> spots;
    for (const study::BlockResult& block : entry.run.blocks) {
        const double y = yOf(block);
        points.push_back({block.block, y, score() != Score::Typical && study::peakIsMassive(block.values)});
        if (!std::isnan(y))
            spots.push_back({{entry.id, block.block}, 0, static_cast<double>(block.block), y});
    }
    curve->setLook(lookOf(entry), style().colours.text);
    curve->setPoints(points);
    curve->setVisible(entry.visible);
    return spots;
}

void ProfilePlot::drop(RunId run) {
    if (const auto found = m_curves.find(run); found != m_curves.end()) {
        removeGraph(found->second);
        m_curves.erase(found);
    }
}

std::vector<RunLegend::Key> ProfilePlot::legendKeys() const {
    const bool rings = std::ranges::any_of(
        m_curves, [](const auto& pair) { return pair.second->visible() && pair.second->hasRings(); });
    return rings ? std::vector{RunLegend::ringKey()} : std::vector<RunLegend::Key>();
}

void ProfilePlot::setLog(bool log) {
    if (std::exchange(m_log, log) == log)
        return;
    fitWhatComes();
    rescale();
    Q_EMIT viewChanged();
}

void ProfilePlot::scaleAxes() {
    const QString name = toQString(study::info(metricOf(score())).title);
    for (QCPAxis* axis : {yAxis, yAxis2}) {
        axis->setScaleType(m_log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
        axis->setRangeReversed(m_log);
        axis->setSubTicks(m_log);
    }
    yAxis->setLabel(m_log ? tr("1 − %1").arg(name) : name);
    yAxis2->setVisible(m_log);
    yAxis2->setTickLabels(m_log);
    if (m_log) {
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
    if (m_log) {
        yAxis->setRange(std::min(low, 0.05) / 1.35, std::max(high, 1.0) * 1.12);
        return;
    }
    // The whole of 0 to 1 unless something lies below: profiles are compared, so their axis stays put.
    const double bottom = low < 0 ? low : 0;
    yAxis->setRange(bottom - 0.025 * (1 - bottom), std::max(high, 1.0) + 0.035 * (1 - bottom));
}

ProfileCurve* ProfilePlot::curve(RunId run) const {
    const auto found = m_curves.find(run);
    return found == m_curves.end() ? nullptr : found->second;
}

QString ProfilePlot::emptyText() const {
    const bool anyVisible =
        std::ranges::any_of(m_curves, [](const auto& pair) { return pair.second->visible(); });
    return anyVisible && score() != Score::Published
               ? tr("No visible run has this score yet.\nThe published profiles give R² as "
                    "published and nothing else.")
               : tr("Nothing to show.");
}

}  // namespace straightedge::ui
