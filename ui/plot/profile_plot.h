// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "error_bars.h"
#include "profile_curve.h"
#include "run_plot.h"
#include "stack_bars.h"

namespace straightedge::ui {

// R² over block, one curve a run, as the runs grow.
class ProfilePlot : public RunPlot {
    Q_OBJECT

  public:
    ProfilePlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent = nullptr);

    bool isLog() const { return m_log; }
    void setLog(bool log);  // 1 - R² on a logarithmic axis, linear blocks still on top

    // Mean and deviation of the blocked folds, where they were measured.
    bool showsFolds() const { return m_showsFolds; }
    void setShowsFolds(bool shows);
    // One run's line and ceilings as stacked bars instead of all runs' curves: the run of the chosen block,
    // else the first that has ceilings.
    bool isStacked() const { return m_stacked; }
    void setStacked(bool stacked);

    const ProfileCurve* curve(RunId run) const { return m_curves->find(run); }  // null: none
    const ErrorBars& errorBars() const { return *m_errors; }
    const StackBars& stackBars() const { return *m_stack; }
    QString hoverText(PointId point, int part = 0) const override;
    std::unique_ptr<RunPlot> sameFor(RunList& runs, PointSelection& selection,
                                     PlotStyle style) const override;

  protected:
    std::vector<Spot> rebuild(const RunEntry& entry) override;
    void drop(RunId run) override;
    void scaleAxes() override;
    void fitAxes() override;
    void rebuilt() override;
    QString emptyText() const override;
    std::vector<RunLegend::Key> legendKeys() const override;

  private:
    double yOf(const study::BlockResult& block) const;  // NaN: undefined
    double toAxis(double score) const;
    std::vector<ErrorBar> errorsOf(const RunEntry& entry) const;
    std::vector<Stack> stacksOf(const RunEntry& entry) const;
    std::vector<Spot> stackedSpots(const RunEntry& entry);
    RunId runToStack() const;  // 0: none

    bool m_log = false, m_showsFolds = false, m_stacked = false;
    RunId m_stackedRun = 0;
    ProfileCurves* m_curves;  // these three are owned by the plot
    ErrorBars* m_errors;
    StackBars* m_stack;
};

}  // namespace straightedge::ui
