// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <map>
#include <vector>

#include "qcp.h"
#include "runs/run_list.h"

namespace straightedge::ui {

// A mean and its deviation at one block, in coordinates of the axes.
struct ErrorBar {
    double key = 0, mean = 0, low = 0, high = 0;
};

// Means with one deviation either side, a little beside the block so that its point stays free.
class ErrorBars : public QCPLayerable {
    Q_OBJECT

  public:
    explicit ErrorBars(QCustomPlot& plot) : QCPLayerable(&plot, QStringLiteral("main")) {}

    void set(RunId run, std::vector<ErrorBar> bars, const QColor& colour);
    void drop(RunId run) { m_bars.erase(run); }
    const std::vector<ErrorBar>& bars(RunId run) const;
    bool isEmpty() const;

  protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    void draw(QCPPainter* painter) override;

  private:
    struct OfRun {
        std::vector<ErrorBar> bars;
        QColor colour;
    };
    std::map<RunId, OfRun> m_bars;
};

}  // namespace straightedge::ui
