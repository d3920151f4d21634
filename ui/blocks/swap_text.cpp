// SPDX-License-Identifier: GPL-3.0-or-later
#include "swap_text.h"

#include <algorithm>
#include <cmath>

#include "style/colours.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

using study::Metric;
using study::ReplacementKind;

QString strong(const QString& text) {
    return QStringLiteral("<b>%1</b>").arg(text);
}

// What this map does with massive rows, so that its cost is understood.
QString manner(study::ReplacementKind kind) {
    switch (kind) {
        case ReplacementKind::Linear:
            return QObject::tr("is bent towards them");
        case ReplacementKind::BalancedHalf:
            return QObject::tr("weighs them down");
        case ReplacementKind::BalancedFourFifths:
            return QObject::tr("weighs them down further");
        case ReplacementKind::Switched:
            return QObject::tr("maps the other rows and gives these their mean output");
        case ReplacementKind::Bilinear:
        case ReplacementKind::Dense2x:
        case ReplacementKind::Poly2x:
            return QObject::tr("is trained on all rows alike");
        case ReplacementKind::Original:
            break;
    }
    return {};
}

}  // namespace

QString costText(std::optional<double> dppl, std::optional<double> error) {
    if (!dppl)
        return {};
    int decimals = std::abs(*dppl) >= 100 ? 0 : std::abs(*dppl) >= 10 ? 1 : 2;
    if (error && *error > 0)
        decimals = std::clamp(1 - static_cast<int>(std::floor(std::log10(*error))), 0, 4);
    QString text = decimal(*dppl, decimals);
    if (*dppl >= 0)
        text.prepend(QLatin1Char('+'));
    return error ? text + QStringLiteral(" ± ") + decimal(*error, decimals) : text;
}

QString swapCost(const study::BlockResult& block) {
    const QString cost = costText(block.values[Metric::Dppl], block.values[Metric::DpplSe]);
    return cost.isEmpty() ? QObject::tr("perplexity not measured") : cost;
}

std::vector<study::CompressionRow> rowsOf(const RunEntry& entry, const study::BlockResult& block) {
    study::Run one;
    one.header.ffnParameters = entry.run.header.ffnParameters;
    one.header.modelParameters = entry.run.header.modelParameters;
    one.basePpl = entry.run.basePpl;
    one.blocks.push_back(block);
    return study::compressionRows(one);
}

std::optional<PointId> mostTelling(const RunList& runs) {
    std::optional<PointId> found;
    double most = 0;
    for (int row = 0; row < runs.size(); ++row) {
        const RunEntry& entry = runs.at(row);
        if (!entry.visible)
            continue;
        for (const study::BlockResult& block : entry.run.blocks)
            if (const double cost = block.values[Metric::Dppl].value_or(0); cost > most)
                if (const auto swaps = rowsOf(entry, block);
                    !swaps.empty() && !study::costlyReason(swaps.front()).empty()) {
                    most = cost;
                    found = PointId{entry.id, block.block};
                }
    }
    return found;
}

QString costStory(const RunEntry& entry, const study::BlockResult& block, const Colours& colours) {
    const auto value = [&](Metric metric) { return block.values[metric]; };
    QString text = QObject::tr("<b>Block %1</b> of %2: ")
                       .arg(QString::number(block.block), entry.title().toHtmlEscaped());
    const double massive = value(Metric::MassiveRows).value_or(0);
    if (massive > 0)
        text += QObject::tr("%1 of %2 rows hold %3 % of the output energy. ")
                    .arg(count(massive), count(value(Metric::Rows).value_or(0)),
                         decimal(100 * value(Metric::MassiveShare).value_or(0), 1));
    else if (value(Metric::MassiveRows))
        text += QObject::tr("no row is massive. ");
    const std::vector<study::CompressionRow> rows = rowsOf(entry, block);
    if (std::ranges::none_of(rows, [](const auto& row) { return row.replacement.dppl.has_value(); }))
        return text +
               QObject::tr("Perplexity not measured: what its swaps cost is not known, whatever R² says.");
    bool first = true;
    for (const study::CompressionRow& row : rows) {
        const study::ReplacementResult& swap = row.replacement;
        if (swap.kind == ReplacementKind::Original)  // no swap
            continue;
        QString sentence = strong(toQString(study::info(swap.kind).title));
        if (massive > 0)
            sentence += QLatin1Char(' ') + manner(swap.kind);
        if (swap.kind == ReplacementKind::Linear) {
            if (swap.r2)
                sentence += QObject::tr(", R² %1").arg(decimal(*swap.r2, 3));
            if (const auto typical = value(Metric::R2LinOnTypical); typical && massive > 0)
                sentence += QObject::tr(" but %1 on the typical rows").arg(decimal(*typical, 2));
        }
        const QString cost =
            swap.dppl ? strong(costText(swap.dppl, swap.dpplSe)) : QObject::tr("perplexity not measured");
        const bool costly = !study::costlyReason(row).empty();
        text += (first ? QString() : QStringLiteral(" &nbsp;")) + sentence + QStringLiteral(": ") +
                (costly ? QStringLiteral("<span style='color:%1'>%2</span>").arg(colours.error.name(), cost)
                        : cost) +
                QLatin1Char('.');
        first = false;
    }
    return text;
}

}  // namespace straightedge::ui
