// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTableView>
#include <QTimer>

#include "corpora_model.h"
#include "runs/point_selection.h"

namespace straightedge::ui {

// The table of pairs of texts, kept up to date with the runs shown. Choosing a pair chooses the block where
// its two profiles differ most.
class CorporaView : public QTableView {
    Q_OBJECT

  public:
    CorporaView(RunList& runs, PointSelection& selection, QWidget* parent = nullptr);

    bool isEmpty() const { return m_pairs.rowCount() == 0; }
    CorporaModel& pairs() { return m_pairs; }
    void setMetric(study::Metric metric);
    void copy() const;

  Q_SIGNALS:
    void filled(bool any);  // there is something to compare, or no longer

  private:
    void refresh();
    void choose();

    CorporaModel m_pairs;
    PointSelection& m_selection;
    study::Metric m_metric = study::Metric::R2Lin;
    QTimer m_gather;
};

}  // namespace straightedge::ui
