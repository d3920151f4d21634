// SPDX-License-Identifier: GPL-3.0-or-later
#include "runs_panel.h"

#include <QApplication>
#include <QClipboard>
#include <QLabel>
#include <QMenu>
#include <QVBoxLayout>

#include "run_list_model.h"
#include "style/card_delegate.h"
#include "style/card_list.h"

namespace straightedge::ui {

RunsPanel::RunsPanel(Session& session, const Theme& theme, QWidget* parent)
    : QWidget(parent),
      m_session(session),
      m_model(new RunListModel(session.runs(), theme, this)),
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
    connect(m_list, &CardList::customContextMenuRequested, this, &RunsPanel::menu);
    connect(m_list, &CardList::removeWanted, this, &RunsPanel::removeCurrent);
    connect(&session.runs(), &RunList::added, this, [this] { m_list->scrollToBottom(); });
}

std::optional<RunId> RunsPanel::current() const {
    const QModelIndex index = m_list->currentIndex();
    return index.isValid() ? std::optional(m_session.runs().at(index.row()).id) : std::nullopt;
}

void RunsPanel::removeCurrent() {
    if (const auto id = current())
        m_session.remove(*id);
}

void RunsPanel::showOnly(RunId id) {
    RunList& runs = m_session.runs();
    for (int row = 0; row < runs.size(); ++row)
        runs.setVisible(runs.at(row).id, runs.at(row).id == id);
}

void RunsPanel::menu(const QPoint& position) {
    const auto id = current();
    if (!id)
        return;
    RunList& runs = m_session.runs();
    const RunEntry& entry = *runs.find(*id);
    QMenu menu(this);
    menu.addAction(entry.visible ? tr("Hide") : tr("Show"), this,
                   [&runs, id, show = !entry.visible] { runs.setVisible(*id, show); });
    menu.addAction(tr("Show only this"), this, [this, id] { showOnly(*id); });
    menu.addAction(tr("Show all"), this, [&runs] {
        for (int row = 0; row < runs.size(); ++row)
            runs.setVisible(runs.at(row).id, true);
    });
    menu.addSeparator();
    const QString problem = m_list->currentIndex().data(CardDelegate::ProblemRole).toString();
    menu.addAction(tr("Copy error"), this, [problem] { QApplication::clipboard()->setText(problem); })
        ->setEnabled(!problem.isEmpty());
    menu.addAction(tr("Cancel"), this, [this, id] { m_session.jobs().cancel(*id); })
        ->setEnabled(entry.activity == Activity::Waiting || entry.activity == Activity::Running);
    menu.addAction(tr("Remove"), QKeySequence::Delete, this, &RunsPanel::removeCurrent);
    menu.exec(m_list->viewport()->mapToGlobal(position));
}

}  // namespace straightedge::ui
