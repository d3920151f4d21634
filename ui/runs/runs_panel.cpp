// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QInputDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "run_list_model.h"
#include "style/card_delegate.h"
#include "style/card_list.h"
#include "style/format.h"

namespace straightedge::ui {

RunsPanel::RunsPanel(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new RunListModel(session, theme, this)),
      m_list(new CardList(tr("Runs"), *m_model, theme)) {
    auto* title = new QLabel(tr("Runs"));
    title->setProperty("role", QStringLiteral("section"));
    title->setBuddy(m_list);
    m_list->setContextMenuPolicy(Qt::CustomContextMenu);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(10, 8, 10, 10);
    column->setSpacing(5);
    column->addWidget(title);
    column->addWidget(m_list, 1);
    connect(m_list, &CardList::customContextMenuRequested, this, &RunsPanel::showMenu);
    connect(m_list, &CardList::removeWanted, this, [this] {
        if (const auto id = current())
            askAndRemove(*id);
    });
    connect(&session.runs(), &RunList::added, this, [this] { m_list->scrollToBottom(); });
}

std::optional<RunId> RunsPanel::current() const {
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? std::optional(m_session.runs().at(index.row()).id) : std::nullopt;
}

// What is not in the store is gone at once and can be had again; what is stored is asked about.
void RunsPanel::askAndRemove(RunId id) {
    const RunEntry* entry = m_session.runs().find(id);
    if (entry->kept.id.empty())
        return m_session.remove(id);
    auto* question =
        new QMessageBox(QMessageBox::Question, tr("Delete the run"),
                        tr("Delete “%1” with its fitted maps from the store?").arg(entry->oneLine()),
                        QMessageBox::Cancel, this);
    question->setInformativeText(tr("This cannot be undone. Hidden, it would be out of the way and kept."));
    const auto* yes = question->addButton(tr("Delete"), QMessageBox::DestructiveRole);
    question->setDefaultButton(QMessageBox::Cancel);
    question->setAttribute(Qt::WA_DeleteOnClose);
    connect(yes, &QAbstractButton::clicked, this, [this, id] { m_session.remove(id); });
    question->open();
}

void RunsPanel::askForName(RunId id) {
    const RunEntry& entry = *m_session.runs().find(id);
    auto* dialog = new QInputDialog(this);
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setWindowTitle(tr("Rename the run"));
    dialog->setLabelText(tr("Name (empty: the model's)"));
    dialog->setTextValue(entry.title());
    dialog->resize(360, dialog->height());
    connect(dialog, &QInputDialog::textValueSelected, this, [this, id](const QString& text) {
        const RunEntry* still = m_session.runs().find(id);
        if (still)
            m_session.rename(id, text.trimmed() == toQString(still->run.header.model) ? QString() : text);
    });
    dialog->open();
}

void RunsPanel::showOnly(RunId id) {
    RunList& runs = m_session.runs();
    for (int row = 0; row < runs.size(); ++row)
        runs.setVisible(runs.at(row).id, runs.at(row).id == id);
}

void RunsPanel::addExports(QMenu& menu, const RunEntry& entry) {
    const RunId id = entry.id;
    QMenu* exports = menu.addMenu(tr("Export"));
    exports->setEnabled(!entry.run.blocks.empty());
    for (const QString& ending : {QStringLiteral("csv"), QStringLiteral("json")})
        exports->addAction(tr("Blocks as %1 …").arg(ending.toUpper()), this,
                           [this, id, ending] { Q_EMIT exportWanted(id, ending); });
    exports->addSeparator();
    for (const auto& [ending, name] : {std::pair(QStringLiteral("csv"), QStringLiteral("CSV")),
                                       {QStringLiteral("json"), QStringLiteral("JSON")},
                                       {QStringLiteral("md"), QStringLiteral("Markdown")},
                                       {QStringLiteral("tex"), QStringLiteral("LaTeX")}})
        exports->addAction(tr("Compression table as %1 …").arg(name), this,
                           [this, id, ending = ending] { Q_EMIT exportTableWanted(id, ending); });
    menu.addAction(tr("Export replacement …"), this, [this, id] { Q_EMIT exportReplacementWanted(id); })
        ->setEnabled(!entry.kept.id.empty() && !entry.isActive() &&
                     std::ranges::any_of(entry.run.blocks,
                                         [](const auto& block) { return !block.replacements.empty(); }));
}

void RunsPanel::addHidden(QMenu& menu) {
    QMenu* hidden = menu.addMenu(tr("Hidden runs"));
    for (const study::StoredRun& stored : m_session.hiddenRuns()) {
        const QString name = toQString(stored.name.empty() ? stored.run.header.model : stored.name);
        hidden->addAction(name + QStringLiteral(" · ") + toQString(stored.run.header.corpus), this,
                          [this, id = stored.id] { m_session.bringBack(id); });
    }
    hidden->setEnabled(!hidden->isEmpty());
}

QMenu* RunsPanel::menuFor(RunId id) {
    RunList& runs = m_session.runs();
    const RunEntry& entry = *runs.find(id);
    auto* menu = new QMenu(this);
    menu->addAction(entry.visible ? tr("Take off the plots") : tr("Show in the plots"), this,
                    [&runs, id, show = !entry.visible] { runs.setVisible(id, show); });
    menu->addAction(tr("Show only this"), this, [this, id] { showOnly(id); });
    menu->addAction(tr("Show all"), this, [&runs] {
        for (int row = 0; row < runs.size(); ++row)
            runs.setVisible(runs.at(row).id, true);
    });
    menu->addSeparator();
    if (const QString resume = RunListModel::resumeText(m_session, entry); !resume.isEmpty())
        menu->addAction(resume, this, [this, id] { m_session.resume(id); });
    menu->addAction(tr("Cancel"), this, [this, id] { m_session.jobs().cancel(id); })
        ->setEnabled(entry.activity == Activity::Waiting || entry.activity == Activity::Running);
    const QString problem = m_model->index(runs.rowOf(id)).data(CardDelegate::ProblemRole).toString();
    menu->addAction(tr("Copy error"), this, [problem] { QApplication::clipboard()->setText(problem); })
        ->setEnabled(!problem.isEmpty());
    menu->addSeparator();
    addExports(*menu, entry);
    menu->addSeparator();
    const bool stored = !entry.kept.id.empty();
    menu->addAction(tr("Rename …"), this, [this, id] { askForName(id); })
        ->setEnabled(entry.origin == Origin::Measured);
    menu->addAction(tr("Hide"), this, [this, id] { m_session.hide(id); })
        ->setEnabled(stored && !entry.isActive());
    addHidden(*menu);
    menu->addAction(stored ? tr("Delete …") : tr("Remove"), QKeySequence::Delete, this,
                    [this, id] { askAndRemove(id); });
    return menu;
}

void RunsPanel::showMenu(const QPoint& position) {
    const auto id = current();
    if (!id)
        return;
    QMenu* menu = menuFor(*id);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->popup(m_list->viewport()->mapToGlobal(position));
}

}  // namespace straightedge::ui
