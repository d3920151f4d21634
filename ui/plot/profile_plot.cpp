// SPDX-License-Identifier: GPL-3.0-or-later
#include "profile_plot.h"

#include <QLabel>
#include <algorithm>
#include <cmath>
#include <limits>

#include "point_marks.h"
#include "run_legend.h"
#include "score_ticker.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

constexpr int gatherMs = 30;
constexpr int narrow = 460;  // pixels; below, the legend stands above the data
constexpr auto marksLayer = "marks";

}  // namespace

study::Metric metricOf(Score score) {
    switch (score) {
        case Score::Centred:
            return study::Metric::R2LinCentred;
        case Score::Typical:
            return study::Metric::R2Typical;
        case Score::Published:
            break;
    }
    return study::Metric::R2Lin;
}

ProfilePlot::ProfilePlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent)
    : QCustomPlot(parent), m_runs(runs), m_selection(selection), m_style(std::move(style)) {
    setAccessibleName(tr("Profile: R² over block"));
    setFocusPolicy(Qt::StrongFocus);
    setMouseTracking(true);
    setAutoAddPlottableToLegend(false);
    setLocale(QLocale());
    setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    setNoAntialiasingOnDrag(false);
    m_axes = axisRect();
    m_axes->setRangeZoomFactor(0.87, 0.87);
    m_axes->setMinimumMargins({0, 10, 10, 0});

    addLayer(QLatin1String(marksLayer), layer(QStringLiteral("main")), limAbove);
    layer(QLatin1String(marksLayer))->setMode(QCPLayer::lmBuffered);
    m_marks = new PointMarks(*this, QLatin1String(marksLayer));

    m_legend = new RunLegend(*this, m_style);
    plotLayout()->setColumnSpacing(0);
    plotLayout()->setRowSpacing(0);
    placeLegend(width());

    m_emptyText = new QCPItemText(this);
    m_emptyText->setLayer(QLatin1String(marksLayer));
    m_emptyText->position->setType(QCPItemPosition::ptAxisRectRatio);
    m_emptyText->position->setCoords(0.5, 0.5);
    m_emptyText->setTextAlignment(Qt::AlignCenter);
    m_emptyText->setSelectable(false);

    m_card = new QLabel(this);
    m_card->setProperty("role", QStringLiteral("card"));
    m_card->setTextFormat(Qt::RichText);
    m_card->setMargin(6);
    m_card->setAutoFillBackground(true);
    m_card->setAttribute(Qt::WA_TransparentForMouseEvents);
    m_card->hide();

    xAxis->setTicker(QSharedPointer<BlockTicker>::create());
    xAxis->setLabel(tr("block"));
    connect(yAxis, qOverload<const QCPRange&>(&QCPAxis::rangeChanged), yAxis2,
            qOverload<const QCPRange&>(&QCPAxis::setRange));
    m_gather.setSingleShot(true);
    m_gather.setInterval(gatherMs);
    connect(&m_gather, &QTimer::timeout, this, &ProfilePlot::flush);
    connect(&m_selection, &PointSelection::changed, this, &ProfilePlot::updateMarks);
    applyStyle(*this, m_style);
    applyScale();
    connectRuns();
    flush();
}

void ProfilePlot::connectRuns() {
    for (int row = 0; row < m_runs.size(); ++row)
        m_dirty.insert(m_runs.at(row).id);
    const auto dirty = [this](RunId id) { soon(id); };
    connect(&m_runs, &RunList::added, this, dirty);
    connect(&m_runs, &RunList::blockAdded, this, dirty);
    connect(&m_runs, &RunList::blocksReset, this, dirty);
    connect(&m_runs, &RunList::visibilityChanged, this, dirty);
    connect(&m_runs, &RunList::changed, this, dirty);
    connect(&m_runs, &RunList::removed, this, [this](RunId id) {
        if (const auto found = m_curves.find(id); found != m_curves.end()) {
            removeGraph(found->second);
            m_curves.erase(found);
        }
        m_dirty.erase(id);
        hover(std::nullopt);
        soon();
    });
}

void ProfilePlot::soon(RunId dirty) {
    if (dirty != 0)
        m_dirty.insert(dirty);
    if (!m_gather.isActive())
        m_gather.start();
}

void ProfilePlot::flush() {
    m_gather.stop();
    for (const RunId id : std::exchange(m_dirty, {}))
        if (const RunEntry* entry = m_runs.find(id))
            rebuildCurve(*entry);
    rebuildLegend();
    if (m_autoFit)
        fitAxes();
    updateEmptyText();
    if (m_hovered && !pixelOf(*m_hovered))
        hover(std::nullopt);
    updateMarks();
    replot(rpQueuedReplot);
}

CurveLook ProfilePlot::lookOf(const RunEntry& entry) const {
    return {.colour = m_style.colours.curve(entry.colour),
            .background = m_style.colours.base,
            .marker = markerFor(entry.run.header.activation),
            .published = entry.origin == Origin::Published,
            .lineWidth = m_style.lineWidth,
            .markerSize = m_style.markerSize};
}

double ProfilePlot::yOf(const study::BlockResult& block) const {
    const auto value = block.values[metricOf(m_score)];
    if (!value || (m_log && *value >= 1))
        return std::numeric_limits<double>::quiet_NaN();
    return m_log ? 1 - *value : *value;
}

void ProfilePlot::rebuildCurve(const RunEntry& entry) {
    ProfileCurve*& curve = m_curves[entry.id];
    if (!curve)
        curve = new ProfileCurve(*this, entry.id);
    std::vector<ProfilePoint> points;
    for (const study::BlockResult& block : entry.run.blocks)
        points.push_back(
            {block.block, yOf(block), m_score != Score::Typical && study::peakIsMassive(block.values)});
    curve->setLook(lookOf(entry), m_style.colours.text);
    curve->setPoints(points);
    curve->setVisible(entry.visible);
}

