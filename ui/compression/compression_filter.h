// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSortFilterProxyModel>
#include <optional>
#include <vector>

#include "compression_model.h"

namespace straightedge::ui {

// What the reader types above the table: words that a row must contain, and conditions on its numbers, as
// "smol r2>0.9 dppl>=1". Numbers are compared as they are shown: model saved in per cent.
struct FilterText {
    struct Condition {
        int column = 0;
        QString comparison;  // < <= = >= >
        double bound = 0;
    };
    QStringList words;
    std::vector<Condition> conditions;

    static FilterText parse(const QString& text);
    bool accepts(const CompressionModel& model, int row) const;
};

// Which rows of the compression table are shown, and in which order. What is undefined comes last in either
// order.
class CompressionFilter : public QSortFilterProxyModel {
    Q_OBJECT

  public:
    // Which replacements; those of ReplacementKind follow, in its order.
    enum Which { All, Kept, Costly, FirstKind };

    CompressionFilter(CompressionModel& model, QObject* parent = nullptr);

    void setRun(std::optional<RunId> run);
    void setWhich(int which);
    void setText(const QString& text);

  protected:
    bool filterAcceptsRow(int row, const QModelIndex& parent) const override;
    bool lessThan(const QModelIndex& left, const QModelIndex& right) const override;

  private:
    CompressionModel& m_model;
    std::optional<RunId> m_run;
    int m_which = All;
    FilterText m_text;
};

}  // namespace straightedge::ui
