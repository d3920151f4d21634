// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "plot/cost_points.h"
#include "plot/run_plot.h"
#include "study/compare/residual_gain.h"

namespace straightedge::ui {

// What a probe or a ceiling takes of what the line leaves: gain over 1 − R², all blocks of all visible runs,
// with Pearson's r.
class ResidualPlot : public RunPlot {
    Q_OBJECT

  public:
    ResidualPlot(RunList& runs, PointSelection& selection, PlotStyle style, QWidget* parent = nullptr);

    const study::GainSource& source() const { return m_source; }
    void setSource(const study::GainSource& source);
    const study::ResidualGain& gain() const { return m_gain; }
    QString verdict() const;  // what is written into the plot

    // The points as they are shown: C locale, full precision.
    QString toText(QChar separator) const;
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
    CurveLook lookOf(const RunEntry& entry) const override;
    std::vector<RunLegend::Key> legendKeys() const override;

  private:
    study::GainSource m_source;
    study::ResidualGain m_gain;         // of the visible runs
    CostPoints* m_points;               // these three are owned by the plot
    QCPItemStraightLine* m_everything;  // the gain that leaves nothing
    QCPItemText* m_text;
};

}  // namespace straightedge::ui
