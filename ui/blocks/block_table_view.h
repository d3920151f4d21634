// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include "block_table_model.h"
#include "runs/point_selection.h"

class QSettings;

namespace straightedge::ui {

class ColumnChoice;

// The table of blocks, tied both ways to the shared selection of points. Columns that no run shown has a
// value for are hidden.
class BlockTableView : public QTableView {
    Q_OBJECT

  public:
    BlockTableView(BlockTableModel& model, PointSelection& selection, QWidget* parent = nullptr);

    // The selected rows, or all when none is, with the columns that are shown; onto the clipboard.
    void copy() const;
    void save(QSettings& settings) const;
    void restore(const QSettings& settings);
    ColumnChoice& columns() { return *m_columns; }

  private:
    void showSelection();                   // shared -> table
    void readSelection();                   // table -> shared
    std::vector<int> shownColumns() const;  // in the order on screen

    BlockTableModel& m_model;
    PointSelection& m_selection;
    ColumnChoice* m_columns = nullptr;
    bool m_following = false;  // the table is being set, not chosen in
};

}  // namespace straightedge::ui
