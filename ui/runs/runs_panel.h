// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <optional>

#include "jobs/session.h"

namespace straightedge::ui {

class CardList;
class RunListModel;
class Theme;

// The list of runs, which is the queue as well: what waits, what runs and how far it is, what went wrong.
class RunsPanel : public QWidget {
    Q_OBJECT

  public:
    RunsPanel(Session& session, const Theme& theme, QWidget* parent = nullptr);

    CardList* list() const { return m_list; }

  private:
    std::optional<RunId> current() const;
    void menu(const QPoint& position);
    void removeCurrent();
    void showOnly(RunId id);

    Session& m_session;
    RunListModel* m_model;
    CardList* m_list;
};

}  // namespace straightedge::ui
