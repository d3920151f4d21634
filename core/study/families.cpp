// SPDX-License-Identifier: GPL-3.0-or-later
#include "families.h"

#include <algorithm>

#include "model/families.h"

namespace straightedge::study {

namespace {

using model::Family;
using model::PositionKind;
using model::Role;

std::string positionsOf(const Family& family) {
    std::string text = family.position == PositionKind::Learned ? "learned"
                       : family.position == PositionKind::Alibi ? "ALiBi"
                                                                : "rotary";
    if (family.find(Role::RelativeBias))
        text += ", relative";
    if (family.rotarylessEvery > 0)
        text += ", not in every block";
    if (family.sliding)
        text += family.sliding->rotaryBase > 0 ? ", local and global" : ", window";
    return text;
}

// The kind, and where norms stand around the FFN.
std::string normOf(const Family& family, const model::Site& site) {
    std::string text = family.norm == model::NormKind::Rms ? "RMSNorm" : "LayerNorm";
    if (site.ffnSumNorm)
        return text + " after the sum";
    if (!site.ffnNorm)
        return text + (site.parallelResidual ? " before, shared" : " behind");
    return text + (site.ffnOutNorm ? " before and behind" : " before");
}

}  // namespace

std::vector<FamilySummary> families() {
    std::vector<FamilySummary> all;
    for (const Family& family : model::families()) {
        const model::Site site = model::siteOf(family);
        all.push_back({std::string(family.title), std::string(family.name), std::string(family.gguf),
                       positionsOf(family), normOf(family, site), site.text(), family.causal});
    }
    return all;
}

std::string familiesAsMarkdown() {
    std::string table =
                    "| family | model_type | GGUF | positions | norm | site |\n|---|---|---|---|---|---|\n",
                legend;
    std::vector<std::string> sites;
    for (const FamilySummary& family : families()) {
        auto site = std::ranges::find(sites, family.site);
        if (site == sites.end()) {
            site = sites.insert(sites.end(), family.site);
            legend += std::to_string(sites.size()) + ". " + family.site + ".\n";
        }
        table += "| " + family.title + " | `" + family.name + "` | " +
                 (family.gguf.empty() ? "–" : "`" + family.gguf + "`") + " | " + family.positions + " | " +
                 family.norm + " | " + std::to_string(site - sites.begin() + 1) +
                 (family.perplexity ? "" : ", no perplexity") + " |\n";
    }
    return table + "\nSites, that is what x and y are:\n\n" + legend;
}

}  // namespace straightedge::study
