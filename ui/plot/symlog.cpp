// SPDX-License-Identifier: GPL-3.0-or-later
#include "symlog.h"

#include <algorithm>
#include <cmath>

namespace straightedge::ui {

namespace {

constexpr double furthest = 1e9;  // no perplexity goes there, but a zoom may

QVector<double> powers(double low, double high, std::initializer_list<int> mantissas) {
    QVector<double> values;
    if (low <= 0 && high >= 0)
        values.push_back(0);
    for (double power = 1; power <= std::max(-low, high); power *= 10)
        for (const int mantissa : mantissas)
            for (const double value : {mantissa * power, -mantissa * power})
                if (value >= low && value <= high)
                    values.push_back(value);
    std::ranges::sort(values);
    return values;
}

// The next of 1, 2 and 5 times a power of ten.
double roundStep(double step) {
    const double power = std::pow(10.0, std::floor(std::log10(step)));
    const double mantissa = step / power;
    return (mantissa <= 1 ? 1 : mantissa <= 2 ? 2 : mantissa <= 5 ? 5 : 10) * power;
}

QVector<double> multiples(double low, double high, double step) {
    QVector<double> values;
    const double first = std::ceil(low / step), last = std::floor(high / step);
    for (double i = first; i <= last && values.size() < 100; ++i)
        values.push_back(i * step);
    return values;
}

void toCoordinates(QVector<double>& values) {
    std::ranges::transform(values, values.begin(), symlog);
}

}  // namespace

double symlog(double value) {
    return std::asinh(value);
}

double fromSymlog(double coordinate) {
    return std::sinh(std::clamp(coordinate, -std::asinh(furthest), std::asinh(furthest)));
}

QVector<double> SymlogTicker::createTickVector(double, const QCPRange& range) {
    m_low = fromSymlog(range.lower);
    m_high = fromSymlog(range.upper);
    m_step = 0;
    QVector<double> values = powers(m_low, m_high, {1, 2, 5});
    if (values.size() > 11)
        values = powers(m_low, m_high, {1});
    if (values.size() < 4 && m_high > m_low) {
        m_step = roundStep((m_high - m_low) / 6);
        values = multiples(m_low, m_high, m_step);
    }
    toCoordinates(values);
    return values;
}

int SymlogTicker::getSubTickCount(double) {
    return 1;
}

QVector<double> SymlogTicker::createSubTickVector(int, const QVector<double>&) {
    if (m_step > 0)
        return {};
    QVector<double> values = powers(m_low, m_high, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    toCoordinates(values);
    return values;
}

QString SymlogTicker::getTickLabel(double tick, const QLocale& locale, QChar, int) {
    const double value = fromSymlog(tick);
    const int decimals =
        m_step > 0 ? std::clamp(static_cast<int>(-std::floor(std::log10(m_step) + 1e-9)), 0, 9) : 0;
    const double half = 0.5 * std::pow(10.0, -decimals);
    const QString sign = value > half    ? QStringLiteral("+")
                         : value < -half ? QString(QChar(0x2212))
                                         : QString();
    return sign + locale.toString(std::abs(value), 'f', decimals);
}

}  // namespace straightedge::ui
