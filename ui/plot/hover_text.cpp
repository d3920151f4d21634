// SPDX-License-Identifier: GPL-3.0-or-later
#include "hover_text.h"

#include "blocks/swap_text.h"
#include "study/export/compression.h"
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

QString bold(const QString& text, bool yes) {
    return yes ? QStringLiteral("<b>%1</b>").arg(text) : text;
}

QString table(const QString& rows) {
    return QStringLiteral(
               "<table cellspacing='0' cellpadding='0' style='margin-top:4px; margin-bottom:4px'>%1</table>")
        .arg(rows);
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

QString head(const RunEntry& entry, int block, const Colours& colours) {
    return QStringLiteral("%1 <b>%2</b> &nbsp;block <b>%3</b><br>%4")
        .arg(coloured(QStringLiteral("●"), colours.curve(entry.colour)), entry.title().toHtmlEscaped())
        .arg(block)
        .arg(coloured(entry.subtitle().toHtmlEscaped(), colours.muted));
}

}  // namespace

QString profileCard(const RunEntry& entry, const study::BlockResult& block, Metric shown,
                    const Colours& colours) {
    QString rows;
    const auto row = [&](const QString& name, const QString& cell) {
        rows += QStringLiteral("<tr><td style='padding-right:14px'>%1</td><td align='right'>%2</td></tr>")
                    .arg(coloured(name, colours.muted), cell);
    };
    for (const Metric metric : listed) {
        const study::MetricInfo& info = study::info(metric);
        const auto value = block.values[metric];
        if (value || metric == shown)
            row(toQString(info.title),
                bold(value ? metricText(info, value) : QObject::tr("undefined"), metric == shown));
    }
    if (const auto mean = block.values[Metric::KfoldMean], deviation = block.values[Metric::KfoldStd];
        mean && deviation)
        row(QObject::tr("folds, R² centred"),
            decimal(*mean, 3) + QStringLiteral(" ± ") + decimal(*deviation, 3));
    for (const Metric metric : {Metric::R2Deg2, Metric::R2Deg3})
        if (const auto value = block.values[metric])
            row(toQString(study::info(metric).title), metricText(study::info(metric), value));
    row(toQString(study::info(Metric::Dppl).title), swapCost(block));
    QString text = head(entry, block.block, colours) + table(rows);
    if (entry.run.header.tooFewRows)
        text += QObject::tr("Too few rows: the fit is overfitted.<br>");
    if (!block.failure.empty())
        text += coloured(broken(toQString(block.failure)), colours.error);
    else if (study::peakIsMassive(block.values))
        text += broken(toQString(study::massiveReason(block.values)));
    return text;
}

QString costCard(const RunEntry& entry, const study::BlockResult& block, study::ReplacementKind shown,
                 const Colours& colours) {
    const QString cells = QStringLiteral(
        "<tr><td style='padding-right:14px'>%1</td><td align='right' style='padding-right:14px'>%2</td>"
        "<td align='right' style='padding-right:8px'>%3</td><td>%4</td></tr>");
    const auto muted = [&](const QString& text) { return coloured(text, colours.muted); };
    QString rows =
        cells.arg(QString(), muted(QStringLiteral("R²")), muted(QStringLiteral("ΔPPL")), QString());
    QString reason;
    for (const study::CompressionRow& row : rowsOf(entry, block)) {
        const study::ReplacementResult& swap = row.replacement;
        if (swap.kind == study::ReplacementKind::Original)
            continue;
        const bool here = swap.kind == shown;
        const QString why = toQString(study::costlyReason(row));
        if (!why.isEmpty() && (reason.isEmpty() || here))
            reason = why;
        const QString cost = bold(costText(swap.dppl, swap.dpplSe), here);
        rows += cells.arg(bold(toQString(study::info(swap.kind).title), here),
                          bold(swap.r2 ? decimal(*swap.r2, 3) : QString(), here),
                          why.isEmpty() ? cost : coloured(cost, colours.error),
                          muted(swap.kept ? QObject::tr("kept") : QString()));
    }
    QString text = head(entry, block.block, colours) + table(rows);
    if (const auto typical = block.values[Metric::R2Typical])
        text += muted(QObject::tr("R² on typical rows")) + QLatin1Char(' ') + decimal(*typical, 3) +
                QStringLiteral("<br>");
    return text + broken(reason);
}

QString residualCard(const RunEntry& entry, const study::BlockResult& block, const study::GainSource& shown,
                     const Colours& colours) {
    const QString cells = QStringLiteral(
        "<tr><td style='padding-right:14px'>%1</td><td align='right' style='padding-right:14px'>%2</td>"
        "<td align='right'>%3</td></tr>");
    const auto muted = [&](const QString& text) { return coloured(text, colours.muted); };
    const auto line = block.values[Metric::R2Lin];
    QString rows = cells.arg(QString(), muted(QStringLiteral("R²")), muted(QObject::tr("gain")));
    rows += cells.arg(muted(QObject::tr("line")), line ? decimal(*line, 3) : QString(), QString());
    const auto row = [&](const study::GainSource& source, std::optional<double> r2) {
        const bool here = source == shown;
        rows += cells.arg(bold(toQString(source.title()), here), bold(r2 ? decimal(*r2, 3) : QString(), here),
                          bold(r2 && line ? decimal(*r2 - *line, 3) : QString(), here));
    };
    for (const study::ProbeOutcome& probe : block.probes)
        row({.kind = study::GainSource::ProbeGain, .probe = probe.probe}, probe.r2);
    for (const study::CeilingOutcome& ceiling : block.ceilings)
        row({.kind = study::GainSource::CeilingGain, .degree = ceiling.degree}, ceiling.r2);
    QString text = head(entry, block.block, colours) + table(rows);
    text += muted(QObject::tr("ΔPPL of the line")) + QLatin1Char(' ') + swapCost(block);
    if (study::peakIsMassive(block.values))
        text += QStringLiteral("<br>") + broken(toQString(study::massiveReason(block.values)));
    return text;
}

}  // namespace straightedge::ui
