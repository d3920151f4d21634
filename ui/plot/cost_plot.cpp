// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost_plot.h"

#include <algorithm>

#include "blocks/swap_text.h"
#include "hover_text.h"
#include "score_ticker.h"
#include "style/format.h"
#include "symlog.h"

namespace straightedge::ui {

namespace {

using study::ReplacementKind;

// Shape and shade tell the replacement: the more a map is freed from the massive rows, the lighter.
void shape(CurveLook& look, ReplacementKind kind) {
    switch (kind) {
        case ReplacementKind::Linear:
            look.marker = Marker::Disc;
            break;
        case ReplacementKind::BalancedHalf:
        case ReplacementKind::BalancedFourFifths:
            look.marker = Marker::Square;
            look.fill = 0.45;
            break;
        case ReplacementKind::Switched:
            look.marker = Marker::Diamond;
            look.fill = 0;
            break;
        case ReplacementKind::Bilinear:
            look.marker = Marker::Triangle;
            look.fill = 0;
            break;
        case ReplacementKind::Dense2x:
            look.marker = Marker::TriangleDown;
            look.fill = 0;
            break;
        case ReplacementKind::Poly2x:
            look.marker = Marker::Cross;
            break;
        case ReplacementKind::Original:
            break;
    }
}

// The published map, the balanced one that is kept (where none was chosen, all), the switched one, trained
// ones.
bool isShown(const study::BlockResult& block, const study::ReplacementResult& swap) {
    if (swap.kind == ReplacementKind::Original)
        return false;
    if (swap.kept ||
        (swap.kind != ReplacementKind::BalancedHalf && swap.kind != ReplacementKind::BalancedFourFifths))
        return true;
    return std::ranges::none_of(block.replacements, &study::ReplacementResult::kept);
}

}  // namespace

CostPlot::CostPlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent)
    : RunPlot(runs, selection, std::move(style), parent), m_points(new CostPoints(*this)) {
    setAccessibleName(tr("Swap cost: ΔPPL over R²"));
    begin();
}

std::unique_ptr<RunPlot> CostPlot::sameFor(RunList& runs, PointSelection& selection, PlotStyle style) const {
    auto made = std::make_unique<CostPlot>(runs, selection, std::move(style));
    made->setScore(score());
    return made;
}

const std::vector<CostPoint>& CostPlot::points(RunId run) const {
    static const std::vector<CostPoint> none;
    const auto found = m_points->points().find(run);
    return found == m_points->points().end() ? none : found->second;
}

QString CostPlot::hoverText(PointId point, int part) const {
    const RunEntry* entry = runs().find(point.run);
    const study::BlockResult* block = entry ? entry->block(point.block) : nullptr;
    return block ? costCard(*entry, *block, static_cast<ReplacementKind>(part), style().colours) : QString();
}

CurveLook CostPlot::lookOf(const RunEntry& entry) const {
    CurveLook look = RunPlot::lookOf(entry);
    look.marker = Marker::Disc;
    look.line = false;
    return look;
}

std::vector<RunPlot::Spot> CostPlot::rebuild(const RunEntry& entry) {
    std::vector<CostPoint> points;
    std::vector<Spot> spots;
    for (const study::BlockResult& block : entry.run.blocks) {
        const auto r2 = block.values[metricOf(score())];
        if (!r2 || !entry.visible)
            continue;
        for (const study::CompressionRow& row : rowsOf(entry, block)) {
            const study::ReplacementResult& swap = row.replacement;
            if (!swap.dppl || !isShown(block, swap))
                continue;
            const bool linear = swap.kind == ReplacementKind::Linear;
            CostPoint point{.block = block.block,
                            .key = *r2,
                            .value = symlog(*swap.dppl),
                            .low = symlog(*swap.dppl - swap.dpplSe.value_or(0)),
                            .high = symlog(*swap.dppl + swap.dpplSe.value_or(0)),
                            .look = lookOf(entry),
                            .ringed = linear && score() != Score::Typical && peakIsMassive(block.values),
                            .named = linear && !study::costlyReason(row).empty()};
            shape(point.look, swap.kind);
            spots.push_back({{entry.id, block.block}, static_cast<int>(swap.kind), point.key, point.value});
            points.push_back(std::move(point));
        }
    }
    m_points->set(entry.id, std::move(points));
    return spots;
}

void CostPlot::drop(RunId run) {
    m_points->drop(run);
}

std::vector<RunLegend::Key> CostPlot::legendKeys() const {
    bool balanced = false, switched = false, rings = false;
    bool bilinear = false, dense = false, poly = false;
    for (const auto& [run, points] : m_points->points())
        for (const CostPoint& point : points) {
            balanced = balanced || point.look.marker == Marker::Square;
            switched = switched || point.look.marker == Marker::Diamond;
            bilinear = bilinear || point.look.marker == Marker::Triangle;
            dense = dense || point.look.marker == Marker::TriangleDown;
            poly = poly || point.look.marker == Marker::Cross;
            rings = rings || point.ringed;
        }
    std::vector<RunLegend::Key> keys;
    const auto add = [&](const QString& text, ReplacementKind kind) {
        CurveLook look{.colour = style().colours.text,
                       .background = style().colours.base,
                       .line = false,
                       .markerSize = style().markerSize};
        shape(look, kind);
        keys.push_back({text, look});
    };
    if (balanced || switched || bilinear || dense || poly)
        add(tr("linear, published"), ReplacementKind::Linear);
    if (balanced)
        add(tr("balanced, kept"), ReplacementKind::BalancedHalf);
    if (switched)
        add(tr("switched"), ReplacementKind::Switched);
    if (bilinear)
        add(tr("bilinear, trained"), ReplacementKind::Bilinear);
    if (dense)
        add(tr("dense ×2, trained"), ReplacementKind::Dense2x);
    if (poly)
        add(tr("bilinear ×2, trained"), ReplacementKind::Poly2x);
    if (rings)
        keys.push_back(RunLegend::ringKey());
    return keys;
}

void CostPlot::scaleAxes() {
    m_points->setInk(style().font, style().colours.text);
    xAxis->setLabel(toQString(study::info(metricOf(score())).title));
    xAxis->setTicker(QSharedPointer<ScoreTicker>::create());
    xAxis->setSubTicks(false);
    yAxis->setLabel(tr("ΔPPL, swapped − base"));
    yAxis->setTicker(QSharedPointer<SymlogTicker>::create());
}

void CostPlot::fitAxes() {
    double left = 0.9, right = 1, low = 0, high = symlog(1);
    for (const auto& [run, points] : m_points->points())
        for (const CostPoint& point : points) {
            left = std::min(left, point.key);
            right = std::max(right, point.key);
            low = std::min(low, point.low);
            high = std::max(high, point.high);
        }
    if (!hasSpots())
        left = 0;
    const double side = 0.035 * (right - left), margin = 0.06 * (high - low);
    xAxis->setRange(left - side, right + side);
    yAxis->setRange(low - margin, high + margin);
}

QString CostPlot::emptyText() const {
    return score() == Score::Published
               ? tr("Perplexity is not measured for any visible run.\nCheck “Perplexity” on the left and "
                    "measure: R² alone does not tell what a swap costs.")
               : tr("No visible run has this score and its perplexity.");
}

}  // namespace straightedge::ui
