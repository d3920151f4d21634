// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

#include "compression_view.h"
#include "jobs/session.h"
#include "plot/cost_plot.h"

class QComboBox;
class QLabel;
class QLineEdit;
class QSettings;
class QSplitter;

namespace straightedge::ui {

// The tab on what swaps cost: the plot, below it why, and the compression table with its filter.
class CostPage : public QWidget {
    Q_OBJECT

  public:
    CostPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

    CostPlot& plot() { return *m_plot; }
    CompressionView& table() { return *m_table; }
    QComboBox* runBox() const { return m_run; }
    QComboBox* whichBox() const { return m_which; }
    QLineEdit* filterEdit() const { return m_text; }
    QString story() const;

    void save(QSettings& settings) const;
    void restore(const QSettings& settings);

  private:
    QWidget* makeFilter();
    void listRuns();
    void tell();       // why the chosen block's swaps cost what they cost
    void countRows();  // how many of them are shown

    Session& m_session;
    const Theme& m_theme;
    CostPlot* m_plot;
    CompressionModel* m_model;
    CompressionFilter* m_filter;
    CompressionView* m_table;
    QSplitter* m_split;
    QLabel* m_story;
    QComboBox* m_run;
    QComboBox* m_which;
    QLineEdit* m_text;
    QLabel* m_count;
    QTimer m_gather;
};

}  // namespace straightedge::ui
