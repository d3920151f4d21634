// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "qcp.h"

namespace straightedge::ui {

// A scale for costs that are -0.5 here and +316 there: linear around zero, logarithmic beyond one unit on
// either side. The axis holds the coordinate, its ticks show the value.
double symlog(double value);
double fromSymlog(double coordinate);

// Ticks at 0 and at 1, 2 and 5 times powers of ten on either side (powers alone where many fit, multiples of
// one step where few do), each with its sign.
class SymlogTicker : public QCPAxisTicker {
  protected:
    QVector<double> createTickVector(double step, const QCPRange& range) override;
    int getSubTickCount(double step) override;
    QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

  private:
    double m_low = 0, m_high = 0;  // values at the ends
    double m_step = 0;             // of linear ticks; 0: powers
};

}  // namespace straightedge::ui
