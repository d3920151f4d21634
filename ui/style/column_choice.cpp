// SPDX-License-Identifier: GPL-3.0-or-later
#include "column_choice.h"

#include <QHeaderView>
#include <QMenu>
#include <QSettings>
#include <QTableView>

namespace straightedge::ui {

ColumnChoice::ColumnChoice(QTableView& table, std::function<std::vector<bool>()> filled, std::set<int> fixed)
    : QObject(&table), m_table(table), m_filled(std::move(filled)), m_fixed(std::move(fixed)) {
    connect(table.horizontalHeader(), &QHeaderView::customContextMenuRequested, this,
            &ColumnChoice::showMenu);
    m_gather.setSingleShot(true);
    m_gather.setInterval(50);
    connect(&m_gather, &QTimer::timeout, this, &ColumnChoice::apply);
    const auto soon = [this] {
        if (!m_gather.isActive())
            m_gather.start();
    };
    const QAbstractItemModel* model = table.model();
    connect(model, &QAbstractItemModel::rowsInserted, this, soon);
    connect(model, &QAbstractItemModel::rowsRemoved, this, soon);
    connect(model, &QAbstractItemModel::dataChanged, this, soon);
    connect(model, &QAbstractItemModel::modelReset, this, soon);
}

void ColumnChoice::setWanted(int column, bool wanted) {
    if (wanted)
        m_unwanted.erase(column);
    else
        m_unwanted.insert(column);
    apply();
}

void ColumnChoice::apply() {
    m_gather.stop();
    const std::vector<bool> filled = m_filled();
    for (int column = 0; column < static_cast<int>(filled.size()); ++column) {
        const bool hidden =
            !m_fixed.contains(column) && (!isWanted(column) || !filled[static_cast<std::size_t>(column)]);
        if (m_table.isColumnHidden(column) != hidden)
            m_table.setColumnHidden(column, hidden);
    }
}

void ColumnChoice::showMenu(const QPoint& position) {
    const std::vector<bool> filled = m_filled();
    QMenu menu(&m_table);
    for (int column = 0; column < static_cast<int>(filled.size()); ++column) {
        const QString title = m_table.model()->headerData(column, Qt::Horizontal).toString();
        QAction* action = menu.addAction(
            filled[static_cast<std::size_t>(column)] ? title : tr("%1 (no values)").arg(title));
        action->setCheckable(true);
        action->setChecked(isWanted(column));
        action->setEnabled(!m_fixed.contains(column));
        connect(action, &QAction::toggled, this, [this, column](bool wanted) { setWanted(column, wanted); });
    }
    menu.exec(m_table.horizontalHeader()->mapToGlobal(position));
}

void ColumnChoice::save(QSettings& settings, const QString& key) const {
    QStringList unwanted;
    for (const int column : m_unwanted)
        unwanted += QString::number(column);
    settings.setValue(key + QStringLiteral("/header"), m_table.horizontalHeader()->saveState());
    settings.setValue(key + QStringLiteral("/unwanted"), unwanted);
    settings.setValue(key + QStringLiteral("/columns"), m_table.model()->columnCount());
}

void ColumnChoice::restore(const QSettings& settings, const QString& key) {
    const QString unwantedKey = key + QStringLiteral("/unwanted");
    if (!settings.contains(unwantedKey) ||
        settings.value(key + QStringLiteral("/columns")).toInt() != m_table.model()->columnCount())
        return;
    m_table.horizontalHeader()->restoreState(settings.value(key + QStringLiteral("/header")).toByteArray());
    m_unwanted.clear();
    for (const QString& column : settings.value(unwantedKey).toStringList())
        m_unwanted.insert(column.toInt());
    apply();
}

}  // namespace straightedge::ui
