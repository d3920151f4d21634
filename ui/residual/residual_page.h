// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>
#include <array>

#include "curve_plot.h"
#include "jobs/session.h"
#include "residual_plot.h"

class QComboBox;
class QLabel;
class QSettings;
class QSplitter;

namespace straightedge::ui {

class Theme;

// The tab on what is left when the line is taken out: gains of all blocks together, below them the curves
// and the ceilings of the chosen ones.
class ResidualPage : public QWidget {
    Q_OBJECT

  public:
    ResidualPage(Session& session, const Theme& theme, QWidget* parent = nullptr);

    ResidualPlot& plot() { return *m_plot; }
    CurvePlot& curves(CurvePlot::Kind kind) { return *m_curves[static_cast<std::size_t>(kind)]; }
    QComboBox* sourceBox() const { return m_source; }
    QString notes() const;
    // The one that has the focus, else the first.
    RunPlot& plotInUse();
    QString text(QChar separator) const;  // of the plot in use
    void save(QSettings& settings) const;
    void restore(const QSettings& settings);

  private:
    QWidget* makeBar();
    void follow();
    void chooseSource(int index);

    Session& m_session;
    const Theme& m_theme;
    ResidualPlot* m_plot;
    std::array<CurvePlot*, 3> m_curves{};
    QComboBox* m_source;
    QLabel* m_notes;
    QLabel* m_hint;
    QSplitter* m_split;
    QTimer m_gather;
    bool m_sourceChosen = false;  // by the reader
};

}  // namespace straightedge::ui
