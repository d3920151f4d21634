// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables.h"

#include <algorithm>

#include "study/compare/residual_gain.h"
#include "study/export/compression.h"

namespace straightedge::app {

namespace {

// Of UTF-8: continuation bytes take no room.
std::size_t characters(const std::string& text) {
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }));
}

std::string cell(const study::MetricValues& values, study::Metric metric) {
    const auto value = values[metric];
    if (!value)
        return "–";
    if (info(metric).whole)
        return grouped(static_cast<std::int64_t>(*value));
    return metric == study::Metric::Condition ? study::scientific(*value)
                                              : study::fixed(*value, info(metric).decimals);
}

}  // namespace

void printTable(std::ostream& out, const std::vector<std::vector<std::string>>& rows) {
    std::vector<std::size_t> widths;
    for (const auto& row : rows)
        for (std::size_t i = 0; i < row.size(); ++i) {
            if (i == widths.size())
                widths.push_back(0);
            widths[i] = std::max(widths[i], characters(row[i]));
        }
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i)
            out << (i ? "  " : "") << std::string(widths[i] - characters(row[i]), ' ') << row[i];
        out << '\n';
    }
}

void printRun(std::ostream& out, const study::Run& run) {
    using study::Metric;
    const auto& header = run.header;
    out << header.model << " on " << header.corpus << ": " << grouped(header.rows) << " rows, "
        << grouped(header.rowsTrain) << " to fit and " << grouped(header.rows - header.rowsTrain)
        << " held out\n\n";

    const std::vector<std::pair<Metric, const char*>> columns = {
        {Metric::R2Lin, "R² published"},  {Metric::R2LinCentred, "centred"},
        {Metric::R2Typical, "typical"},   {Metric::R2TypicalCentred, "typ. centred"},
        {Metric::Rmse, "RMSE"},           {Metric::Cosine, "cosine"},
        {Metric::MassiveRows, "massive"}, {Metric::MassiveShare, "share"},
        {Metric::Rank, "rank"},           {Metric::Condition, "condition"}};
    std::vector<std::vector<std::string>> rows(1, {"block"});
    for (const auto& [metric, title] : columns)
        rows[0].emplace_back(title);
    rows[0].emplace_back("");
    std::vector<std::string> failures;
    bool marked = false;
    for (const auto& block : run.blocks) {
        std::vector<std::string> row{std::to_string(block.block)};
        for (const auto& [metric, title] : columns)
            row.push_back(cell(block.values, metric));
        const bool massive = peakIsMassive(block.values);
        marked = marked || massive;
        row.emplace_back(!block.failure.empty() ? "failed" : massive ? "*" : "");
        rows.push_back(std::move(row));
        if (!block.failure.empty())
            failures.push_back("block " + std::to_string(block.block) + ": " + block.failure);
    }
    printTable(out, rows);
    if (marked)
        out << "\n* most of the published R² is a few massive rows (attention sinks): see typical.\n";
    for (const std::string& note : run.notes)
        out << "note: " << note << '\n';
    for (const std::string& failure : failures)
        out << "failed: " << failure << '\n';
    out << '\n';
}

void printResidual(std::ostream& out, const study::Run& run) {
    using study::Metric;
    std::vector<std::pair<Metric, const char*>> columns;
    for (const auto& column :
         std::vector<std::pair<Metric, const char*>>{{Metric::R2Lin, "R² published"},
                                                     {Metric::KfoldMean, "k-fold"},
                                                     {Metric::KfoldStd, "± σ"},
                                                     {Metric::Rank90, "rank 90 %"},
                                                     {Metric::Rank95, "rank 95 %"},
                                                     {Metric::R2TrainedLinear, "trained linear"},
                                                     {Metric::R2Bilinear, "bilinear"},
                                                     {Metric::GateBilinear, "gate"},
                                                     {Metric::R2Dense2x, "dense ×2"},
                                                     {Metric::R2Poly2x, "bilinear ×2"},
                                                     {Metric::ConjunctionFfn, "conj."},
                                                     {Metric::R2Deg2, "degree 2"},
                                                     {Metric::R2Deg2Half, "half rows"},
                                                     {Metric::R2LinUnseen, "line, unseen"},
                                                     {Metric::R2Deg2Unseen, "d2, unseen"},
                                                     {Metric::R2Deg2Typical, "d2, typical"},
                                                     {Metric::R2Deg3, "degree 3"},
                                                     {Metric::R2Deg3Typical, "d3, typical"}})
        if (std::ranges::any_of(run.blocks,
                                [&](const auto& block) { return block.values[column.first].has_value(); }))
            columns.push_back(column);
    if (columns.size() < 2)
        return;
    std::vector<std::vector<std::string>> rows(1, {"block"});
    for (const auto& [metric, title] : columns)
        rows[0].emplace_back(title);
    for (const auto& block : run.blocks) {
        std::vector<std::string> row{std::to_string(block.block)};
        for (const auto& [metric, title] : columns)
            row.push_back(cell(block.values, metric));
        rows.push_back(std::move(row));
    }
    printTable(out, rows);
    out << '\n';
    const study::Run* const only[] = {&run};
    for (const study::GainSource& source : study::gainSources(only)) {
        const study::Correlation found = study::residualGain(only, source).correlation;
        if (found.low)
            out << "gain of " << source.title() << " over 1 - R²: Pearson r " << study::fixed(*found.r, 2)
                << " (" << study::fixed(*found.low, 2) << " to " << study::fixed(*found.high, 2) << ") over "
                << found.pairs << " blocks\n";
    }
    for (const auto& block : run.blocks)
        for (const std::string& remark : block.remarks)
            out << "block " << block.block << ", " << remark << '\n';
    out << '\n';
}

void printCompression(std::ostream& out, const study::Run& run) {
    const auto table = compressionTable(run);
    if (table.size() < 2)
        return;
    out << compressionTitle(run) << "\n\n";
    printTable(out, table);
    const auto notes = compressionNotes(run);
    for (std::size_t i = 0; i < notes.size(); ++i)
        out << (i ? "" : "\n") << notes[i] << '\n';
    out << '\n';
}

}  // namespace straightedge::app
