// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "runs/run_list.h"

namespace straightedge::ui {

class Theme;

// One row a block of every visible run; columns: block, model, text, all metrics in their order, remark.
// Sorts by value; what is undefined comes last in either order.
class BlockTableModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column { BlockColumn, ModelColumn, CorpusColumn, FirstMetricColumn };
    // The unrounded value, for whoever wants to compute or test; invalid where undefined.
    static constexpr int ValueRole = Qt::UserRole;

    BlockTableModel(const RunList& runs, const Theme& theme, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;
    void sort(int column, Qt::SortOrder order) override;

    PointId pointAt(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    int rowOf(PointId point) const;  // -1: not there
    static int columnOf(study::Metric metric);
    static int remarkColumn();
    // Which columns have a value in any row; what a row is called always has.
    std::vector<bool> filledColumns() const;

    // The rows (ascending) and the given columns as tab-separated text with a header: file names of the
    // metrics, C locale, full precision, so that a spreadsheet or a script reads it.
    QString toTsv(const std::vector<int>& rows, const std::vector<int>& columns) const;

  private:
    struct Key {
        std::optional<double> number;
        QString text;
    };

    void insertRun(const RunEntry& entry);
    void removeRun(RunId run);
    void insertPoint(PointId point);
    Key keyOf(PointId point) const;
    bool comesBefore(PointId a, const Key& keyA, PointId b, const Key& keyB) const;
    QString cellText(const RunEntry& entry, const study::BlockResult& block, int column, bool forFile) const;
    QVariant toolTip(const RunEntry& entry, const study::BlockResult& block, int column) const;

    const RunList& m_runs;
    const Theme& m_theme;
    std::vector<PointId> m_rows;
    int m_sortColumn = -1;  // -1: as the runs came
    Qt::SortOrder m_sortOrder = Qt::AscendingOrder;
};

}  // namespace straightedge::ui
