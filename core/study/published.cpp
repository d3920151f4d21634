// SPDX-License-Identifier: GPL-3.0-or-later
#include "published.h"

#include <QFile>
#include <QStringList>

#include "error.h"

namespace straightedge::study {

std::vector<Run> publishedRuns() {
    QFile file(QStringLiteral(":/published/published.csv"));
    if (!file.open(QIODevice::ReadOnly | QIODevice::Text))
        throw Error(
            {.what = "the published figures are missing from the program", .advice = "build it again"});
    std::vector<Run> runs;
    const QStringList lines = QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    for (qsizetype i = 1; i < lines.size(); ++i) {  // model,block,activation,r2_lin,dppl_lin,source
        const QStringList cells = lines[i].split(QLatin1Char(','));
        const std::string model = cells.at(0).toStdString();
        if (runs.empty() || runs.back().header.model != model) {
            Run run;
            run.header.model = model;
            run.header.corpus = "wikitext-2";
            run.header.activation = cells.at(2).toStdString();
            run.header.settings.tokens = 15'000;
            run.state = RunState::Finished;
            run.notes.push_back("published: " + cells.at(5).toStdString());
            runs.push_back(std::move(run));
        }
        BlockResult block{.block = cells.at(1).toInt(), .values = {}};
        block.values.set(Metric::R2Lin, cells.at(3).toDouble());
        if (!cells.at(4).isEmpty()) {
            ReplacementResult swap{.kind = ReplacementKind::Linear};
            swap.r2 = cells.at(3).toDouble();
            swap.dppl = cells.at(4).toDouble();
            block.values.set(Metric::Dppl, swap.dppl);
            block.replacements.push_back(swap);
        }
        runs.back().blocks.push_back(std::move(block));
        runs.back().header.modelBlocks = static_cast<int>(runs.back().blocks.size());
    }
    return runs;
}

}  // namespace straightedge::study
