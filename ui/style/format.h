// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QString>
#include <filesystem>
#include <optional>

#include "study/metrics.h"

// Numbers and names as the reader sees them, in his locale. What leaves the program is written by
// study/export.h.
namespace straightedge::ui {

QString toQString(std::string_view utf8);
QString pathText(const std::filesystem::path& path);
std::filesystem::path toPath(const QString& text);

QString decimal(double value, int decimals);                                     // with a true minus sign
QString count(double value);                                                     // grouped: 14,976
QString metricText(const study::MetricInfo& info, std::optional<double> value);  // empty: undefined
QString bytesText(double bytes);
QString durationText(double seconds);
QString plural(qint64 number, const QString& one, const QString& many);

// The shortest text that reads back as the same double, in the C locale: for files and tool tips.
QString roundTrip(double value);

}  // namespace straightedge::ui
