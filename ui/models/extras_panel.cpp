// SPDX-License-Identifier: GPL-3.0-or-later
#include "extras_panel.h"

#include <QCheckBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <limits>

#include "fields.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

constexpr int defaultFolds = 5, defaultHealSteps = 200;
constexpr int degrees[] = {2, 3};

QString key(std::string_view name) {
    return QStringLiteral("extras/") + toQString(name);
}

// What it costs, beside what it is: for a block of 576 features and 15,000 rows on two cores.
QString costOf(study::Probe probe) {
    switch (probe) {
        case study::Probe::Bilinear:
            return QObject::tr("At 15,000 tokens and 576 features about 4 times as long as the line itself.");
        case study::Probe::TrainedLinear:
            return QObject::tr(
                "At 15,000 tokens and 576 features about 35 times as long as the line itself.");
        case study::Probe::Dense2x:
        case study::Probe::Poly2x:
            break;
    }
    return QObject::tr("At 15,000 tokens and 576 features about 100 times as long as the line itself.");
}

}  // namespace

ExtrasPanel::ExtrasPanel(QWidget* parent) : QWidget(parent), m_fold(new QToolButton), m_summary(new QLabel) {
    m_fold->setText(tr("What is &left"));
    m_fold->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    m_fold->setArrowType(Qt::RightArrow);
    m_fold->setCheckable(true);
    m_fold->setAutoRaise(true);
    m_fold->setProperty("role", QStringLiteral("fold"));
    m_fold->setToolTip(tr("Folds, rank, probes and ceilings of what the line leaves, healing"));
    m_summary->setProperty("role", QStringLiteral("muted"));
    auto* head = new QHBoxLayout;
    head->setSpacing(6);
    head->addWidget(m_fold);
    head->addWidget(m_summary, 1);
    m_body = makeBody();
    m_body->hide();
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(3);
    column->addLayout(head);
    column->addWidget(m_body);
    connect(m_fold, &QToolButton::toggled, this, [this](bool unfolded) {
        m_body->setVisible(unfolded);
        m_fold->setArrowType(unfolded ? Qt::DownArrow : Qt::RightArrow);
        showState();
    });
    for (QCheckBox* box : findChildren<QCheckBox*>())
        connect(box, &QCheckBox::toggled, this, &ExtrasPanel::showState);
    for (QSpinBox* box : findChildren<QSpinBox*>())
        connect(box, &QSpinBox::valueChanged, this, &ExtrasPanel::showState);
    connect(m_blocks, &QLineEdit::textChanged, this, &ExtrasPanel::showState);
    connect(m_chosen, &QToolButton::clicked, this, &ExtrasPanel::chosenBlocksWanted);
    setPerplexity(false);
    showState();
}

