// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpora_view.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>

#include "style/data_table.h"

namespace straightedge::ui {

CorporaView::CorporaView(RunList& runs, PointSelection& selection, QWidget* parent)
    : QTableView(parent), m_pairs(runs), m_selection(selection) {
    auto* sorted = new QSortFilterProxyModel(this);
    sorted->setSourceModel(&m_pairs);
    sorted->setSortRole(CorporaModel::ValueRole);
    setModel(sorted);
    setAccessibleName(tr("Texts compared"));
    setUpDataTable(*this);
    const int letter = QFontMetrics(horizontalHeader()->font()).averageCharWidth();
    for (const auto& [column, letters] : {std::pair<int, int>(CorporaModel::ModelColumn, 26),
                                          {CorporaModel::TextColumn, 22},
                                          {CorporaModel::OtherColumn, 22},
                                          {CorporaModel::IntervalColumn, 18}})
        setColumnWidth(column, letter * letters);
    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &CorporaView::choose);
    m_gather.setSingleShot(true);
    m_gather.setInterval(60);
    connect(&m_gather, &QTimer::timeout, this, &CorporaView::refresh);
    const auto soon = [this] {
        if (!m_gather.isActive())
            m_gather.start();
    };
    for (const auto signal :
         {&RunList::added, &RunList::removed, &RunList::blocksReset, &RunList::visibilityChanged})
        connect(&runs, signal, this, soon);
    connect(&runs, &RunList::blockAdded, this, soon);
    connect(&runs, &RunList::blockChanged, this, soon);
    refresh();
}

void CorporaView::setMetric(study::Metric metric) {
    m_metric = metric;
    refresh();
}

void CorporaView::refresh() {
    m_gather.stop();
    const bool before = !isEmpty();
    m_pairs.compare(m_metric);
    if (before == isEmpty())
        Q_EMIT filled(!isEmpty());
}

void CorporaView::choose() {
    PointSelection::Points points;
    const auto* sorted = static_cast<const QSortFilterProxyModel*>(model());
    for (const QModelIndex& index : selectionModel()->selectedRows())
        for (const PointId& point : m_pairs.pointsOf(sorted->mapToSource(index).row()))
            points.insert(point);
    if (!points.empty())
        m_selection.set(std::move(points));
}

void CorporaView::copy() const {
    copyTsv(m_pairs.toTsv());
}

}  // namespace straightedge::ui
