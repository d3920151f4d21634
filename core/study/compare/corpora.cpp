// SPDX-License-Identifier: GPL-3.0-or-later
#include "corpora.h"

#include <algorithm>
#include <cmath>

#include "study/export/export.h"
#include "study/export/number_text.h"

namespace straightedge::study {

namespace {

bool sameModel(const RunHeader& a, const RunHeader& b) {
    return a.model == b.model && a.family == b.family && a.modelBlocks == b.modelBlocks && a.width == b.width;
}

bool sameText(const RunHeader& a, const RunHeader& b) {
    return a.textHash.empty() || b.textHash.empty() ? a.corpus == b.corpus : a.textHash == b.textHash;
}

std::vector<std::string> differences(const RunHeader& a, const RunHeader& b) {
    std::vector<std::string> remarks;
    if (a.tokenizer != b.tokenizer)
        remarks.emplace_back("the tokenizers differ");
    if (a.settings.seqLen != b.settings.seqLen)
        remarks.push_back("windows of " + std::to_string(a.settings.seqLen) + " and " +
                          std::to_string(b.settings.seqLen) + " tokens");
    if (a.rows != b.rows)
        remarks.push_back(grouped(a.rows) + " and " + grouped(b.rows) + " rows");
    if (a.modelHeaderHash != b.modelHeaderHash)
        remarks.emplace_back("the model's files differ");
    return remarks;
}

CorporaPair compare(const Run& a, const Run& b, Metric metric) {
    CorporaPair pair;
    std::vector<double> left, right;
    double sum = 0;
    for (const BlockResult& block : a.blocks) {
        const auto other = std::ranges::find(b.blocks, block.block, &BlockResult::block);
        if (other == b.blocks.end() || !block.values[metric] || !other->values[metric])
            continue;
        left.push_back(*block.values[metric]);
        right.push_back(*other->values[metric]);
        const double difference = std::abs(left.back() - right.back());
        sum += difference;
        if (!pair.largestDifference || difference > *pair.largestDifference) {
            pair.largestDifference = difference;
            pair.largestBlock = block.block;
        }
    }
    pair.blocks = static_cast<int>(left.size());
    pair.pearson = pearson(left, right);
    pair.spearman = spearman(left, right);
    if (!left.empty())
        pair.meanDifference = sum / static_cast<double>(left.size());
    pair.remarks = differences(a.header, b.header);
    return pair;
}

std::string joined(const std::vector<std::string>& remarks) {
    std::string text;
    for (const std::string& remark : remarks)
        text += (text.empty() ? "" : "; ") + remark;
    return text;
}

}  // namespace

std::vector<CorporaPair> compareCorpora(std::span<const Run* const> runs, Metric metric) {
    std::vector<CorporaPair> pairs;
    for (std::size_t i = 0; i < runs.size(); ++i)
        for (std::size_t j = i + 1; j < runs.size(); ++j)
            if (sameModel(runs[i]->header, runs[j]->header) && !sameText(runs[i]->header, runs[j]->header)) {
                pairs.push_back(compare(*runs[i], *runs[j], metric));
                pairs.back().first = i;
                pairs.back().second = j;
            }
    return pairs;
}

std::vector<std::vector<std::string>> corporaTable(std::span<const Run* const> runs,
                                                   std::span<const CorporaPair> pairs) {
    const auto cell = [](std::optional<double> value) { return value ? fixed(*value, 3) : "–"; };
    std::vector<std::vector<std::string>> table = {{"model", "text", "other text", "blocks", "Pearson r",
                                                    "95 % interval", "Spearman", "mean |Δ|", "largest |Δ|",
                                                    "at block", ""}};
    for (const CorporaPair& pair : pairs)
        table.push_back(
            {runs[pair.first]->header.model, runs[pair.first]->header.corpus,
             runs[pair.second]->header.corpus, std::to_string(pair.blocks), cell(pair.pearson.r),
             pair.pearson.low ? fixed(*pair.pearson.low, 2) + " to " + fixed(*pair.pearson.high, 2) : "–",
             cell(pair.spearman), cell(pair.meanDifference), cell(pair.largestDifference),
             pair.largestBlock < 0 ? "–" : std::to_string(pair.largestBlock), joined(pair.remarks)});
    return table;
}

std::string toCorporaCsv(std::span<const Run* const> runs, std::span<const CorporaPair> pairs,
                         Metric metric) {
    const auto cell = [](std::optional<double> value) { return value ? shortest(*value) : std::string(); };
    std::string text =
        "model,corpus,other_corpus,metric,blocks,pearson,pearson_low,pearson_high,spearman,mean_difference,"
        "largest_difference,largest_block,remarks\n";
    for (const CorporaPair& pair : pairs)
        text += csvCell(runs[pair.first]->header.model) + ',' + csvCell(runs[pair.first]->header.corpus) +
                ',' + csvCell(runs[pair.second]->header.corpus) + ',' + std::string(info(metric).name) + ',' +
                std::to_string(pair.blocks) + ',' + cell(pair.pearson.r) + ',' + cell(pair.pearson.low) +
                ',' + cell(pair.pearson.high) + ',' + cell(pair.spearman) + ',' + cell(pair.meanDifference) +
                ',' + cell(pair.largestDifference) + ',' +
                (pair.largestBlock < 0 ? std::string() : std::to_string(pair.largestBlock)) + ',' +
                csvCell(joined(pair.remarks)) + '\n';
    return text;
}

}  // namespace straightedge::study
