// SPDX-License-Identifier: GPL-3.0-or-later
#include "hover_text.h"

#include "style/format.h"

namespace straightedge::ui {

namespace {

using study::Metric;

constexpr Metric listed[] = {Metric::R2Lin,           Metric::R2LinCentred, Metric::R2Typical,
                             Metric::FeatureR2Median, Metric::Cosine,       Metric::MassiveRows,
                             Metric::MassiveShare};

QString coloured(const QString& text, const QColor& colour) {
    return QStringLiteral("<span style='color:%1'>%2</span>").arg(colour.name(), text);
}

// A label grows as wide as its longest line: lines are broken by hand, after some 44 characters.
QString broken(const QString& text) {
    QString lines;
    int length = 0;
    for (const QString& word : text.split(QLatin1Char(' '))) {
        lines += length == 0                 ? QString()
                 : length + word.size() > 44 ? QStringLiteral("<br>")
                                             : QStringLiteral(" ");
        length = length + word.size() > 44 ? 0 : length;
        lines += word.toHtmlEscaped();
        length += static_cast<int>(word.size()) + 1;
    }
    return lines;
}

}  // namespace

QString hoverText(const RunEntry& entry, const study::BlockResult& block, Metric shown,
                  const Colours& colours) {
    QString text =
        QStringLiteral("%1 <b>%2</b> &nbsp;block <b>%3</b><br>%4")
            .arg(coloured(QStringLiteral("●"), colours.curve(entry.colour)), entry.title().toHtmlEscaped())
            .arg(block.block)
            .arg(coloured(entry.subtitle().toHtmlEscaped(), colours.muted));
    QString rows;
    for (const Metric metric : listed) {
        const study::MetricInfo& info = study::info(metric);
        const auto value = block.values[metric];
        if (!value && metric != shown)
            continue;
        const QString cell = value ? metricText(info, value) : QObject::tr("undefined");
        rows += QStringLiteral("<tr><td style='padding-right:14px'>%1</td><td align='right'>%2</td></tr>")
                    .arg(coloured(toQString(info.title), colours.muted),
                         metric == shown ? QStringLiteral("<b>%1</b>").arg(cell) : cell);
    }
    text += QStringLiteral(
                "<table cellspacing='0' cellpadding='0' style='margin-top:4px; margin-bottom:4px'>%1</table>")
                .arg(rows);
    if (entry.run.header.tooFewRows)
        text += QObject::tr("Too few rows: the fit is overfitted.<br>");
    if (!block.failure.empty())
        text += coloured(broken(toQString(block.failure)), colours.error);
    else if (study::peakIsMassive(block.values))
        text += broken(toQString(study::massiveReason(block.values)));
    return text;
}

}  // namespace straightedge::ui
