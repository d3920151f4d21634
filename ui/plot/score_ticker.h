// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "qcp.h"

namespace straightedge::ui {

// Ticks of a score on a linear axis: as many decimals as the step needs, a true minus sign.
class ScoreTicker : public QCPAxisTicker {
  protected:
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
    QVector<double> createTickVector(double step, const QCPRange& range) override;

  private:
    int m_decimals = 1;
};

// Block numbers: whole, every one where there is room.
class BlockTicker : public QCPAxisTickerFixed {
  public:
    BlockTicker();

  protected:
    int getSubTickCount(double step) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

// Ticks at 1, 2 and 5 times powers of ten (powers alone where many fit) for 1 - R², labelled with it or with
// R² itself.
class UnexplainedTicker : public QCPAxisTicker {
  public:
    enum class Label { Unexplained, Score };
    explicit UnexplainedTicker(Label label) : m_label(label) {}

  protected:
    QVector<double> createTickVector(double step, const QCPRange& range) override;
    int getSubTickCount(double step) override;
    QVector<double> createSubTickVector(int count, const QVector<double>& ticks) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

  private:
    Label m_label;
    QCPRange m_range;
};

}  // namespace straightedge::ui
