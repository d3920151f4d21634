// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_plot.h"

#include <algorithm>

#include "plot/hover_text.h"
#include "plot/score_ticker.h"
#include "study/export/export.h"
#include "style/format.h"

namespace straightedge::ui {

using study::Metric;

ResidualPlot::ResidualPlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent)
    : RunPlot(runs, selection, std::move(style), parent),
      m_points(new CostPoints(*this)),
      m_everything(new QCPItemStraightLine(this)),
      m_text(new QCPItemText(this)) {
    setAccessibleName(tr("What is left: gain over 1 − R²"));
    m_everything->setLayer(QStringLiteral("grid"));
    m_everything->point1->setCoords(0, 0);
    m_everything->point2->setCoords(1, 1);
    m_everything->setSelectable(false);
    m_text->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_text->position->setCoords(0.015, 0.02);
    m_text->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
    m_text->setTextAlignment(Qt::AlignLeft);
    m_text->setPadding({6, 3, 6, 3});
    m_text->setSelectable(false);
    begin();
}

std::unique_ptr<RunPlot> ResidualPlot::sameFor(RunList& runs, PointSelection& selection,
                                               PlotStyle style) const {
    auto made = std::make_unique<ResidualPlot>(runs, selection, std::move(style));
    made->setSource(m_source);
    return made;
}

void ResidualPlot::setSource(const study::GainSource& source) {
    if (m_source == source)
        return;
    m_source = source;
    fitWhatComes();
    rescale();
    Q_EMIT viewChanged();
}

CurveLook ResidualPlot::lookOf(const RunEntry& entry) const {
    CurveLook look = RunPlot::lookOf(entry);
    look.line = false;
    return look;
}

std::vector<RunPlot::Spot> ResidualPlot::rebuild(const RunEntry& entry) {
    std::vector<CostPoint> points;
    std::vector<Spot> spots;
    const study::Run* run = &entry.run;
    if (entry.visible)
        for (const study::GainPoint& point : study::residualGain({&run, 1}, m_source).points) {
            const study::BlockResult* block = entry.block(point.block);
            points.push_back({.block = point.block,
                              .key = point.residual,
                              .value = point.gain,
                              .low = point.gain,
                              .high = point.gain,
                              .look = lookOf(entry),
                              .ringed = block && study::peakIsMassive(block->values)});
            spots.push_back({{entry.id, point.block}, 0, point.residual, point.gain});
        }
    m_points->set(entry.id, std::move(points));
    return spots;
}

void ResidualPlot::drop(RunId run) {
    m_points->drop(run);
}

void ResidualPlot::rebuilt() {
    std::vector<const study::Run*> visible;
    for (int row = 0; row < runs().size(); ++row)
        if (runs().at(row).visible)
            visible.push_back(&runs().at(row).run);
    m_gain = study::residualGain(visible, m_source);
    m_text->setText(verdict());
    m_text->setVisible(!m_gain.points.empty());
}

QString ResidualPlot::verdict() const {
    const study::Correlation& found = m_gain.correlation;
    const QString blocks = plural(static_cast<qint64>(m_gain.points.size()), tr("block"), tr("blocks"));
    if (!found.r || found.pairs < 3)  // two points lie on a line, whatever they are
        return tr("%1: too few to correlate").arg(blocks);
    const QString r = tr("Pearson r = %1").arg(decimal(*found.r, 2));
    const QString interval =
        found.low && found.high
            ? tr("95 % interval %1 to %2").arg(decimal(*found.low, 2), decimal(*found.high, 2))
            : tr("too few for an interval");
    return QStringLiteral("%1, %2; %3").arg(r, interval, blocks);
}

QString ResidualPlot::hoverText(PointId point, int) const {
    const RunEntry* entry = runs().find(point.run);
    const study::BlockResult* block = entry ? entry->block(point.block) : nullptr;
    return block ? residualCard(*entry, *block, m_source, style().colours) : QString();
}

std::vector<RunLegend::Key> ResidualPlot::legendKeys() const {
    std::vector<RunLegend::Key> keys;
    const auto ringed = [](const auto& pair) { return std::ranges::any_of(pair.second, &CostPoint::ringed); };
    if (std::ranges::any_of(m_points->points(), ringed))
        keys.push_back(RunLegend::ringKey());
    keys.push_back({tr("all of what is left"), CurveLook{.colour = style().colours.muted,
                                                         .background = style().colours.base,
                                                         .stroke = Qt::DotLine,
                                                         .lineWidth = 1.2,
                                                         .markerSize = 0}});
    return keys;
}

void ResidualPlot::scaleAxes() {
    const Colours& colours = style().colours;
    m_points->setInk(style().font, colours.text);
    m_everything->setPen(QPen(colours.muted, 1.2, Qt::DotLine));
    m_text->setFont(style().font);
    m_text->setColor(colours.text);
    m_text->setBrush(colours.base);
    xAxis->setLabel(tr("what the line leaves, 1 − R²"));
    yAxis->setLabel(tr("gain, %1").arg(toQString(m_source.title())));
    for (QCPAxis* axis : {xAxis, yAxis}) {
        axis->setTicker(QSharedPointer<ScoreTicker>::create());
        axis->setSubTicks(false);
    }
}

void ResidualPlot::fitAxes() {
    double right = 0.1, low = 0, high = 0.02;
    for (const auto& [run, points] : m_points->points())
        for (const CostPoint& point : points) {
            right = std::max(right, point.key);
            low = std::min(low, point.value);
            high = std::max(high, point.value);
        }
    if (!hasSpots())
        right = high = 1;
    xAxis->setRange(-0.03 * right, 1.05 * right);
    // Room above for what is written there.
    yAxis->setRange(low - 0.06 * (high - low), high + 0.18 * (high - low));
}

QString ResidualPlot::emptyText() const {
    return m_source.kind == study::GainSource::CeilingGain
               ? tr("No visible run has this ceiling.\nOpen “What is left” in the panel on the left, check "
                    "it "
                    "there and measure.")
               : tr("No visible run has this probe.\nOpen “What is left” in the panel on the left, check it "
                    "there and measure.");
}

QString ResidualPlot::toText(QChar separator) const {
    const auto cell = [separator](const QString& words) {
        return separator == QLatin1Char(',') ? toQString(study::csvCell(words.toStdString()))
                                             : words.simplified();
    };
    QString text = QStringList{QStringLiteral("model"), QStringLiteral("corpus"), QStringLiteral("block"),
                               QStringLiteral("residual"), QStringLiteral("gain")}
                       .join(separator) +
                   QLatin1Char('\n');
    for (const auto& [run, points] : m_points->points())
        if (const RunEntry* entry = runs().find(run))
            for (const CostPoint& point : points)
                text +=
                    QStringList{cell(entry->title()), cell(entry->subtitle()), QString::number(point.block),
                                roundTrip(point.key), roundTrip(point.value)}
                        .join(separator) +
                    QLatin1Char('\n');
    return text;
}

}  // namespace straightedge::ui
