// SPDX-License-Identifier: GPL-3.0-or-later
#include "measure_panel.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QSpinBox>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>
#include <utility>

#include "cost_hint.h"
#include "error.h"
#include "extras_panel.h"
#include "fetch_dialog.h"
#include "fields.h"
#include "file_field.h"
#include "study/models/find_text.h"
#include "style/card_list.h"
#include "style/format.h"
#include "style/theme.h"

namespace straightedge::ui {

namespace {

// A file, or the name of a text that was fetched. Throws Error for a known one that was not.
std::filesystem::path textNamed(const QString& text) {
    return study::resolveText(toPath(text).string());
}

}  // namespace

MeasurePanel::MeasurePanel(const Theme& theme, ModelList::Inspect inspect, QWidget* parent)
    : QWidget(parent), m_theme(theme), m_models(new ModelList(std::move(inspect), this)) {
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 10, 10, 8);
    column->setSpacing(10);
    column->addWidget(makeModels(theme), 1);
    column->addWidget(makeText());
    column->addWidget(makeSample());
    column->addWidget(makeSwaps());
    m_extras = new ExtrasPanel;
    column->addWidget(m_extras);
    column->addWidget(makeButtons());
    m_cost = new CostHint(this);
    connect(m_cost, &CostHint::known, this, [this](const QString& text) {
        if (whatIsMissing().isEmpty())
            showHint(text, false);
    });
    for (QCheckBox* box : {m_perplexity, m_balanced, m_switched})
        connect(box, &QCheckBox::toggled, this, &MeasurePanel::askCost);
    connect(m_batches, &QSpinBox::valueChanged, this, &MeasurePanel::askCost);
    setIcons();
    connect(&theme, &Theme::changed, this, &MeasurePanel::setIcons);
    connect(m_models, &ModelList::changed, this, &MeasurePanel::showState);
    connect(m_corpus, &FileField::changed, this, &MeasurePanel::showState);
    connect(m_evaluation, &FileField::changed, this, &MeasurePanel::showState);
    connect(m_blocks, &QLineEdit::textChanged, this, &MeasurePanel::showState);
    connect(m_tokens, &QSpinBox::valueChanged, this, &MeasurePanel::showState);
    connect(m_window, &QSpinBox::valueChanged, this, &MeasurePanel::showState);
    connect(m_extras, &ExtrasPanel::changed, this, &MeasurePanel::showState);
    connect(m_perplexity, &QCheckBox::toggled, m_extras, &ExtrasPanel::setPerplexity);
    connect(m_measure, &QPushButton::clicked, this, &MeasurePanel::measureWanted);
    connect(m_cancel, &QPushButton::clicked, this, &MeasurePanel::cancelWanted);
    setBusy(false);
    showState();
}

QWidget* MeasurePanel::makeModels(const Theme& theme) {
    m_modelView = new CardList(tr("Models"), *m_models, theme);
    m_modelView->setPlaceholder(tr("Folders and GGUF files can be dropped here"));
    connect(m_modelView, &CardList::removeWanted, m_models, &ModelList::remove);

    auto* head = new QHBoxLayout;
    head->setSpacing(2);
    head->addWidget(section(tr("&Models"), m_modelView), 1);
    const auto button = [&](const QString& icon, const QString& name, auto slot) {
        auto* made = new QToolButton;
        made->setAutoRaise(true);
        made->setToolTip(name);
        made->setAccessibleName(name);
        m_iconButtons.emplace_back(made, icon);
        connect(made, &QToolButton::clicked, this, slot);
        head->addWidget(made);
    };
    button(QStringLiteral("folder-add"),
           tr("Add a folder: a Hugging Face checkpoint, or one that holds several"),
           &MeasurePanel::chooseFolder);
    button(QStringLiteral("file-add"), tr("Add files: GGUF, or a shard or index of safetensors"),
           &MeasurePanel::chooseFiles);
    button(QStringLiteral("fetch"), tr("Add a model from the Hugging Face hub"), &MeasurePanel::fetchFromHub);
    button(QStringLiteral("remove"), tr("Take the selected model off the list (Del)"),
           [this] { m_models->remove(m_modelView->currentIndex().row()); });
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    column->addLayout(head);
    column->addWidget(m_modelView, 1);
    return asWidget(column);
}