void ProfilePlot::rebuildLegend() {
    std::vector<RunLegend::Entry> entries;
    bool rings = false;
    for (int row = 0; row < m_runs.size(); ++row) {
        const RunEntry& entry = m_runs.at(row);
        if (entry.run.blocks.empty() && entry.activity == Activity::Done)
            continue;  // failed or cancelled before its first block
        QString subtitle = entry.subtitle();
        if (!entry.run.header.activation.empty())
            subtitle += QStringLiteral(" · ") + toQString(entry.run.header.activation);
        const ProfileCurve* shown = curve(entry.id);
        const bool hasPoints = shown && !shown->stretches().empty();
        entries.push_back({.run = entry.id,
                           .title = entry.title(),
                           .subtitle = subtitle,
                           .look = lookOf(entry),
                           .visible = entry.visible && hasPoints});
        rings = rings || (entry.visible && shown && shown->hasRings());
    }
    m_legend->setEntries(std::move(entries), rings);
}

void ProfilePlot::setScore(Score score) {
    if (std::exchange(m_score, score) == score)
        return;
    hover(std::nullopt);
    applyScale();
    Q_EMIT viewChanged();
}

void ProfilePlot::setLog(bool log) {
    if (std::exchange(m_log, log) == log)
        return;
    hover(std::nullopt);
    m_autoFit = true;
    applyScale();
    Q_EMIT viewChanged();
}

void ProfilePlot::setStyle(PlotStyle style) {
    m_style = std::move(style);
    applyStyle(*this, m_style);
    applyScale();
}

void ProfilePlot::applyScale() {
    const QString name = toQString(study::info(metricOf(m_score)).title);
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
    for (int row = 0; row < m_runs.size(); ++row)
        m_dirty.insert(m_runs.at(row).id);
    const auto& colours = m_style.colours;
    m_marks->setColour(colours.accent);
    m_emptyText->setFont(m_style.font);
    m_emptyText->setColor(colours.muted);
    soon();
}

void ProfilePlot::fit() {
    m_autoFit = true;
    soon();
}

void ProfilePlot::showRange(const QCPRange& blocks, const QCPRange& scores) {
    m_autoFit = false;
    xAxis->setRange(blocks);
    yAxis->setRange(scores);
    soon();
}

void ProfilePlot::fitAxes() {
    int blocks = 1;
    double low = std::numeric_limits<double>::max(), high = std::numeric_limits<double>::lowest();
    for (const auto& [id, curve] : m_curves) {
        const RunEntry* entry = m_runs.find(id);
        if (!entry || !entry->visible)
            continue;
        blocks = std::max(blocks, entry->run.header.modelBlocks);
        for (const QCPGraphData& point : *curve->data()) {
            blocks = std::max(blocks, static_cast<int>(point.key) + 1);
            if (!std::isnan(point.value)) {
                low = std::min(low, point.value);
                high = std::max(high, point.value);
            }
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

void ProfilePlot::zoom(double factor) {
    m_autoFit = false;
    xAxis->scaleRange(factor, xAxis->range().center());
    yAxis->scaleRange(
        factor, m_log ? std::sqrt(yAxis->range().lower * yAxis->range().upper) : yAxis->range().center());
    replot(rpQueuedReplot);
}

void ProfilePlot::placeLegend(int width) {
    const bool right = width >= narrow;
    if (m_legend->layout() && right == (m_legend->placement() == RunLegend::Placement::Right))
        return;
    QCPLayoutGrid* grid = plotLayout();
    // Both are taken out and put back: a layout element has one place.
    if (m_legend->layout())
        grid->take(m_legend);
    grid->take(m_axes);
    grid->simplify();
    m_legend->setPlacement(right ? RunLegend::Placement::Right : RunLegend::Placement::Above);
    const QMargins margins = right ? QMargins(10, 10, 8, 4) : QMargins(60, 6, 8, 0);
    m_legend->setMinimumMargins(margins);
    m_legend->setMargins(margins);
    if (right) {
        grid->addElement(0, 0, m_axes);
        grid->addElement(0, 1, m_legend);
        grid->setColumnStretchFactor(1, 0.001);
    } else {
        grid->addElement(0, 0, m_legend);
        grid->addElement(1, 0, m_axes);
        grid->setRowStretchFactor(0, 0.001);
    }
}

void ProfilePlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LocaleChange)
        soon();
    QCustomPlot::changeEvent(event);
}

void ProfilePlot::paint(QCPPainter& painter, const QSize& size) {
    flush();
    m_marks->setMarks({});
    placeLegend(size.width());
    toPainter(&painter, size.width(), size.height());
}

ProfileCurve* ProfilePlot::curve(RunId run) const {
    const auto found = m_curves.find(run);
    return found == m_curves.end() ? nullptr : found->second;
}

void ProfilePlot::updateEmptyText() {
    const bool any = std::ranges::any_of(m_curves, [](const auto& pair) {
        return pair.second->visible() && !pair.second->stretches().empty();
    });
    const bool anyVisible =
        std::ranges::any_of(m_curves, [](const auto& pair) { return pair.second->visible(); });
    m_emptyText->setVisible(!any);
    m_emptyText->setText(anyVisible && m_score != Score::Published
                             ? tr("No visible run has this score yet.\nThe published profiles give R² as "
                                  "published and nothing else.")
                             : tr("Nothing to show."));
}

}  // namespace straightedge::ui
