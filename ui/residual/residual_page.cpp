// SPDX-License-Identifier: GPL-3.0-or-later
#include "residual_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "block_notes.h"
#include "shown_blocks.h"
#include "style/format.h"
#include "style/theme.h"

namespace straightedge::ui {

namespace {

using study::GainSource;

const GainSource sources[] = {
    {.kind = GainSource::ProbeGain, .probe = study::Probe::Bilinear},
    {.kind = GainSource::ProbeGain, .probe = study::Probe::Dense2x},
    {.kind = GainSource::ProbeGain, .probe = study::Probe::Poly2x},
    {.kind = GainSource::CeilingGain, .degree = 2},
    {.kind = GainSource::CeilingGain, .degree = 3},
};
constexpr auto sourceKey = "residual/source";

std::vector<const study::Run*> visibleRuns(const RunList& runs) {
    std::vector<const study::Run*> visible;
    for (int row = 0; row < runs.size(); ++row)
        if (runs.at(row).visible)
            visible.push_back(&runs.at(row).run);
    return visible;
}

}  // namespace

ResidualPage::ResidualPage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_theme(theme),
      m_plot(new ResidualPlot(session.runs(), session.selection(), PlotStyle::onScreen(theme.colours()))),
      m_source(new QComboBox),
      m_notes(new QLabel),
      m_hint(new QLabel),
      m_split(new QSplitter(Qt::Vertical)) {
    m_plot->setMinimumSize(320, 180);
    auto* above = new QWidget;
    auto* column = new QVBoxLayout(above);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(makeBar());
    column->addWidget(m_plot, 1);

    auto* below = new QSplitter(Qt::Horizontal);
    below->setHandleWidth(1);
    below->setChildrenCollapsible(false);
    for (std::size_t kind = 0; kind < m_curves.size(); ++kind) {
        auto* plot = new CurvePlot(static_cast<CurvePlot::Kind>(kind), session.runs(), session.selection(),
                                   PlotStyle::onScreen(theme.colours()));
        plot->setMinimumSize(200, 150);
        m_curves[kind] = plot;
        below->addWidget(plot);
    }
    m_notes->setTextFormat(Qt::RichText);
    m_notes->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_notes->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_notes->setMargin(9);
    m_notes->setAccessibleName(tr("Ceilings and probes of the chosen blocks"));
    auto* scroll = new QScrollArea;
    scroll->setWidget(m_notes);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setMinimumWidth(200);
    scroll->setBackgroundRole(QPalette::Base);
    below->addWidget(scroll);
    below->setSizes({250, 250, 250, 330});

    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(above);
    m_split->addWidget(below);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setSizes({420, 280});
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->addWidget(m_split);

    m_gather.setSingleShot(true);
    m_gather.setInterval(50);
    connect(&m_gather, &QTimer::timeout, this, &ResidualPage::follow);
    const auto soon = [this] { m_gather.start(); };
    const RunList& runs = session.runs();
    for (const auto signal : {&RunList::added, &RunList::removed, &RunList::blocksReset,
                              &RunList::visibilityChanged, &RunList::curvesGrown})
        connect(&runs, signal, this, soon);
    connect(&runs, &RunList::blockAdded, this, soon);
    connect(&runs, &RunList::blockChanged, this, soon);
    connect(&session.selection(), &PointSelection::changed, this, &ResidualPage::follow);
    connect(&theme, &Theme::changed, this, [this] {
        const PlotStyle style = PlotStyle::onScreen(m_theme.colours());
        m_plot->setStyle(style);
        for (CurvePlot* plot : m_curves)
            plot->setStyle(style);
        follow();
    });
    follow();
}

QWidget* ResidualPage::makeBar() {
    m_source->setAccessibleName(tr("What takes up the residual"));
    for (const GainSource& source : sources)
        m_source->addItem(source.kind == GainSource::ProbeGain
                              ? toQString(source.title()) + tr(", trained")
                              : toQString(source.title()) + tr(", closed form"));
    m_source->setToolTip(
        tr("A trained probe takes what its form and its training can; a ceiling is solved, and is a lower "
           "bound of "
           "what any map of that degree can take."));
    connect(m_source, &QComboBox::activated, this, [this](int index) {
        m_sourceChosen = true;
        chooseSource(index);
    });
    auto* label = new QLabel(tr("&Gain of"));
    label->setBuddy(m_source);
    m_hint->setProperty("role", QStringLiteral("muted"));
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 5, 8, 4);
    row->setSpacing(6);
    row->addWidget(label);
    row->addWidget(m_source);
    row->addWidget(m_hint, 1);
    return bar;
}