QWidget* MeasurePanel::makeText() {
    m_corpus = new FileField(tr("Text"), tr("text files to measure on"));
    m_corpus->setSeveral(
        tr("Several texts, separated by ;, are measured one after the other: their profiles are "
           "compared below the plot. Fetched ones go by name too: wikitext-2-raw, moby-dick."));
    m_evaluation = new FileField(tr("Evaluation text"), tr("evaluation text: its last tenth"));
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    column->addWidget(section(tr("&Text"), m_corpus));
    column->addWidget(m_corpus);
    column->addWidget(m_evaluation);
    return asWidget(column);
}

QWidget* MeasurePanel::makeSample() {
    m_tokens = numberBox(2, 100'000'000, 1'000, 15'000, tr("Tokens"));
    m_window = numberBox(2, 1'048'576, 32, 128, tr("Window length"));
    m_window->setToolTip(
        tr("Tokens in one window. Windows do not overlap; attention stays inside its window."));
    m_tokens->setToolTip(tr("How many tokens of the text are measured, in whole windows."));
    m_blocks = new QLineEdit;
    m_blocks->setPlaceholderText(tr("all"));
    m_blocks->setToolTip(tr("Block numbers from 0 and ranges: 0,3-5. Empty: all."));
    m_blocks->setAccessibleName(tr("Blocks"));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(3);
    int place = 0;
    for (const auto& [name, field] : {std::pair<QString, QWidget*>(tr("T&okens"), m_tokens),
                                      {tr("&Window"), m_window},
                                      {tr("&Blocks"), m_blocks}}) {
        grid->addWidget(caption(name, field), 0, place);
        grid->addWidget(field, 1, place);
        grid->setColumnStretch(place++, 1);
    }
    return asWidget(grid);
}

QWidget* MeasurePanel::makeSwaps() {
    m_perplexity =
        checkBox(tr("&Perplexity, on"),
                 tr("What it costs to put each block's map in its FFN's place, on the evaluation text; "
                    "takes several times as long."));
    m_batches = numberBox(1, 1'000'000, 10, 30, tr("Evaluation batches"));
    m_batches->setToolTip(
        tr("Batches of four windows of the evaluation text that perplexity is taken on: more "
           "make its error smaller."));
    m_batches->setSuffix(tr(" batches"));
    m_batches->setEnabled(false);
    connect(m_perplexity, &QCheckBox::toggled, m_batches, &QWidget::setEnabled);
    QCheckBox* published = checkBox(
        tr("published"), tr("The plain least-squares map of the published work; it is always fitted."));
    published->setChecked(true);
    published->setEnabled(false);
    m_balanced =
        checkBox(tr("b&alanced"), tr("Least squares with massive rows weighted down, two ways: one matrix "
                                     "still, and often a far cheaper swap."));
    m_switched =
        checkBox(tr("s&witched"), tr("The map of the ordinary rows, with massive rows sent to their mean "
                                     "output instead; only where a block has massive rows."));
    auto* cost = new QHBoxLayout;
    cost->setSpacing(6);
    cost->addWidget(m_perplexity);
    cost->addWidget(m_batches, 1);
    auto* fits = new QHBoxLayout;
    fits->setSpacing(10);
    for (QCheckBox* fit : {published, m_balanced, m_switched})
        fits->addWidget(fit);
    fits->addStretch(1);
    auto* column = new QVBoxLayout;
    column->setSpacing(4);
    column->addWidget(section(tr("Swaps"), m_perplexity));
    column->addLayout(fits);
    column->addLayout(cost);
    return asWidget(column);
}

QWidget* MeasurePanel::makeButtons() {
    m_hint = new QLabel;
    m_hint->setWordWrap(true);
    m_hint->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_measure = new QPushButton;
    m_measure->setProperty("role", QStringLiteral("primary"));
    m_cancel = new QPushButton(tr("Cancel"));
    m_cancel->setToolTip(tr("Stop the run that is under way and forget those that wait (Ctrl+.)"));
    auto* row = new QHBoxLayout;
    row->setSpacing(6);
    row->addWidget(m_measure, 1);
    row->addWidget(m_cancel);
    auto* column = new QVBoxLayout;
    column->setSpacing(5);
    column->addLayout(row);
    column->addWidget(m_hint);
    return asWidget(column);
}

