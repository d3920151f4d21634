// SPDX-License-Identifier: GPL-3.0-or-later
#include "data_table.h"

#include <QApplication>
#include <QClipboard>
#include <QHeaderView>
#include <QMimeData>
#include <QTableView>
#include <algorithm>

namespace straightedge::ui {

void setUpDataTable(QTableView& table) {
    table.setAlternatingRowColors(true);
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setSelectionBehavior(QTableView::SelectRows);
    table.setSelectionMode(QTableView::ExtendedSelection);
    table.setEditTriggers(QTableView::NoEditTriggers);
    table.setHorizontalScrollMode(QTableView::ScrollPerPixel);
    table.setTabKeyNavigation(false);
    table.setCornerButtonEnabled(false);
    const int line = table.fontMetrics().height();
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(line + 5);
    table.verticalHeader()->setMinimumSectionSize(line + 2);

    QHeaderView* header = table.horizontalHeader();
    header->setSectionsMovable(true);
    header->setHighlightSections(false);
    header->setSortIndicatorClearable(true);
    header->setSortIndicator(-1, Qt::AscendingOrder);
    header->setContextMenuPolicy(Qt::CustomContextMenu);
    table.setSortingEnabled(true);
    const QFontMetrics metrics(header->font());
    for (int column = 0; column < table.model()->columnCount(); ++column) {
        const QString title = table.model()->headerData(column, Qt::Horizontal).toString();
        table.setColumnWidth(column, std::max(metrics.horizontalAdvance(title) + 34,
                                              metrics.horizontalAdvance(QLatin1Char('0')) * 9));
    }
    header->setStretchLastSection(true);
}

void copyTsv(const QString& text) {
    auto* mime = new QMimeData;
    mime->setText(text);
    mime->setData(QStringLiteral("text/tab-separated-values"), text.toUtf8());
    QApplication::clipboard()->setMimeData(mime);
}

}  // namespace straightedge::ui
