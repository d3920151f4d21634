// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <vector>

#include "runs/run_list.h"
#include "study/export/compression.h"

namespace straightedge::ui {

class Theme;

// The compression table of every visible run: a row for each replacement of each block, in the order of the
// runs.
class CompressionModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        BlockColumn,
        ModelColumn,
        CorpusColumn,
        ReplacementColumn,
        CostColumn,
        KeptColumn,
        HealedColumn,
        OwnHealedColumn,
        R2Column,
        R2CentredColumn,
        R2TypicalColumn,
        CosineColumn,
        RmseColumn,
        ParametersColumn,
        CompressionColumn,
        SavedColumn,
        RemarkColumn,
        ColumnCount
    };
    // The unrounded value of a number, the text of anything else; invalid where undefined.
    static constexpr int ValueRole = Qt::UserRole;

    struct Row {
        PointId point;
        study::CompressionRow values;
        QString costly = {};  // why the swap is costly although its R² is high
    };

    CompressionModel(const RunList& runs, const Theme& theme, QObject* parent = nullptr);

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : ColumnCount;
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    const Row& rowAt(int row) const { return m_rows[static_cast<std::size_t>(row)]; }
    const RunList& runs() const { return m_runs; }
    // As it is called in files and in conditions of the filter.
    static QString nameOf(int column);
    static bool isNumber(int column);
    std::vector<bool> filledColumns() const;
    static std::optional<double> number(const Row& row, int column);

    // These rows and columns as tab-separated text with a header, C locale, full precision.
    QString toTsv(const std::vector<int>& rows, const std::vector<int>& columns) const;

  private:
    std::pair<int, int> placeOf(RunId run) const;  // [first, last) of its rows
    void insertRun(RunId run);
    void removeRun(RunId run);
    void refreshBlock(RunId run, int position);
    std::vector<Row> rowsFor(const RunEntry& entry) const;
    QString text(const Row& row, int column) const;
    QString toolTip(const Row& row, int column) const;

    const RunList& m_runs;
    const Theme& m_theme;
    std::vector<Row> m_rows;
};

}  // namespace straightedge::ui
