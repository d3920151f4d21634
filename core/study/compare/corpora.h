// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <span>
#include <string>
#include <vector>

#include "statistics.h"
#include "study/run.h"

// Profiles of one model on two or more corpora (PROTOCOL "Comparisons across corpora").
namespace straightedge::study {

struct CorporaPair {
    std::size_t first = 0, second = 0;  // indices among the runs given
    int blocks = 0;                     // that both have a value of
    Correlation pearson;
    std::optional<double> spearman;
    std::optional<double> meanDifference, largestDifference;  // absolute, over blocks
    int largestBlock = -1;                                    // where the largest is
    std::vector<std::string> remarks = {};                    // why the two do not compare like with like
};

// Every pair of runs of the same model (name, blocks and width) on different texts, by one metric.
std::vector<CorporaPair> compareCorpora(std::span<const Run* const> runs, Metric metric = Metric::R2Lin);

// For reading, the heading first: "a.txt", "b.txt", blocks, Pearson r with its interval, Spearman, ...
std::vector<std::vector<std::string>> corporaTable(std::span<const Run* const> runs,
                                                   std::span<const CorporaPair> pairs);
// With round-trip precision, C locale.
std::string toCorporaCsv(std::span<const Run* const> runs, std::span<const CorporaPair> pairs, Metric metric);

}  // namespace straightedge::study