void MeasurePanel::setIcons() {
    for (const auto& [button, name] : m_iconButtons)
        button->setIcon(m_theme.icon(name));
}

void MeasurePanel::setCorpus(const QString& path) {
    m_corpus->setPath(path);
}

QString MeasurePanel::corpus() const {
    return m_corpus->path();
}

void MeasurePanel::chooseFolder() {
    auto* dialog = new QFileDialog(this, tr("Add a folder"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& path) { m_models->addForGood(toPath(path)); });
    dialog->open();
}

void MeasurePanel::chooseFiles() {
    auto* dialog = new QFileDialog(this, tr("Add model files"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    dialog->setNameFilters({tr("Models (*.gguf *.safetensors *.json)"), tr("All files (*)")});
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& paths) {
        for (const QString& path : paths)
            m_models->addForGood(toPath(path));
    });
    dialog->open();
}

// Beside the window, which can be used meanwhile.
void MeasurePanel::fetchFromHub() {
    auto* dialog = new FetchDialog(study::fetch, this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    connect(dialog, &FetchDialog::fetched, this,
            [this](const QString& path) { m_models->add(toPath(path)); });
    dialog->show();
}

void MeasurePanel::chooseCorpus() {
    m_corpus->browse();
}

void MeasurePanel::setBusy(bool busy) {
    m_cancel->setEnabled(busy);
    if (std::exchange(m_busy, busy) && !busy)
        askCost();
}

void MeasurePanel::setStore(const std::filesystem::path& folder) {
    m_cost->setStore(folder);
}

QString MeasurePanel::hint() const {
    return m_hint->text();
}

// Not while something runs: the machine's speed is measured with the first answer.
void MeasurePanel::askCost() {
    if (m_busy || !whatIsMissing().isEmpty())
        return;
    std::vector<study::StudySettings> runs;
    for (const Request& request : requestsAsTheyStand())
        runs.push_back(request.settings);
    m_cost->ask(std::move(runs));
}

study::StudySettings MeasurePanel::settingsFor(const std::filesystem::path& model,
                                               const std::filesystem::path& corpus) const {
    study::StudySettings settings;
    settings.model = model;
    settings.corpus = corpus;
    settings.tokens = m_tokens->value();
    settings.seqLen = m_window->value();
    settings.blocks = study::BlockSelection::parse(m_blocks->text().toStdString());
    settings.perplexity = m_perplexity->isChecked();
    settings.evaluationBatches = m_batches->value();
    settings.balanced = m_balanced->isChecked();
    settings.switched = m_switched->isChecked();
    m_extras->apply(settings);
    return settings;
}

QString MeasurePanel::whatIsMissing() const {
    try {
        study::BlockSelection::parse(m_blocks->text().toStdString());
        study::StudySettings asked;
        m_extras->apply(asked);
        for (const QString& text : m_corpus->paths() + m_evaluation->paths())
            textNamed(text);
    } catch (const Error& error) {
        return QString::fromUtf8(error.what());
    }
    if (m_models->chosen().empty())
        return m_models->isReading()       ? tr("Reading the model …")
               : m_models->rowCount() == 0 ? tr("Add a model and a text.")
                                           : tr("Check a model that can be measured.");
    if (m_corpus->path().isEmpty())
        return tr("Choose a text to measure on.");
    if (m_tokens->value() < m_window->value())
        return tr("The tokens do not fill one window.");
    return {};
}

std::vector<MeasurePanel::Request> MeasurePanel::requests() const {
    if (!whatIsMissing().isEmpty())
        return {};
    m_corpus->remember();
    m_evaluation->remember();
    return requestsAsTheyStand();
}

std::vector<MeasurePanel::Request> MeasurePanel::requestsAsTheyStand() const {
    std::vector<Request> requests;
    for (const ModelList::Choice& choice : m_models->chosen())
        for (const QString& text : m_corpus->paths()) {
            Request request{settingsFor(choice.path, textNamed(text)), choice.name};
            if (const QString evaluation = m_evaluation->path(); !evaluation.isEmpty())
                request.settings.evaluationCorpus = textNamed(evaluation);
            requests.push_back(std::move(request));
        }
    return requests;
}

void MeasurePanel::showState() {
    const QString missing = whatIsMissing();
    const auto count = static_cast<qint64>(m_models->chosen().size());
    m_measure->setEnabled(missing.isEmpty());
    const auto texts = m_corpus->paths().size();
    m_measure->setText(texts > 1   ? tr("Measure %1 × %2 texts").arg(count).arg(texts)
                       : count > 1 ? tr("Measure %1 models").arg(count)
                                   : tr("Measure"));
    m_measure->setToolTip(missing.isEmpty() ? tr("Ctrl+Return") : missing);
    showHint(missing, missing.contains(QLatin1Char('\n')));
    askCost();
}

void MeasurePanel::showHint(const QString& text, bool isError) {
    m_hint->setText(text);
    m_hint->setVisible(!text.isEmpty());
    m_hint->setProperty("role", isError ? QStringLiteral("error") : QStringLiteral("muted"));
    m_hint->style()->unpolish(m_hint);
    m_hint->style()->polish(m_hint);
}

void MeasurePanel::save(QSettings& settings) const {
    settings.setValue(QStringLiteral("models/paths"), m_models->paths());
    settings.setValue(QStringLiteral("models/checked"), m_models->checkedPaths());
    settings.setValue(QStringLiteral("models/hidden"), m_models->hiddenPaths());
    settings.setValue(QStringLiteral("text/path"), m_corpus->path());
    settings.setValue(QStringLiteral("text/recent"), m_corpus->recent());
    settings.setValue(QStringLiteral("text/evaluation"), m_evaluation->path());
    settings.setValue(QStringLiteral("text/recentEvaluation"), m_evaluation->recent());
    settings.setValue(QStringLiteral("study/tokens"), m_tokens->value());
    settings.setValue(QStringLiteral("study/window"), m_window->value());
    settings.setValue(QStringLiteral("study/blocks"), m_blocks->text());
    settings.setValue(QStringLiteral("study/perplexity"), m_perplexity->isChecked());
    settings.setValue(QStringLiteral("study/batches"), m_batches->value());
    settings.setValue(QStringLiteral("study/balanced"), m_balanced->isChecked());
    settings.setValue(QStringLiteral("study/switched"), m_switched->isChecked());
    m_extras->save(settings);
}

void MeasurePanel::restore(const QSettings& settings) {
    const QStringList checked = settings.value(QStringLiteral("models/checked")).toStringList();
    for (const QString& path : settings.value(QStringLiteral("models/paths")).toStringList())
        m_models->add(toPath(path), checked.contains(path));
    m_models->look(checked, settings.value(QStringLiteral("models/hidden")).toStringList());
    m_corpus->setRecent(settings.value(QStringLiteral("text/recent")).toStringList());
    m_corpus->setPath(settings.value(QStringLiteral("text/path")).toString());
    m_evaluation->setRecent(settings.value(QStringLiteral("text/recentEvaluation")).toStringList());
    m_evaluation->setPath(settings.value(QStringLiteral("text/evaluation")).toString());
    m_tokens->setValue(settings.value(QStringLiteral("study/tokens"), 15'000).toInt());
    m_window->setValue(settings.value(QStringLiteral("study/window"), 128).toInt());
    m_blocks->setText(settings.value(QStringLiteral("study/blocks")).toString());
    m_perplexity->setChecked(settings.value(QStringLiteral("study/perplexity")).toBool());
    m_batches->setValue(settings.value(QStringLiteral("study/batches"), 30).toInt());
    m_balanced->setChecked(settings.value(QStringLiteral("study/balanced")).toBool());
    m_switched->setChecked(settings.value(QStringLiteral("study/switched")).toBool());
    m_extras->restore(settings);
}

}  // namespace straightedge::ui
