// SPDX-License-Identifier: GPL-3.0-or-later
#include "curve_plot.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "plot/score_ticker.h"
#include "shown_blocks.h"
#include "study/export/export.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

using study::Metric;
using Kind = CurvePlot::Kind;
using Curve = CurvePlot::Curve;

// A spot's part names its curve and the place on it.
constexpr int placesPerCurve = 1 << 20;
constexpr Qt::PenStyle strokes[] = {Qt::SolidLine, Qt::DashLine, Qt::DotLine, Qt::DashDotLine};

void addPoints(Curve& curve, const std::vector<study::CurvePoint>& points) {
    for (const study::CurvePoint& point : points) {
        curve.x.push_back(static_cast<double>(point.step));
        curve.y.push_back(point.value);
    }
}

Curve rankCurve(const PointId& point, const study::BlockResult& block) {
    Curve curve{.block = point, .name = {}, .x = {}, .y = block.rankCurve, .look = {}};
    for (std::size_t k = 1; k <= curve.y.size(); ++k)
        curve.x.push_back(static_cast<double>(k));
    for (const auto& [metric, word] : {std::pair(Metric::Rank90, "90 %"), {Metric::Rank95, "95 %"}})
        if (const auto rank = block.values[metric];
            rank && *rank >= 1 && *rank <= static_cast<double>(curve.y.size()))
            curve.marks.emplace_back(static_cast<std::size_t>(*rank) - 1, QString::fromUtf8(word));
    return curve;
}

void addProbes(std::vector<Curve>& curves, const RunEntry& entry, const PointId& point,
               const study::BlockResult* block) {
    for (const study::ProbeInfo& info : study::probes()) {
        Curve curve{.block = point, .name = toQString(info.title), .x = {}, .y = {}, .look = {}};
        curve.look.fill = static_cast<int>(info.probe);
        if (block) {
            curve.level = block->values[Metric::R2Lin];
            for (const study::ProbeOutcome& outcome : block->probes)
                if (outcome.probe == info.probe)
                    addPoints(curve, outcome.curve);
        }
        if (const LiveCurve* live = entry.liveCurve(point.block, info.name, false); live && curve.x.empty())
            addPoints(curve, live->points);
        if (!curve.x.empty())
            curves.push_back(std::move(curve));
    }
}

void addHealing(std::vector<Curve>& curves, const RunEntry& entry, const PointId& point,
                const study::BlockResult* block) {
    for (const study::ReplacementInfo& info : study::replacements()) {
        Curve curve{.block = point, .name = toQString(info.title), .x = {}, .y = {}, .look = {}};
        curve.look.fill = static_cast<int>(info.kind);
        if (block)
            for (const study::ReplacementResult& swap : block->replacements)
                if (swap.kind == info.kind)
                    addPoints(curve, swap.healing);
        if (const LiveCurve* live = entry.liveCurve(point.block, info.name, true); live && curve.x.empty())
            addPoints(curve, live->points);
        if (!curve.x.empty())
            curves.push_back(std::move(curve));
    }
}

}  // namespace

std::vector<Curve> CurvePlot::curvesOf(Kind kind, const RunList& runs, const std::vector<PointId>& blocks) {
    std::vector<Curve> curves;
    for (const PointId& point : blocks) {
        const RunEntry* entry = runs.find(point.run);
        if (!entry)
            continue;
        const study::BlockResult* block = entry->block(point.block);
        if (kind == Kind::Training)
            addProbes(curves, *entry, point, block);
        else if (kind == Kind::Healing)
            addHealing(curves, *entry, point, block);
        else if (block && !block->rankCurve.empty())
            curves.push_back(rankCurve(point, *block));
    }
    return curves;
}

CurvePlot::CurvePlot(Kind kind, RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent)
    : RunPlot(runs, selection, std::move(style), parent), m_kind(kind), m_art(new LineArt(*this)) {
    const QString names[] = {tr("R² over rank"), tr("R² of probes over steps"),
                             tr("Loss of healing over steps")};
    setAccessibleName(names[static_cast<int>(kind)]);
    const auto followAll = [this] { follow(); };
    connect(&selection, &PointSelection::changed, this, followAll);
    for (const auto signal :
         {&RunList::added, &RunList::removed, &RunList::visibilityChanged, &RunList::blocksReset})
        connect(&runs, signal, this, followAll);
    connect(&runs, &RunList::blockAdded, this, [this](RunId id) { follow(id); });
    connect(&runs, &RunList::blockChanged, this, [this](RunId id) { follow(id); });
    connect(&runs, &RunList::curvesGrown, this, [this](RunId id) { follow(id); });
    m_blocks = shownBlocks(runs, selection);
    begin();
}

