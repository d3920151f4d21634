// SPDX-License-Identifier: GPL-3.0-or-later
#include "card_list.h"

#include <QKeyEvent>
#include <QPainter>

#include "card_delegate.h"

namespace straightedge::ui {

CardList::CardList(const QString& name, QAbstractItemModel& model, const Theme& theme, QWidget* parent)
    : QListView(parent) {
    setAccessibleName(name);
    setModel(&model);
    setItemDelegate(new CardDelegate(theme, this));
    setResizeMode(Adjust);
    setWordWrap(true);  // or a change of width would not lay the cards out again
    setVerticalScrollMode(ScrollPerPixel);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setMouseTracking(true);
    setMinimumHeight(64);
}

void CardList::dataChanged(const QModelIndex& from, const QModelIndex& to, const QList<int>& roles) {
    QListView::dataChanged(from, to, roles);
    for (int row = from.row(); row <= to.row(); ++row)
        if (const QModelIndex index = from.siblingAtRow(row);
            visualRect(index).height() != sizeHintForIndex(index).height())
            return scheduleDelayedItemsLayout();
}

void CardList::paintEvent(QPaintEvent* event) {
    QListView::paintEvent(event);
    if (model()->rowCount() > 0)
        return;
    QPainter painter(viewport());
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(viewport()->rect().adjusted(12, 12, -12, -12), Qt::AlignCenter | Qt::TextWordWrap,
                     m_placeholder);
}

void CardList::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_Delete && currentIndex().isValid())
        Q_EMIT removeWanted(currentIndex().row());
    else
        QListView::keyPressEvent(event);
}

}  // namespace straightedge::ui
