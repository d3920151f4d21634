// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QAbstractTableModel>
#include <vector>

#include "runs/run_list.h"
#include "study/compare/corpora.h"

namespace straightedge::ui {

// Each pair of visible runs of one model on two texts, compared by one score.
class CorporaModel : public QAbstractTableModel {
    Q_OBJECT

  public:
    enum Column {
        ModelColumn,
        TextColumn,
        OtherColumn,
        BlocksColumn,
        PearsonColumn,
        IntervalColumn,
        SpearmanColumn,
        MeanColumn,
        LargestColumn,
        AtBlockColumn,
        RemarkColumn,
        ColumnCount
    };
    // The unrounded value of a number, the text of anything else; invalid where undefined.
    static constexpr int ValueRole = Qt::UserRole;

    explicit CorporaModel(const RunList& runs, QObject* parent = nullptr)
        : QAbstractTableModel(parent), m_runs(runs) {}

    // Compares the runs as they stand.
    void compare(study::Metric metric);
    study::Metric metric() const { return m_metric; }

    int rowCount(const QModelIndex& parent = {}) const override;
    int columnCount(const QModelIndex& parent = {}) const override {
        return parent.isValid() ? 0 : ColumnCount;
    }
    QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

    // The two points where the pair differs most; none where nothing compares.
    std::vector<PointId> pointsOf(int row) const;
    static bool isNumber(int column);
    QString toCsv() const;
    QString toTsv() const;

  private:
    std::vector<const study::Run*> runsCompared() const;
    QString text(const study::CorporaPair& pair, int column) const;
    std::optional<double> number(const study::CorporaPair& pair, int column) const;

    const RunList& m_runs;
    study::Metric m_metric = study::Metric::R2Lin;
    std::vector<RunId> m_ids;  // that the pairs' indices mean
    std::vector<study::CorporaPair> m_pairs;
};

}  // namespace straightedge::ui