std::unique_ptr<RunPlot> CurvePlot::sameFor(RunList& runs, PointSelection& selection, PlotStyle style) const {
    return std::make_unique<CurvePlot>(m_kind, runs, selection, std::move(style));
}

// Other blocks than before are another picture, which is shown whole.
void CurvePlot::follow(RunId changed) {
    if (auto blocks = shownBlocks(runs(), selection()); blocks != m_blocks) {
        m_blocks = std::move(blocks);
        fitWhatComes();
        rescale();
    } else if (std::ranges::any_of(m_blocks, [&](const PointId& point) { return point.run == changed; })) {
        soon(changed);
    }
}

// One block: a colour for each kind of layer. Several: a colour for each block, a stroke for each kind.
void CurvePlot::collect() {
    m_curves = curvesOf(m_kind, runs(), m_blocks);
    for (Curve& curve : m_curves) {
        const int kind = static_cast<int>(curve.look.fill);
        const auto place = std::ranges::find(m_blocks, curve.block) - m_blocks.begin();
        const bool several = m_blocks.size() > 1;
        const RunEntry* entry = runs().find(curve.block.run);
        const bool byRun = m_kind == Kind::Rank && !several && entry;
        const bool baseline =
            m_kind == Kind::Healing && kind == static_cast<int>(study::ReplacementKind::Original);
        curve.look = {
            .colour = byRun     ? style().colours.curve(entry->colour)
                      : several ? style().colours.curve(static_cast<int>(place))
                                : style().colours.curve(kind),
            .background = style().colours.base,
            .stroke = several ? strokes[static_cast<std::size_t>(kind) % std::size(strokes)] : Qt::SolidLine,
            .lineWidth = m_kind == Kind::Healing ? 1.1 : style().lineWidth,
            .markerSize = 0};
        if (baseline) {
            curve.look.colour = several ? curve.look.colour : style().colours.muted;
            curve.look.stroke = Qt::DotLine;
        }
    }
}

std::vector<RunPlot::Spot> CurvePlot::rebuild(const RunEntry& entry) {
    collect();
    std::vector<Spot> spots;
    for (std::size_t i = 0; i < m_curves.size(); ++i)
        if (m_curves[i].block.run == entry.id)
            for (std::size_t k = 0; k < m_curves[i].x.size(); ++k)
                spots.push_back({m_curves[i].block,
                                 static_cast<int>(i) * placesPerCurve + static_cast<int>(k), m_curves[i].x[k],
                                 m_curves[i].y[k]});
    return spots;
}

void CurvePlot::rebuilt() {
    collect();
    std::vector<Stroke> drawn;
    std::set<PointId> levelled;
    double last = 1;
    for (const Curve& curve : m_curves)
        last = std::max(last, curve.x.back());
    for (const Curve& curve : m_curves)
        if (curve.level && levelled.insert(curve.block).second) {
            CurveLook look = curve.look;
            if (m_blocks.size() == 1)
                look.colour = style().colours.text;
            look.stroke = Qt::DashLine;
            look.lineWidth = 1.2;
            drawn.push_back({QPolygonF({{0, *curve.level}, {last * 10, *curve.level}}), look});
        }
    for (const Curve& curve : m_curves) {
        Stroke stroke{{}, curve.look};
        for (std::size_t k = 0; k < curve.x.size(); ++k)
            stroke.points << QPointF(curve.x[k], curve.y[k]);
        for (const auto& [index, word] : curve.marks)
            stroke.marks.emplace_back(QPointF(curve.x[index], curve.y[index]), word);
        drawn.push_back(std::move(stroke));
    }
    m_art->set(std::move(drawn));
}

QString CurvePlot::nameOf(const Curve& curve) const {
    QStringList parts;
    std::set<RunId> shownRuns;
    for (const PointId& point : m_blocks)
        shownRuns.insert(point.run);
    const RunEntry* entry = runs().find(curve.block.run);
    if (shownRuns.size() > 1 && entry)
        parts += entry->title();
    if (m_blocks.size() > 1 || curve.name.isEmpty())
        parts += tr("block %1").arg(curve.block.block);
    if (!curve.name.isEmpty())
        parts += curve.name;
    return parts.join(QStringLiteral(" · "));
}

