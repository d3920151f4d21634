// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>

#include "compression_filter.h"
#include "runs/point_selection.h"

class QSettings;

namespace straightedge::ui {

class ColumnChoice;

// The compression table, tied both ways to the shared selection of points.
class CompressionView : public QTableView {
    Q_OBJECT

  public:
    CompressionView(CompressionModel& model, CompressionFilter& filter, PointSelection& selection,
                    QWidget* parent = nullptr);

    // The selected rows, or all that are shown when none is, onto the clipboard.
    void copy() const;
    // The runs with the blocks and replacements that are shown, for export.
    std::vector<study::Run> shownRuns() const;
    void save(QSettings& settings) const;
    void restore(const QSettings& settings);

  private:
    PointId pointAt(int row) const;
    void showSelection();  // shared -> table
    void readSelection();  // table -> shared

    CompressionModel& m_model;
    CompressionFilter& m_filter;
    PointSelection& m_selection;
    ColumnChoice* m_columns = nullptr;
    bool m_following = false;  // the table is being set, not chosen in
};

}  // namespace straightedge::ui
