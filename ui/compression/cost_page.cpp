// SPDX-License-Identifier: GPL-3.0-or-later
#include "cost_page.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QSignalBlocker>
#include <QSplitter>
#include <QVBoxLayout>

#include "blocks/swap_text.h"
#include "style/format.h"
#include "style/theme.h"

namespace straightedge::ui {

CostPage::CostPage(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_theme(theme),
      m_plot(new CostPlot(session.runs(), session.selection(), PlotStyle::onScreen(theme.colours()))),
      m_model(new CompressionModel(session.runs(), theme, this)),
      m_filter(new CompressionFilter(*m_model, this)),
      m_table(new CompressionView(*m_model, *m_filter, session.selection())),
      m_split(new QSplitter(Qt::Vertical)),
      m_story(new QLabel),
      m_run(new QComboBox),
      m_which(new QComboBox),
      m_text(new QLineEdit),
      m_count(new QLabel) {
    m_plot->setMinimumSize(320, 200);
    m_story->setWordWrap(true);
    m_story->setTextFormat(Qt::RichText);
    m_story->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_story->setMargin(1);
    m_story->setProperty("role", QStringLiteral("story"));

    auto* below = new QWidget;
    auto* column = new QVBoxLayout(below);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_story);
    column->addWidget(makeFilter());
    column->addWidget(m_table, 1);
    m_split->setHandleWidth(1);
    m_split->setChildrenCollapsible(false);
    m_split->addWidget(m_plot);
    m_split->addWidget(below);
    m_split->setStretchFactor(0, 3);
    m_split->setStretchFactor(1, 2);
    m_split->setSizes({400, 300});
    auto* page = new QVBoxLayout(this);
    page->setContentsMargins(0, 0, 0, 0);
    page->addWidget(m_split);

    // News comes in bursts; what is written about it need not.
    m_gather.setSingleShot(true);
    m_gather.setInterval(50);
    connect(&m_gather, &QTimer::timeout, this, [this] {
        listRuns();
        tell();
        countRows();
    });
    const auto soon = [this] { m_gather.start(); };
    const RunList& runs = session.runs();
    for (const auto signal : {&RunList::added, &RunList::removed, &RunList::changed, &RunList::blocksReset,
                              &RunList::visibilityChanged})
        connect(&runs, signal, this, soon);
    connect(&runs, &RunList::blockAdded, this, soon);
    connect(&runs, &RunList::blockChanged, this, soon);
    connect(&session.selection(), &PointSelection::changed, this, &CostPage::tell);
    connect(&theme, &Theme::changed, this, [this] {
        m_plot->setStyle(PlotStyle::onScreen(m_theme.colours()));
        tell();
    });
    listRuns();
    tell();
    countRows();
}

QWidget* CostPage::makeFilter() {
    m_run->setAccessibleName(tr("Run"));
    m_run->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_run->setMinimumContentsLength(20);
    m_which->setAccessibleName(tr("Replacement"));
    m_which->addItem(tr("All replacements"));
    m_which->addItem(tr("Kept"));
    m_which->addItem(tr("† Costly despite R²"));
    for (const study::ReplacementInfo& info : study::replacements())
        m_which->addItem(toQString(info.title));
    m_text->setAccessibleName(tr("Filter"));
    m_text->setPlaceholderText(tr("filter: words, r2>0.9 dppl<1"));
    m_text->setToolTip(
        tr("Words that a row must contain, and conditions on block, dppl, r2, r2_centred, "
           "r2_typical, cosine, rmse, parameters, compression, saved (in %): r2>0.9 dppl<1"));
    m_text->setClearButtonEnabled(true);
    m_count->setProperty("role", QStringLiteral("muted"));
    connect(m_run, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_filter->setRun(index > 0 ? std::optional(m_run->itemData(index).toULongLong()) : std::nullopt);
        countRows();
    });
    connect(m_which, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_filter->setWhich(index);
        countRows();
    });
    connect(m_text, &QLineEdit::textChanged, this, [this](const QString& text) {
        m_filter->setText(text);
        countRows();
    });
    auto* bar = new QWidget;
    auto* row = new QHBoxLayout(bar);
    row->setContentsMargins(8, 4, 8, 5);
    row->setSpacing(6);
    row->addWidget(m_run);
    row->addWidget(m_which);
    row->addWidget(m_text, 1);
    row->addWidget(m_count);
    return bar;
}

// Those with rows in the table; the one chosen stays so while it is there.
void CostPage::listRuns() {
    const QVariant chosen = m_run->currentData();
    {
        const QSignalBlocker blocker(m_run);
        m_run->clear();
        m_run->addItem(tr("All runs shown"));
        const RunList& runs = m_session.runs();
        for (int row = 0; row < runs.size(); ++row) {
            const RunEntry& entry = runs.at(row);
            const bool any = std::ranges::any_of(
                entry.run.blocks, [](const auto& block) { return !block.replacements.empty(); });
            if (entry.visible && any)
                m_run->addItem(entry.title() + QStringLiteral(" · ") + runs.textOf(entry),
                               QVariant::fromValue(entry.id));
        }
    }
    const int index = chosen.isValid() ? m_run->findData(chosen) : 0;
    m_run->setCurrentIndex(std::max(0, index));
    if (chosen.isValid() && index < 0)
        m_filter->setRun(std::nullopt);
}

void CostPage::tell() {
    const auto& points = m_session.selection().points();
    const auto point = points.empty() ? mostTelling(m_session.runs()) : std::optional(*points.begin());
    const RunEntry* entry = point ? m_session.runs().find(point->run) : nullptr;
    const study::BlockResult* block = entry ? entry->block(point->block) : nullptr;
    m_story->setText(block && !block->replacements.empty()
                         ? costStory(*entry, *block, m_theme.colours())
                         : tr("ΔPPL is what a swap costs: perplexity with the block's FFN replaced, minus "
                              "without. R² does not tell it; choose a block to see why."));
}

QString CostPage::story() const {
    return m_story->text();
}

void CostPage::countRows() {
    const int all = m_model->rowCount(), shown = m_filter->rowCount();
    m_count->setText(shown == all ? plural(all, tr("row"), tr("rows"))
                                  : tr("%1 of %2 rows").arg(count(shown), count(all)));
}

void CostPage::save(QSettings& settings) const {
    settings.setValue(QStringLiteral("window/cost"), m_split->saveState());
    m_table->save(settings);
}

void CostPage::restore(const QSettings& settings) {
    m_split->restoreState(settings.value(QStringLiteral("window/cost")).toByteArray());
    m_table->restore(settings);
}

}  // namespace straightedge::ui
