// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "jobs/session.h"

class QMenu;

namespace straightedge::ui {

class CardList;
class RunListModel;
class Theme;

// The list of runs, which is the queue as well: what waits, what runs and how far it is, what went wrong, and
// what the store has kept.
class RunsPanel : public QWidget {
    Q_OBJECT

  public:
    RunsPanel(Session& session, const Theme& theme, QWidget* parent = nullptr);

    CardList* list() const { return m_list; }
    // Everything that can be done with a run. The caller deletes it.
    QMenu* menuFor(RunId id);

  Q_SIGNALS:
    void exportWanted(RunId id, const QString& ending);       // the blocks' numbers: csv or json
    void exportTableWanted(RunId id, const QString& ending);  // its compression table
    void exportReplacementWanted(RunId id);

  private:
    std::optional<RunId> current() const;
    void showMenu(const QPoint& position);
    void askAndRemove(RunId id);
    void askForName(RunId id);
    void showOnly(RunId id);
    void addExports(QMenu& menu, const RunEntry& entry);
    void addHidden(QMenu& menu);

    Session& m_session;
    RunListModel* m_model;
    CardList* m_list;
};

}  // namespace straightedge::ui
