// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QObject>
#include <QTimer>
#include <functional>
#include <set>
#include <vector>

class QPoint;
class QSettings;
class QTableView;

namespace straightedge::ui {

// Which columns of a table are shown: those the reader wants, without those that hold nothing. The header's
// menu has them all.
class ColumnChoice : public QObject {
    Q_OBJECT

  public:
    // `filled` tells of each column whether any row has a value; `fixed` ones cannot be taken off.
    ColumnChoice(QTableView& table, std::function<std::vector<bool>()> filled, std::set<int> fixed);

    bool isWanted(int column) const { return !m_unwanted.contains(column); }
    void setWanted(int column, bool wanted);
    void apply();

    // With the header's widths and order, under this key. A state of another number of columns is from
    // another version and is passed over.
    void save(QSettings& settings, const QString& key) const;
    void restore(const QSettings& settings, const QString& key);

  private:
    void showMenu(const QPoint& position);

    QTableView& m_table;
    std::function<std::vector<bool>()> m_filled;
    std::set<int> m_fixed;
    std::set<int> m_unwanted;
    QTimer m_gather;
};

}  // namespace straightedge::ui
