// SPDX-License-Identifier: GPL-3.0-or-later
#include "score_ticker.h"

#include <algorithm>
#include <cmath>

namespace straightedge::ui {

namespace {

QString label(double value, int decimals, const QLocale& locale) {
    QString text = locale.toString(std::abs(value), 'f', decimals);
    return value < -0.5 * std::pow(10.0, -decimals) ? QChar(0x2212) + text : text;
}

// As many as the step has: 0.025 needs three.
int decimalsOf(double step) {
    const int decimals = std::clamp(static_cast<int>(-std::floor(std::log10(step) + 1e-9)), 0, 12);
    const double digits = step * std::pow(10.0, decimals);
    return std::abs(digits - std::round(digits)) > 1e-6 * digits ? decimals + 1 : decimals;
}

// Multiples m·10^k within the range. Ranges of an axis never reach the ends of double, so the loop is short.
QVector<double> multiples(const QCPRange& range, std::initializer_list<int> mantissas) {
    QVector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(range.lower))),
              last = static_cast<int>(std::floor(std::log10(range.upper)));
    for (int power = first; power <= last; ++power)
        for (const int mantissa : mantissas) {
            const double tick = mantissa * std::pow(10.0, power);
            if (tick >= range.lower * (1 - 1e-12) && tick <= range.upper * (1 + 1e-12))
                ticks.push_back(tick);
        }
    return ticks;
}

}  // namespace

QVector<double> ScoreTicker::createTickVector(double step, const QCPRange& range) {
    m_decimals = decimalsOf(step);
    return QCPAxisTicker::createTickVector(step, range);
}

QString ScoreTicker::getTickLabel(double tick, const QLocale& locale, QChar, int) {
    return label(tick, m_decimals, locale);
}

BlockTicker::BlockTicker() {
    setTickStep(1);
    setScaleStrategy(ssMultiples);
    setTickCount(12);
}

int BlockTicker::getSubTickCount(double step) {
    return step > 1.5 && step < 10.5 ? static_cast<int>(step) - 1 : 0;  // one a block
}

QString BlockTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return tick < -0.5 ? QString() : QString::number(std::lround(tick));
}

QVector<double> UnexplainedTicker::createTickVector(double, const QCPRange& range) {
    m_range = range;
    if (range.lower <= 0)
        return {};
    const double decades = std::log10(range.upper / range.lower);
    if (decades > 4)
        return multiples(range, {1});
    QVector<double> ticks = multiples(range, {1, 2, 5});
    return ticks.size() < 3 ? multiples(range, {1, 2, 3, 4, 5, 6, 7, 8, 9}) : ticks;
}

int UnexplainedTicker::getSubTickCount(double) {
    return 1;
}

QVector<double> UnexplainedTicker::createSubTickVector(int, const QVector<double>&) {
    return m_range.lower > 0 ? multiples(m_range, {1, 2, 3, 4, 5, 6, 7, 8, 9}) : QVector<double>();
}

QString UnexplainedTicker::getTickLabel(double tick, const QLocale& locale, QChar, int) {
    return label(m_label == Label::Score ? 1 - tick : tick, decimalsOf(tick), locale);
}

}  // namespace straightedge::ui
