// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "study/run.h"

// The compression table: what each replacement of each block saves, and what it costs.
namespace straightedge::study {

struct CompressionRow {
    int block = 0;
    ReplacementResult replacement;           // its parameters, scores and cost
    MetricValues values;                     // of the block: r2_lin, massive_share, r2_typical, ...
    std::optional<double> compression = {};  // the FFN's parameters over the replacement's
    std::optional<double> savedShare = {};   // of the whole model's parameters
    std::optional<double> basePpl = {};
};

// In depth order, each block's in the order of its replacements.
std::vector<CompressionRow> compressionRows(const Run& run);

// Why a swap that its R² makes look cheap is costly: R² of at least 0.8, yet ΔPPL above 1 and above 2 % of
// the base perplexity. Empty for all others.
std::string costlyReason(const CompressionRow& row);

// For reading: rounded (a value with its error to two digits of it), the heading first. Its last column marks
// what is kept, and with "†" what is costly; compressionNotes() says why.
std::vector<std::vector<std::string>> compressionTable(const Run& run);
std::vector<std::string> compressionNotes(const Run& run);
// "SmolLM2 on text.txt: base perplexity 24.31 ± 0.52 on 120 windows"
std::string compressionTitle(const Run& run);

// With round-trip precision, C locale.
std::string toCompressionCsv(std::span<const Run> runs);
std::string toCompressionJson(std::span<const Run> runs);
// A table a run, rounded for reading. LaTeX needs the package booktabs.
std::string toMarkdown(std::span<const Run> runs);
std::string toLatex(std::span<const Run> runs);

// By the file's ending: .csv, .json, .md or .tex. Both throw Error for another ending, or a place that cannot
// be written.
void checkCompressionFile(const std::filesystem::path& file);
void writeCompression(std::span<const Run> runs, const std::filesystem::path& file);

}  // namespace straightedge::study
