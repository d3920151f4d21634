// SPDX-License-Identifier: GPL-3.0-or-later
#include "tables.h"

#include <algorithm>

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
