// SPDX-License-Identifier: GPL-3.0-or-later
#include "compression_view.h"

#include <QHeaderView>
#include <QScopedValueRollback>
#include <algorithm>
#include <map>
#include <set>

#include "style/column_choice.h"
#include "style/data_table.h"

namespace straightedge::ui {

CompressionView::CompressionView(CompressionModel& model, CompressionFilter& filter,
                                 PointSelection& selection, QWidget* parent)
    : QTableView(parent), m_model(model), m_filter(filter), m_selection(selection) {
    setModel(&filter);
    setAccessibleName(tr("Compression table"));
    setUpDataTable(*this);
    m_columns = new ColumnChoice(*this, [this] { return m_model.filledColumns(); },
                                 {CompressionModel::BlockColumn, CompressionModel::CostColumn});
    m_columns->apply();
    const QFontMetrics metrics(horizontalHeader()->font());
    setColumnWidth(CompressionModel::BlockColumn, metrics.horizontalAdvance(QStringLiteral("block")) + 34);
    setColumnWidth(CompressionModel::ModelColumn, metrics.averageCharWidth() * 24);
    setColumnWidth(CompressionModel::CorpusColumn, metrics.averageCharWidth() * 17);
    setColumnWidth(CompressionModel::ReplacementColumn, metrics.averageCharWidth() * 16);
    setColumnWidth(CompressionModel::CostColumn, metrics.horizontalAdvance(QLatin1Char('0')) * 14);

    connect(selectionModel(), &QItemSelectionModel::selectionChanged, this, &CompressionView::readSelection);
    connect(&selection, &PointSelection::changed, this, &CompressionView::showSelection);
    connect(&filter, &QAbstractItemModel::rowsInserted, this, &CompressionView::showSelection);
}

PointId CompressionView::pointAt(int row) const {
    return m_model.rowAt(m_filter.mapToSource(m_filter.index(row, 0)).row()).point;
}

void CompressionView::showSelection() {
    if (m_following)
        return;
    const QScopedValueRollback guard(m_following, true);
    QItemSelection rows;
    int first = -1;
    for (int row = 0; row < m_filter.rowCount() && !m_selection.points().empty(); ++row)
        if (m_selection.contains(pointAt(row))) {
            rows.select(m_filter.index(row, 0), m_filter.index(row, CompressionModel::ColumnCount - 1));
            first = first < 0 ? row : first;
        }
    selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (first < 0)
        return;
    const QModelIndex index = m_filter.index(first, std::max(0, columnAt(0)));
    selectionModel()->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    scrollTo(index);
}

void CompressionView::readSelection() {
    if (m_following)
        return;
    const QScopedValueRollback guard(m_following, true);
    PointSelection::Points points;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        points.insert(pointAt(index.row()));
    m_selection.set(std::move(points));
}

void CompressionView::copy() const {
    std::set<int> chosen;
    for (const QModelIndex& index : selectionModel()->selectedRows())
        chosen.insert(index.row());
    for (int row = 0; row < m_filter.rowCount() && selectionModel()->selectedRows().isEmpty(); ++row)
        chosen.insert(row);
    std::vector<int> rows, columns;
    for (const int row : chosen)
        rows.push_back(m_filter.mapToSource(m_filter.index(row, 0)).row());
    for (int place = 0; place < CompressionModel::ColumnCount; ++place)
        if (const int column = horizontalHeader()->logicalIndex(place); !isColumnHidden(column))
            columns.push_back(column);
    const QString text = m_model.toTsv(rows, columns);
    copyTsv(text);
}

std::vector<study::Run> CompressionView::shownRuns() const {
    std::map<PointId, std::set<study::ReplacementKind>> shown;
    for (int row = 0; row < m_filter.rowCount(); ++row) {
        const auto& source = m_model.rowAt(m_filter.mapToSource(m_filter.index(row, 0)).row());
        shown[source.point].insert(source.values.replacement.kind);
    }
    std::vector<study::Run> runs;
    for (int row = 0; row < m_model.runs().size(); ++row) {
        const RunEntry& entry = m_model.runs().at(row);
        if (shown.lower_bound({entry.id, 0}) == shown.lower_bound({entry.id + 1, 0}))
            continue;
        study::Run run = entry.run;
        run.header.model = entry.title().toStdString();
        for (study::BlockResult& block : run.blocks)
            std::erase_if(block.replacements, [&](const study::ReplacementResult& swap) {
                const auto kinds = shown.find({entry.id, block.block});
                return kinds == shown.end() || !kinds->second.contains(swap.kind);
            });
        runs.push_back(std::move(run));
    }
    return runs;
}

void CompressionView::save(QSettings& settings) const {
    m_columns->save(settings, QStringLiteral("compression"));
}

void CompressionView::restore(const QSettings& settings) {
    m_columns->restore(settings, QStringLiteral("compression"));
}

}  // namespace straightedge::ui
