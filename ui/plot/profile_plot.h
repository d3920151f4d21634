// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "profile_curve.h"
#include "run_plot.h"

namespace straightedge::ui {

// R² over block, one curve a run, as the runs grow.
class ProfilePlot : public RunPlot {
    Q_OBJECT

  public:
    ProfilePlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent = nullptr);

    bool isLog() const { return m_log; }
    void setLog(bool log);  // 1 - R² on a logarithmic axis, linear blocks still on top

    ProfileCurve* curve(RunId run) const;
    QString hoverText(PointId point, int part = 0) const override;
    std::unique_ptr<RunPlot> sameFor(RunList& runs, PointSelection& selection,
                                     PlotStyle style) const override;

  protected:
    std::vector<Spot> rebuild(const RunEntry& entry) override;
    void drop(RunId run) override;
    void scaleAxes() override;
    void fitAxes() override;
    QString emptyText() const override;
    std::vector<RunLegend::Key> legendKeys() const override;

  private:
    double yOf(const study::BlockResult& block) const;  // NaN: undefined

    bool m_log = false;
    std::map<RunId, ProfileCurve*> m_curves;  // owned by the plot
};

}  // namespace straightedge::ui
