// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_table_view.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <algorithm>
#include <numeric>

#include "style/column_choice.h"
#include "style/data_table.h"

namespace straightedge::ui {

namespace {

// Of use in a file rather than on screen; the header's menu brings them back.
constexpr study::Metric hiddenAtFirst[] = {study::Metric::Rows, study::Metric::RowsTrain,
                                           study::Metric::ConstantFeatures, study::Metric::BasePpl};
// Beside the published score, because they belong together.
constexpr study::Metric beside[] = {study::Metric::R2LinCentred, study::Metric::R2Typical,
                                    study::Metric::Dppl, study::Metric::DpplSe, study::Metric::MassiveShare};

}  // namespace

BlockTableView::BlockTableView(BlockTableModel& model, PointSelection& selection, QWidget* parent)
    : QTableView(parent), m_model(model), m_selection(selection) {
    setModel(&model);
    setAccessibleName(tr("Blocks"));
    setUpDataTable(*this);
    QHeaderView* header = horizontalHeader();
    const QFontMetrics metrics(header->font());
    setColumnWidth(BlockTableModel::BlockColumn, metrics.horizontalAdvance(QStringLiteral("block")) + 34);
    setColumnWidth(BlockTableModel::ModelColumn, metrics.averageCharWidth() * 26);
    setColumnWidth(BlockTableModel::CorpusColumn, metrics.averageCharWidth() * 22);
    m_columns =
        new ColumnChoice(*this, [this] { return m_model.filledColumns(); }, {BlockTableModel::BlockColumn});
    for (const study::Metric metric : hiddenAtFirst)
        m_columns->setWanted(BlockTableModel::columnOf(metric), false);
    int place = header->visualIndex(BlockTableModel::columnOf(study::Metric::R2Lin));
    for (const study::Metric metric : beside)
        header->moveSection(header->visualIndex(BlockTableModel::columnOf(metric)), ++place);

    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &BlockTableView::readSelection);
    connect(&selection, &PointSelection::changed, this, &BlockTableView::showSelection);
    connect(&model, &QAbstractItemModel::rowsInserted, this, &BlockTableView::showSelection);
}

void BlockTableView::showSelection() {
    if (m_following)
        return;
    const QScopedValueRollback guard(m_following, true);
    QItemSelection rows;
    int first = -1;
    for (const PointId& point : m_selection.points())
        if (const int row = m_model.rowOf(point); row >= 0) {
            rows.select(m_model.index(row, 0), m_model.index(row, m_model.columnCount() - 1));
            first = first < 0 ? row : std::min(first, row);
        }
    if (rows == selectionModel()->selection())
        return;
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (first >= 0) {
        const QModelIndex index = m_model.index(first, std::max(0, columnAt(0)));
        selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
        scrollTo(index);
    }
}

void BlockTableView::readSelection() {
    if (m_following)
        return;
    const QScopedValueRollback guard(m_following, true);
    PointSelection::Points points;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        points.insert(m_model.pointAt(index.row()));
    m_selection.set(std::move(points));
}

std::vector<int> BlockTableView::shownColumns() const {
    std::vector<int> columns;
    for (int place = 0; place < m_model.columnCount(); ++place)
        if (const int column = horizontalHeader()->logicalIndex(place); !isColumnHidden(column))
            columns.push_back(column);
    return columns;
}

void BlockTableView::copy() const {
    std::vector<int> rows;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        rows.push_back(index.row());
    std::ranges::sort(rows);
    if (rows.empty()) {
        rows.resize(static_cast<std::size_t>(m_model.rowCount()));
        std::iota(rows.begin(), rows.end(), 0);
    }
    const QString text = m_model.toTsv(rows, shownColumns());
    copyTsv(text);
}

void BlockTableView::save(QSettings& settings) const {
    m_columns->save(settings, QStringLiteral("blocks"));
}

void BlockTableView::restore(const QSettings& settings) {
    m_columns->restore(settings, QStringLiteral("blocks"));
}

}  // namespace straightedge::ui
