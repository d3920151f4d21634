// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include <cstdio>

namespace straightedge::study {

bool peakIsMassive(const MetricValues& values)
{
    const auto published = values[Metric::R2Lin], typical = values[Metric::R2Typical];
    return published && typical && values[Metric::MassiveRows].value_or(0) > 0 && *published - *typical > 0.2;
}

std::string massiveReason(const MetricValues& values)
{
    if (!peakIsMassive(values))
        return {};
    const double count = *values[Metric::MassiveRows];
    const double rows = values[Metric::Rows].value_or(0);
    char text[256];
    std::snprintf(text, sizeof text,
                  "%.0f of %.0f rows (%.2g %%) hold %.1f %% of the output energy; R² on the typical rows is %.3f.", count,
                  rows, rows > 0 ? 100 * count / rows : 0.0, 100 * values[Metric::MassiveShare].value_or(0),
                  *values[Metric::R2Typical]);
    return text;
}

}  // namespace straightedge::study
