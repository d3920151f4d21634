// SPDX-License-Identifier: GPL-3.0-or-later
#include "comparison_note.h"

#include <QStringList>
#include <map>

#include "style/format.h"

namespace straightedge::ui {

namespace {

QString listed(const std::map<std::string, std::string>& named) {
    QStringList lines;
    for (const auto& [identity, name] : named)
        lines += QStringLiteral("  ") + toQString(name);
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ComparisonNote comparisonNote(const RunList& runs) {
    std::map<std::string, std::string> texts, tokenizers;  // identity -> name
    for (int row = 0; row < runs.size(); ++row) {
        const RunEntry& entry = runs.at(row);
        const study::RunHeader& header = entry.run.header;
        if (!entry.visible || entry.run.blocks.empty() || header.textHash.empty())
            continue;
        texts.emplace(header.textHash + header.evaluationHash,
                      header.corpus + " (" + header.textHash.substr(0, 8) + ")");
        tokenizers.emplace(header.tokenizer, header.tokenizer);
    }
    ComparisonNote note;
    QStringList different, details;
    if (texts.size() > 1) {
        different += QObject::tr("texts");
        details +=
            QObject::tr("The runs shown are on different texts: their numbers differ for that alone.\n%1")
                .arg(listed(texts));
    }
    if (tokenizers.size() > 1) {
        different += QObject::tr("tokenizers");
        details += QObject::tr(
                       "The runs shown cut the text differently: their perplexities, and differences "
                       "of them, are per token and cannot be compared.\n%1")
                       .arg(listed(tokenizers));
    }
    if (!different.isEmpty())
        note.brief = QObject::tr("different %1").arg(different.join(QObject::tr(" and ")));
    note.details = details.join(QStringLiteral("\n\n"));
    return note;
}

}  // namespace straightedge::ui
