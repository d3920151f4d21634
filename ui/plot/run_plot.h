// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QTimer>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "plot_style.h"
#include "run_legend.h"
#include "runs/point_selection.h"
#include "runs/run_list.h"

class QLabel;

namespace straightedge::ui {

class PointMarks;

enum class Score { Published, Centred, Typical };
study::Metric metricOf(Score score);

// What every plot of runs has in common: legend, hover, selection, zoom, and news that is gathered for up to
// 30 ms before the plot is drawn again. A plot of a certain kind says where a block's points lie and draws
// them; its constructor ends with begin().
class RunPlot : public QCustomPlot {
    Q_OBJECT

  public:
    Score score() const { return m_score; }
    void setScore(Score score);
    void setStyle(PlotStyle style);
    // Shows all of the visible runs, and goes on doing so until the reader zooms or drags.
    void fit();
    void showRange(const QCPRange& x, const QCPRange& y);
    void zoom(double factor);  // about the middle
    // Draws what is still waiting now.
    void flush();

    const PointSelection& selection() const { return m_selection; }
    RunLegend* runLegend() const { return m_legend; }
    std::optional<PointId> pointNear(const QPointF& position) const;
    // Of a block's points the first, or that with this number.
    std::optional<QPointF> pixelOf(PointId point, int part = -1) const;
    // What the card says: rich text.
    virtual QString hoverText(PointId point, int part = 0) const = 0;
    // Draws at a size in pixels of 1/96 inch; no marks of selection.
    void paint(QCPPainter& painter, const QSize& size);
    // A plot of the same kind that shows other runs the same way, ranges aside.
    virtual std::unique_ptr<RunPlot> sameFor(RunList& runs, PointSelection& selection,
                                             PlotStyle style) const = 0;

  Q_SIGNALS:
    void viewChanged();  // score or scale

  protected:
    // A defined point of a block. A block may have several: `part` tells them apart.
    struct Spot {
        PointId point;
        int part = 0;
        double key = 0, value = 0;  // coordinates of the axes
    };

    RunPlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent);
    void begin();

    virtual std::vector<Spot> rebuild(const RunEntry& entry) = 0;
    virtual void drop(RunId run) = 0;
    virtual void scaleAxes() = 0;  // labels and tickers
    virtual void fitAxes() = 0;
    virtual QString emptyText() const = 0;
    virtual CurveLook lookOf(const RunEntry& entry) const;
    virtual std::vector<RunLegend::Key> legendKeys() const { return {}; }
    virtual std::vector<RunLegend::Entry> legendEntries(bool faintOnes) const;
    virtual bool marksChosen() const { return true; }  // with halos
    virtual void rebuilt() {}                          // all that was dirty is drawn anew

    void rescale();  // axes and every run again
    void fitWhatComes() { m_autoFit = true; }
    RunList& runs() const { return m_runs; }
    const PlotStyle& style() const { return m_style; }
    // Those of the visible runs.
    const std::vector<Spot>& spotsOf(RunId run) const;
    bool hasSpots() const;
    void soon(RunId dirty = 0);  // 0: no run in particular

    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

  private:
    void connectRuns();
    void rebuildLegend(bool faintOnes = true);
    void placeLegend(int width);
    QPointF toPixel(const Spot& spot) const;
    std::optional<Spot> spotNear(const QPointF& position) const;
    void hover(const std::optional<Spot>& spot);
    void updateMarks();
    void updateEmptyText();
    void stepSelection(int blocks, int runs);
    void placeCard(const QPointF& point);

    RunList& m_runs;
    PointSelection& m_selection;
    PlotStyle m_style;
    Score m_score = Score::Published;
    bool m_autoFit = true;

    std::map<RunId, std::vector<Spot>> m_spots;
    std::set<RunId> m_dirty;
    QTimer m_gather;
    QCPAxisRect* m_axes = nullptr;
    RunLegend* m_legend = nullptr;
    PointMarks* m_marks = nullptr;
    QCPItemText* m_emptyText = nullptr;
    QLabel* m_card = nullptr;
    std::optional<Spot> m_hovered;
    QPoint m_pressed;
};

}  // namespace straightedge::ui