std::vector<RunLegend::Key> CurvePlot::legendKeys() const {
    std::vector<RunLegend::Key> keys;
    for (const Curve& curve : m_curves)
        keys.push_back({nameOf(curve), curve.look});
    if (std::ranges::any_of(m_curves, [](const Curve& curve) { return curve.level.has_value(); }))
        keys.push_back({tr("closed-form line"), CurveLook{.colour = style().colours.text,
                                                          .background = style().colours.base,
                                                          .stroke = Qt::DashLine,
                                                          .lineWidth = 1.2,
                                                          .markerSize = 0}});
    return keys;
}

QString CurvePlot::hoverText(PointId point, int part) const {
    const RunEntry* entry = runs().find(point.run);
    const auto index = static_cast<std::size_t>(part / placesPerCurve);
    const auto place = static_cast<std::size_t>(part % placesPerCurve);
    if (!entry || index >= m_curves.size() || place >= m_curves[index].x.size())
        return {};
    const Curve& curve = m_curves[index];
    const QString where = m_kind == Kind::Rank ? tr("rank %1") : tr("step %1");
    QString text =
        QStringLiteral("<b>%1</b> &nbsp;%2<br>%3: %4 <b>%5</b>")
            .arg(entry->title().toHtmlEscaped(), tr("block %1").arg(point.block),
                 (curve.name.isEmpty() ? QString() : curve.name + QStringLiteral(", ")) +
                     where.arg(count(curve.x[place])),
                 m_kind == Kind::Healing ? tr("loss") : QStringLiteral("R²"), decimal(curve.y[place], 4));
    if (curve.level)
        text += tr("<br>closed-form line: R² %1").arg(decimal(*curve.level, 4));
    return text;
}

void CurvePlot::scaleAxes() {
    m_art->setInk(style().font, style().colours.muted);
    xAxis->setLabel(m_kind == Kind::Rank ? tr("rank") : tr("step"));
    yAxis->setLabel(m_kind == Kind::Healing ? tr("loss of a batch") : tr("R², held out"));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTicker(QSharedPointer<ScoreTicker>::create());
        axis->setSubTicks(false);
        axis->ticker()->setTickCount(4);
    }
}

void CurvePlot::fitAxes() {
    double right = 1, low = 1e300, high = -1e300;
    const auto hold = [&](double value) {
        low = std::min(low, value);
        high = std::max(high, value);
    };
    for (const Curve& curve : m_curves) {
        right = std::max(right, curve.x.back());
        // The first steps of a training may lie far below: what counts is where it comes to.
        const std::size_t from = m_kind == Kind::Training && curve.y.size() > 4 ? curve.y.size() / 4 : 0;
        for (std::size_t k = from; k < curve.y.size(); ++k)
            hold(curve.y[k]);
        if (curve.level)
            hold(*curve.level);
    }
    if (m_curves.empty())
        low = 0, high = 1;
    const double margin = std::max(0.06 * (high - low), 0.005);
    xAxis->setRange(-0.02 * right, 1.03 * right);
    yAxis->setRange(low - margin, high + margin);
}

QString CurvePlot::emptyText() const {
    switch (m_kind) {
        case Kind::Rank:
            return tr("No rank curve of this block");
        case Kind::Training:
            return tr("No probe of this block");
        case Kind::Healing:
            break;
    }
    return tr("This block was not healed");
}

QString CurvePlot::toText(QChar separator) const {
    const QString x = m_kind == Kind::Rank ? QStringLiteral("rank") : QStringLiteral("step"),
                  y = m_kind == Kind::Healing ? QStringLiteral("loss") : QStringLiteral("r2");
    QString text = QStringList{QStringLiteral("model"),
                               QStringLiteral("corpus"),
                               QStringLiteral("block"),
                               QStringLiteral("curve"),
                               x,
                               y}
                       .join(separator) +
                   QLatin1Char('\n');
    const auto cell = [separator](const QString& words) {
        return separator == QLatin1Char(',') ? toQString(study::csvCell(words.toStdString()))
                                             : words.simplified();
    };
    for (const Curve& curve : m_curves)
        if (const RunEntry* entry = runs().find(curve.block.run))
            for (std::size_t k = 0; k < curve.x.size(); ++k)
                text +=
                    QStringList{
                        cell(entry->title()), cell(entry->subtitle()), QString::number(curve.block.block),
                        cell(curve.name),     roundTrip(curve.x[k]),   roundTrip(curve.y[k])}
                        .join(separator) +
                    QLatin1Char('\n');
    return text;
}

}  // namespace straightedge::ui
