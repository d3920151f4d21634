// SPDX-License-Identifier: GPL-3.0-or-later
#include "format.h"

#include <QLocale>
#include <cmath>

#include "study/export/number_text.h"

namespace straightedge::ui {

namespace {

QString withMinus(QString text) {
    if (text.startsWith(QLatin1Char('-')))
        text[0] = QChar(0x2212);
    return text;
}

// 2.5·10⁸: powers of ten read better than "2.5e+08".
QString powerOfTen(double value) {
    const int exponent = static_cast<int>(std::floor(std::log10(std::abs(value))));
    QString power;
    for (const QChar digit : QString::number(exponent)) {
        static const QString raised = QStringLiteral("⁰¹²³⁴⁵⁶⁷⁸⁹");
        power += digit == QLatin1Char('-') ? QStringLiteral("⁻") : raised.mid(digit.digitValue(), 1);
    }
    return decimal(value / std::pow(10.0, exponent), 2) + QStringLiteral("·10") + power;
}

}  // namespace

QString toQString(std::string_view utf8) {
    return QString::fromUtf8(utf8.data(), static_cast<qsizetype>(utf8.size()));
}

QString pathText(const std::filesystem::path& path) {
    return QString::fromStdU16String(path.u16string());
}

std::filesystem::path toPath(const QString& text) {
    return {text.toStdU16String()};
}

QString decimal(double value, int decimals) {
    return withMinus(QLocale().toString(value, 'f', decimals));
}

QString count(double value) {
    return withMinus(QLocale().toString(static_cast<qint64>(std::llround(value))));
}

QString metricText(const study::MetricInfo& info, std::optional<double> value) {
    if (!value)
        return {};
    if (info.whole)
        return count(*value);
    return std::abs(*value) >= 1e5 ? powerOfTen(*value) : decimal(*value, info.decimals);
}

QString bytesText(double bytes) {
    return QLocale().formattedDataSize(static_cast<qint64>(bytes), 1, QLocale::DataSizeSIFormat);
}

QString durationText(double seconds) {
    const auto whole = static_cast<qint64>(std::ceil(seconds));
    if (whole < 60)
        return QStringLiteral("%1 s").arg(whole);
    if (whole < 3600)
        return QStringLiteral("%1 min %2 s").arg(whole / 60).arg(whole % 60, 2, 10, QLatin1Char('0'));
    return QStringLiteral("%1 h %2 min").arg(whole / 3600).arg(whole / 60 % 60, 2, 10, QLatin1Char('0'));
}

QString plural(qint64 number, const QString& one, const QString& many) {
    return count(static_cast<double>(number)) + QLatin1Char(' ') + (number == 1 ? one : many);
}

QString roundTrip(double value) {
    return QString::fromStdString(study::shortest(value));
}

}  // namespace straightedge::ui
