// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QListView>

namespace straightedge::ui {

class Theme;

// A list of cards that keeps up with their changing heights.
class CardList : public QListView {
    Q_OBJECT

  public:
    CardList(const QString& name, QAbstractItemModel& model, const Theme& theme, QWidget* parent = nullptr);

    // What an empty list says.
    void setPlaceholder(const QString& text) { m_placeholder = text; }
    void dataChanged(const QModelIndex& from, const QModelIndex& to, const QList<int>& roles = {}) override;

  Q_SIGNALS:
    void removeWanted(int row);  // the Delete key

  protected:
    void keyPressEvent(QKeyEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

  private:
    QString m_placeholder;
};

}  // namespace straightedge::ui
