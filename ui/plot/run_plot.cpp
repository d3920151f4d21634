// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_plot.h"

#include <QLabel>
#include <algorithm>
#include <cmath>

#include "point_marks.h"
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

RunPlot::RunPlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent)
    : QCustomPlot(parent), m_runs(runs), m_selection(selection), m_style(std::move(style)) {
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

    m_gather.setSingleShot(true);
    m_gather.setInterval(gatherMs);
    connect(&m_gather, &QTimer::timeout, this, [this] {
        if (isVisible())  // else when it is shown
            flush();
    });
    connect(&m_selection, &PointSelection::changed, this, &RunPlot::updateMarks);
}

void RunPlot::begin() {
    applyStyle(*this, m_style);
    rescale();
    connectRuns();
    flush();
}

void RunPlot::connectRuns() {
    const auto dirty = [this](RunId id) { soon(id); };
    for (const auto signal : {&RunList::added, &RunList::blocksReset, &RunList::visibilityChanged})
        connect(&m_runs, signal, this, dirty);
    // What a run says of itself stands in the legend; its points are as they were.
    connect(&m_runs, &RunList::changed, this, dirty);
    connect(&m_runs, &RunList::blockAdded, this, dirty);
    connect(&m_runs, &RunList::blockChanged, this, dirty);
    connect(&m_runs, &RunList::removed, this, [this](RunId id) {
        drop(id);
        m_spots.erase(id);
        m_dirty.erase(id);
        hover(std::nullopt);
        soon();
    });
}

void RunPlot::soon(RunId dirty) {
    if (dirty != 0)
        m_dirty.insert(dirty);
    if (!m_gather.isActive())
        m_gather.start();
}

void RunPlot::flush() {
    m_gather.stop();
    for (const RunId id : std::exchange(m_dirty, {}))
        if (const RunEntry* entry = m_runs.find(id)) {
            std::vector<Spot> spots = rebuild(*entry);
            m_spots[id] = entry->visible ? std::move(spots) : std::vector<Spot>();
        }
    rebuilt();
    rebuildLegend();
    if (m_autoFit)
        fitAxes();
    updateEmptyText();
    if (m_hovered && !pixelOf(m_hovered->point, m_hovered->part))
        hover(std::nullopt);
    updateMarks();
    replot(rpQueuedReplot);
}

CurveLook RunPlot::lookOf(const RunEntry& entry) const {
    return {.colour = m_style.colours.curve(entry.colour),
            .background = m_style.colours.base,
            .marker = markerFor(entry.run.header.activation),
            .published = entry.origin == Origin::Published,
            .lineWidth = m_style.lineWidth,
            .markerSize = m_style.markerSize};
}

std::vector<RunLegend::Entry> RunPlot::legendEntries(bool faintOnes) const {
    std::vector<RunLegend::Entry> entries;
    for (int row = 0; row < m_runs.size(); ++row) {
        const RunEntry& entry = m_runs.at(row);
        if (entry.run.blocks.empty() && entry.activity == Activity::Done)
            continue;  // failed or cancelled before its first block
        if (!faintOnes && spotsOf(entry.id).empty())
            continue;
        QString subtitle = m_runs.textOf(entry);
        if (!entry.run.header.activation.empty())
            subtitle += QStringLiteral(" · ") + toQString(entry.run.header.activation);
        entries.push_back({.run = entry.id,
                           .title = entry.title(),
                           .subtitle = subtitle,
                           .look = lookOf(entry),
                           .visible = !spotsOf(entry.id).empty()});
    }
    return entries;
}

void RunPlot::rebuildLegend(bool faintOnes) {
    m_legend->setEntries(legendEntries(faintOnes), legendKeys());
}

const std::vector<RunPlot::Spot>& RunPlot::spotsOf(RunId run) const {
    static const std::vector<Spot> none;
    const auto found = m_spots.find(run);
    return found == m_spots.end() ? none : found->second;
}

bool RunPlot::hasSpots() const {
    return std::ranges::any_of(m_spots, [](const auto& pair) { return !pair.second.empty(); });
}

void RunPlot::setScore(Score score) {
    if (std::exchange(m_score, score) == score)
        return;
    hover(std::nullopt);
    rescale();
    Q_EMIT viewChanged();
}

void RunPlot::setStyle(PlotStyle style) {
    m_style = std::move(style);
    applyStyle(*this, m_style);
    rescale();
}

void RunPlot::rescale() {
    scaleAxes();
    for (int row = 0; row < m_runs.size(); ++row)
        m_dirty.insert(m_runs.at(row).id);
    m_marks->setColour(m_style.colours.accent);
    m_emptyText->setFont(m_style.font);
    m_emptyText->setColor(m_style.colours.muted);
    soon();
}

void RunPlot::fit() {
    m_autoFit = true;
    soon();
}

void RunPlot::showRange(const QCPRange& x, const QCPRange& y) {
    m_autoFit = false;
    xAxis->setRange(x);
    yAxis->setRange(y);
    soon();
}

void RunPlot::zoom(double factor) {
    m_autoFit = false;
    xAxis->scaleRange(factor, xAxis->range().center());
    const QCPRange range = yAxis->range();
    const bool log = yAxis->scaleType() == QCPAxis::stLogarithmic;
    yAxis->scaleRange(factor, log ? std::sqrt(range.lower * range.upper) : range.center());
    replot(rpQueuedReplot);
}

void RunPlot::placeLegend(int width) {
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

void RunPlot::showEvent(QShowEvent* event) {
    flush();
    QCustomPlot::showEvent(event);
}

void RunPlot::changeEvent(QEvent* event) {
    if (event->type() == QEvent::LocaleChange)
        soon();
    QCustomPlot::changeEvent(event);
}

void RunPlot::paint(QCPPainter& painter, const QSize& size) {
    flush();
    rebuildLegend(false);  // on paper there is nothing to click
    m_marks->setMarks({});
    placeLegend(size.width());
    toPainter(&painter, size.width(), size.height());
}

void RunPlot::updateEmptyText() {
    m_emptyText->setVisible(!hasSpots());
    m_emptyText->setText(emptyText());
}

}  // namespace straightedge::ui