void ResidualPage::chooseSource(int index) {
    m_source->setCurrentIndex(index);
    m_plot->setSource(sources[static_cast<std::size_t>(index)]);
}

void ResidualPage::follow() {
    m_gather.stop();
    // Until the reader chooses, the first source that there is.
    const auto present = study::gainSources(visibleRuns(m_session.runs()));
    const auto isPresent = [&](const GainSource& source) {
        return std::ranges::find(present, source) != present.end();
    };
    if (!m_sourceChosen && !isPresent(m_plot->source()))
        if (const auto* first = std::ranges::find_if(sources, isPresent); first != std::end(sources))
            chooseSource(static_cast<int>(first - std::begin(sources)));

    const std::vector<PointId> blocks = shownBlocks(m_session.runs(), m_session.selection());
    bool any = false;
    for (std::size_t kind = 0; kind < m_curves.size(); ++kind) {
        const bool has =
            !CurvePlot::curvesOf(static_cast<CurvePlot::Kind>(kind), m_session.runs(), blocks).empty();
        m_curves[kind]->setVisible(has);
        any = any || has;
    }
    QStringList notes;
    for (const PointId& point : blocks)
        if (const RunEntry* entry = m_session.runs().find(point.run))
            if (const study::BlockResult* block = entry->block(point.block))
                notes += residualNotes(*entry, *block, m_theme.colours());
    notes.removeAll(QString());
    m_notes->setText(
        !notes.isEmpty() ? notes.join(QStringLiteral("<br>"))
        : any            ? QString()
        : blocks.empty()
            ? tr("Nothing beyond the line was asked for yet: open “What is left” in the panel on the left.")
            : tr("Nothing beyond the line is known of the chosen blocks."));
    m_notes->setWordWrap(notes.isEmpty());
    QStringList names;
    for (const PointId& point : blocks)
        names += QString::number(point.block);
    m_hint->setText(
        blocks.empty() ? QString()
        : m_session.selection().points().empty()
            ? tr("below: block %1; choose others in any plot or table").arg(names.join(QStringLiteral(", ")))
            : tr("below: the chosen blocks, %1").arg(names.join(QStringLiteral(", "))));
}

QString ResidualPage::notes() const {
    return m_notes->text();
}

RunPlot& ResidualPage::plotInUse() {
    for (CurvePlot* plot : m_curves)
        if (plot->hasFocus())
            return *plot;
    return *m_plot;
}

QString ResidualPage::text(QChar separator) const {
    for (const CurvePlot* plot : m_curves)
        if (plot->hasFocus())
            return plot->toText(separator);
    return m_plot->toText(separator);
}

void ResidualPage::save(QSettings& settings) const {
    settings.setValue(QStringLiteral("window/residual"), m_split->saveState());
    if (m_sourceChosen)
        settings.setValue(QLatin1String(sourceKey), m_source->currentIndex());
}

void ResidualPage::restore(const QSettings& settings) {
    m_split->restoreState(settings.value(QStringLiteral("window/residual")).toByteArray());
    const int index = settings.value(QLatin1String(sourceKey), -1).toInt();
    if (index < 0 || index >= m_source->count())
        return;
    m_sourceChosen = true;
    chooseSource(index);
}

}  // namespace straightedge::ui
