// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <map>
#include <optional>
#include <set>

#include "plot_style.h"
#include "profile_curve.h"
#include "runs/point_selection.h"
#include "runs/run_list.h"

class QLabel;

namespace straightedge::ui {

class PointMarks;
class RunLegend;

enum class Score { Published, Centred, Typical };
study::Metric metricOf(Score score);

// R² over block, one curve a run, as the runs grow. News is gathered for up to 30 ms before the plot is drawn
// again.
class ProfilePlot : public QCustomPlot {
    Q_OBJECT

  public:
    ProfilePlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent = nullptr);

    Score score() const { return m_score; }
    bool isLog() const { return m_log; }
    void setScore(Score score);
    void setLog(bool log);  // 1 - R² on a logarithmic axis, linear blocks still on top
    void setStyle(PlotStyle style);
    // Shows all of the visible runs, and goes on doing so until the reader zooms or drags.
    void fit();
    void showRange(const QCPRange& blocks, const QCPRange& scores);
    void zoom(double factor);  // about the middle
    // Draws what is still waiting now.
    void flush();

    ProfileCurve* curve(RunId run) const;
    RunLegend* runLegend() const { return m_legend; }
    std::optional<PointId> pointNear(const QPointF& position) const;
    std::optional<QPointF> pixelOf(PointId point) const;
    // What the card says: rich text.
    QString hoverText(PointId point) const;
    // Draws at a size in pixels of 1/96 inch; no marks of selection.
    void paint(QCPPainter& painter, const QSize& size);

  Q_SIGNALS:
    void viewChanged();  // score or scale

  protected:
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void connectRuns();
    void soon(RunId dirty = 0);  // 0: no curve in particular
    void rebuildCurve(const RunEntry& entry);
    void rebuildLegend();
    void applyScale();
    void fitAxes();
    void placeLegend(int width);
    CurveLook lookOf(const RunEntry& entry) const;
    double yOf(const study::BlockResult& block) const;  // NaN: undefined
    void hover(std::optional<PointId> point);
    void updateMarks();
    void updateEmptyText();
    void stepSelection(int blocks, int runs);
    void placeCard(const QPointF& point);

    RunList& m_runs;
    PointSelection& m_selection;
    PlotStyle m_style;
    Score m_score = Score::Published;
    bool m_log = false;
    bool m_autoFit = true;

    std::map<RunId, ProfileCurve*> m_curves;  // owned by the plot
    std::set<RunId> m_dirty;
    QTimer m_gather;
    QCPAxisRect* m_axes = nullptr;
    RunLegend* m_legend = nullptr;
    PointMarks* m_marks = nullptr;
    QCPItemText* m_emptyText = nullptr;
    QLabel* m_card = nullptr;
    std::optional<PointId> m_hovered;
    QPoint m_pressed;
};

}  // namespace straightedge::ui