QWidget* ExtrasPanel::makeBody() {
    m_folds = checkBox(tr("&folds"),
                       tr("R² centred over contiguous parts of the text, each predicted from all "
                          "others: how much the score depends on the text. Half as long again as the line."));
    m_foldCount = numberBox(2, 1'000, 1, defaultFolds, tr("Number of folds"));
    m_rank = checkBox(tr("&rank"), tr("How few directions carry the fit. Cheap."));
    m_heal = checkBox(tr("&heal,"), QString());
    m_healSteps = numberBox(1, 1'000'000, 50, defaultHealSteps, tr("Steps of healing"));
    m_healSteps->setSuffix(tr(" steps"));

    auto* line = new QHBoxLayout;
    line->setSpacing(6);
    line->addWidget(m_folds);
    line->addWidget(m_foldCount);
    line->addSpacing(8);
    line->addWidget(m_rank);
    line->addStretch(1);
    auto* probes = new QGridLayout;
    probes->setHorizontalSpacing(10);
    probes->setVerticalSpacing(2);
    int place = 0;
    for (const study::ProbeInfo& info : study::probes()) {
        QCheckBox* box = checkBox(toQString(info.title),
                                  toQString(info.explanation) + QLatin1Char(' ') + costOf(info.probe));
        m_probes.emplace_back(info.probe, box);
        probes->addWidget(box, place / 2, place % 2);
        ++place;
    }
    probes->setColumnStretch(1, 1);
    auto* ceilings = new QHBoxLayout;
    ceilings->setSpacing(10);
    for (const int degree : degrees) {
        QCheckBox* box =
            checkBox(tr("degree %1").arg(degree), tr("Closed-form ceiling: the best map of this degree on "
                                                     "what the line leaves, solved by kernel ridge. "
                                                     "A lower bound that grows with the rows. At 15,000 "
                                                     "tokens and 576 features about 60 times as long as "
                                                     "the line itself, twice that where there are massive "
                                                     "rows; it grows with the cube of the rows."));
        m_ceilings.emplace_back(degree, box);
        ceilings->addWidget(box);
    }
    ceilings->addStretch(1);
    auto* healing = new QHBoxLayout;
    healing->setSpacing(6);
    healing->addWidget(m_heal);
    healing->addWidget(m_healSteps, 1);

    m_blocks = new QLineEdit;
    m_blocks->setPlaceholderText(tr("all measured"));
    m_blocks->setAccessibleName(tr("Blocks with probes, ceilings and healing"));
    m_blocks->setToolTip(
        tr("Of the measured blocks those that get probes, ceilings and healing, for they take their "
           "time: 1,5,11. Empty: all."));
    m_chosen = new QToolButton;
    m_chosen->setText(tr("chosen"));
    m_chosen->setProperty("role", QStringLiteral("field"));
    m_chosen->setToolTip(tr("Take the blocks that are chosen in the plot"));
    m_seed = numberBox(0, std::numeric_limits<int>::max(), 1, 0, tr("Seed"));
    m_seed->setGroupSeparatorShown(false);
    m_seed->setToolTip(tr("Of everything that is trained: the same seed gives the same numbers."));
    auto* where = new QHBoxLayout;
    where->setSpacing(4);
    where->addWidget(m_blocks, 1);
    where->addWidget(m_chosen);

    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->setColumnStretch(1, 1);
    const auto row = [&](const QString& name, QWidget* buddy, QLayout* fields) {
        const int at = grid->rowCount();
        QLabel* label = caption(name, buddy);
        label->setContentsMargins(0, 4, 0, 0);  // level with the first field
        grid->addWidget(label, at, 0, Qt::AlignTop);
        grid->addLayout(fields, at, 1);
    };
    row(tr("Line"), m_folds, line);
    row(tr("Probes"), m_probes.front().second, probes);
    row(tr("Ceilings"), m_ceilings.front().second, ceilings);
    row(tr("Swaps"), m_heal, healing);
    row(tr("Bloc&ks"), m_blocks, where);
    auto* seed = new QHBoxLayout;
    seed->addWidget(m_seed);
    seed->addStretch(1);
    row(tr("See&d"), m_seed, seed);
    return asWidget(grid);
}

QCheckBox* ExtrasPanel::probeBox(study::Probe probe) const {
    return std::ranges::find(m_probes, probe, &std::pair<study::Probe, QCheckBox*>::first)->second;
}

QCheckBox* ExtrasPanel::ceilingBox(int degree) const {
    return std::ranges::find(m_ceilings, degree, &std::pair<int, QCheckBox*>::first)->second;
}

bool ExtrasPanel::isUnfolded() const {
    return m_fold->isChecked();
}

void ExtrasPanel::setUnfolded(bool unfolded) {
    m_fold->setChecked(unfolded);
}

void ExtrasPanel::setPerplexity(bool measured) {
    m_heal->setEnabled(measured);
    m_heal->setToolTip(
        measured ? tr("Train each swapped layer alone on the capture text, and beside it the block's own FFN "
                      "as the fair baseline. The deeper the block, the cheaper; several times the rest.")
                 : tr("Needs perplexity: check it above."));
    showState();
}

void ExtrasPanel::setBlocks(const QString& blocks) {
    m_blocks->setText(blocks);
}

void ExtrasPanel::apply(study::StudySettings& settings) const {
    settings.folds = m_folds->isChecked() ? m_foldCount->value() : 0;
    settings.effectiveRank = m_rank->isChecked();
    settings.probes.clear();
    for (const auto& [probe, box] : m_probes)
        if (box->isChecked())
            settings.probes.push_back(probe);
    settings.ceilings.clear();
    for (const auto& [degree, box] : m_ceilings)
        if (box->isChecked())
            settings.ceilings.push_back(degree);
    settings.heal = m_heal->isEnabled() && m_heal->isChecked();
    settings.healSteps = m_healSteps->value();
    settings.residualBlocks = study::BlockSelection::parse(m_blocks->text().toStdString());
    settings.seed = static_cast<std::uint64_t>(m_seed->value());
}

QString ExtrasPanel::summary() const {
    QStringList parts;
    if (m_folds->isChecked())
        parts += tr("%1 folds").arg(m_foldCount->value());
    if (m_rank->isChecked())
        parts += tr("rank");
    const auto isChecked = [](const auto& pair) { return pair.second->isChecked(); };
    if (const auto number = std::ranges::count_if(m_probes, isChecked))
        parts += plural(number, tr("probe"), tr("probes"));
    if (const auto number = std::ranges::count_if(m_ceilings, isChecked))
        parts += plural(number, tr("ceiling"), tr("ceilings"));
    if (m_heal->isEnabled() && m_heal->isChecked())
        parts += tr("healing");
    return parts.join(QStringLiteral(", "));
}

void ExtrasPanel::showState() {
    m_foldCount->setEnabled(m_folds->isChecked());
    m_healSteps->setEnabled(m_heal->isEnabled() && m_heal->isChecked());
    const QString text = summary();
    m_summary->setText(isUnfolded() ? QString() : text);
    m_summary->setToolTip(text);
    Q_EMIT changed();
}

void ExtrasPanel::save(QSettings& settings) const {
    settings.setValue(key("unfolded"), isUnfolded());
    settings.setValue(key("folds"), m_folds->isChecked());
    settings.setValue(key("foldCount"), m_foldCount->value());
    settings.setValue(key("rank"), m_rank->isChecked());
    QStringList probes, ceilings;
    for (const auto& [probe, box] : m_probes)
        if (box->isChecked())
            probes += toQString(study::info(probe).name);
    for (const auto& [degree, box] : m_ceilings)
        if (box->isChecked())
            ceilings += QString::number(degree);
    settings.setValue(key("probes"), probes);
    settings.setValue(key("ceilings"), ceilings);
    settings.setValue(key("heal"), m_heal->isChecked());
    settings.setValue(key("healSteps"), m_healSteps->value());
    settings.setValue(key("blocks"), m_blocks->text());
    settings.setValue(key("seed"), m_seed->value());
}

void ExtrasPanel::restore(const QSettings& settings) {
    m_folds->setChecked(settings.value(key("folds")).toBool());
    m_foldCount->setValue(settings.value(key("foldCount"), defaultFolds).toInt());
    m_rank->setChecked(settings.value(key("rank")).toBool());
    const QStringList probes = settings.value(key("probes")).toStringList(),
                      ceilings = settings.value(key("ceilings")).toStringList();
    for (const auto& [probe, box] : m_probes)
        box->setChecked(probes.contains(toQString(study::info(probe).name)));
    for (const auto& [degree, box] : m_ceilings)
        box->setChecked(ceilings.contains(QString::number(degree)));
    m_heal->setChecked(settings.value(key("heal")).toBool());
    m_healSteps->setValue(settings.value(key("healSteps"), defaultHealSteps).toInt());
    m_blocks->setText(settings.value(key("blocks")).toString());
    m_seed->setValue(settings.value(key("seed")).toInt());
    setUnfolded(settings.value(key("unfolded")).toBool());
}

}  // namespace straightedge::ui
