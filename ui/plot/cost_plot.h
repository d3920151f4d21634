// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "cost_points.h"
#include "run_plot.h"

namespace straightedge::ui {

// What swaps cost over how linear the block is: ΔPPL over R², a point for a block's published map and, where
// measured, for the balanced one that is kept and the switched one. A point's part is its ReplacementKind.
class CostPlot : public RunPlot {
    Q_OBJECT

  public:
    CostPlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent = nullptr);

    const std::vector<CostPoint>& points(RunId run) const;
    QString hoverText(PointId point, int part = 0) const override;
    std::unique_ptr<RunPlot> sameFor(RunList& runs, PointSelection& selection,
                                     PlotStyle style) const override;

  protected:
    std::vector<Spot> rebuild(const RunEntry& entry) override;
    void drop(RunId run) override;
    void scaleAxes() override;
    void fitAxes() override;
    QString emptyText() const override;
    CurveLook lookOf(const RunEntry& entry) const override;
    std::vector<RunLegend::Key> legendKeys() const override;

  private:
    CostPoints* m_points;  // owned by the plot
};

}  // namespace straightedge::ui
