// SPDX-License-Identifier: GPL-3.0-or-later
#include "block_notes.h"

#include <functional>

#include "style/colours.h"
#include "style/format.h"

namespace straightedge::ui {

namespace {

using study::CeilingOutcome;
using study::Metric;

QString score(std::optional<double> value) {
    return value ? decimal(*value, 3) : QStringLiteral("–");
}

class Table {
  public:
    explicit Table(const Colours& colours) : m_muted(colours.muted.name()) {}

    void head(const QStringList& cells) { row(QString(), cells, true); }
    void row(const QString& name, const QStringList& cells, bool muted = false) {
        m_rows += QStringLiteral("<tr><td style='color:%1; padding-right:12px'>%2</td>").arg(m_muted, name);
        for (const QString& cell : cells)
            m_rows += QStringLiteral("<td align='right' style='padding-left:10px%1'>%2</td>")
                          .arg(muted ? QStringLiteral("; color:") + m_muted : QString(), cell);
        m_rows += QStringLiteral("</tr>");
    }
    QString html() const {
        return QStringLiteral("<table cellspacing='0' style='margin-top:3px; margin-bottom:6px'>%1</table>")
            .arg(m_rows);
    }

  private:
    QString m_muted, m_rows;
};

QString ceilingTable(const study::BlockResult& block, const Colours& colours) {
    const auto& ceilings = block.ceilings;
    Table table(colours);
    QStringList heads{QObject::tr("line")};
    for (const CeilingOutcome& ceiling : ceilings)
        heads += QObject::tr("degree %1").arg(ceiling.degree);
    table.head(heads);
    const auto row = [&](const QString& name, const QString& line,
                         const std::function<QString(const CeilingOutcome&)>& cell) {
        QStringList cells{line};
        for (const CeilingOutcome& ceiling : ceilings)
            cells += cell(ceiling);
        table.row(name, cells);
    };
    const CeilingOutcome& first = ceilings.front();
    row(QStringLiteral("R²"), score(block.values[Metric::R2Lin]), [](const auto& c) { return score(c.r2); });
    row(QObject::tr("half the rows"), {}, [](const auto& c) { return score(c.r2Half); });
    row(QObject::tr("%1 rows of unseen tokens").arg(count(static_cast<double>(first.unseenRows))),
        score(first.r2LinUnseen), [](const auto& c) { return score(c.r2Unseen); });
    row(QObject::tr("typical rows"), score(first.r2LinTypical),
        [](const auto& c) { return score(c.r2Typical); });
    row(QObject::tr("ridge"), {}, [](const auto& c) {
        return QString::number(c.ridge, 'g', 2) + (c.ridgeAtEnd ? QObject::tr(", end of grid") : QString());
    });
    QString text = table.html();
    const bool same = std::ranges::all_of(ceilings, [&](const auto& c) { return c.method == first.method; });
    for (const CeilingOutcome& ceiling : ceilings) {
        text += (same ? QObject::tr("Ceilings by ") : QObject::tr("Degree %1 by ").arg(ceiling.degree)) +
                toQString(ceiling.method).toHtmlEscaped() + QStringLiteral(".<br>");
        if (same)
            break;
    }
    return text;
}

QString probeTable(const study::BlockResult& block, const Colours& colours) {
    Table table(colours);
    table.head({QStringLiteral("R²"), QObject::tr("gain"), QObject::tr("parameters"), QObject::tr("gate"),
                QObject::tr("conjunction")});
    const auto cell = [](std::optional<double> value) { return value ? decimal(*value, 3) : QString(); };
    for (const study::ProbeOutcome& probe : block.probes)
        table.row(toQString(study::info(probe.probe).title),
                  {score(probe.r2), score(probe.gain), count(static_cast<double>(probe.parameters)),
                   cell(probe.gate), cell(probe.conjunction)});
    if (const auto own = block.values[Metric::ConjunctionFfn])
        table.row(QObject::tr("own FFN"), {{}, {}, {}, {}, decimal(*own, 3)});
    return table.html();
}

}  // namespace

QString residualNotes(const RunEntry& entry, const study::BlockResult& block, const Colours& colours) {
    QString text;
    if (!block.ceilings.empty())
        text += ceilingTable(block, colours);
    if (!block.probes.empty())
        text += probeTable(block, colours);
    const auto folds = block.values[Metric::KfoldMean];
    if (folds)
        text += QObject::tr("R² centred over %1 folds: %2 ± %3<br>")
                    .arg(QString::number(block.folds.size()), decimal(*folds, 3),
                         score(block.values[Metric::KfoldStd]));
    const auto rank90 = block.values[Metric::Rank90], rank95 = block.values[Metric::Rank95];
    if (rank90 && rank95)
        text += QObject::tr("90 % of R² with %1, 95 % with %2.<br>")
                    .arg(plural(static_cast<qint64>(*rank90), QObject::tr("direction"),
                                QObject::tr("directions")),
                         count(*rank95));
    for (const std::string& remark : block.remarks)
        text += QStringLiteral("<span style='color:%1'>%2</span><br>")
                    .arg(colours.error.name(), toQString(remark).toHtmlEscaped());
    if (text.isEmpty())
        return {};
    return QObject::tr("<b>Block %1</b> of %2")
               .arg(QString::number(block.block), entry.title().toHtmlEscaped()) +
           QStringLiteral("<br>") + text;
}

}  // namespace straightedge::ui
