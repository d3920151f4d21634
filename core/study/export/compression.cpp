// SPDX-License-Identifier: GPL-3.0-or-later
#include "compression.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "checkpoint/mapped_file.h"
#include "error.h"
#include "export.h"
#include "number_text.h"
#include "study/store/run_json.h"

namespace straightedge::study {

namespace {

using Cells = std::vector<std::string>;

constexpr const char* nothing = "–";
constexpr const char* costlyMark = "†";

std::string cell(std::optional<double> value, int decimals) {
    return value ? fixed(*value, decimals) : nothing;
}

// Decimals that show two digits of an error: 4.08 -> 1, 0.0996 (which rounds to 0.10) -> 2, 312 -> 0.
int decimalsFor(double error) {
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, error, std::chars_format::scientific, 1).ptr;
    const std::string digits(text, end);
    return std::clamp(1 - std::atoi(digits.c_str() + digits.find('e') + 1), 0, 6);
}

std::string withError(double value, std::optional<double> error, bool sign) {
    const int decimals = error && *error > 0 ? decimalsFor(*error) : 2;
    std::string text = fixed(value, decimals);
    if (sign && !text.starts_with('-'))
        text.insert(0, 1, '+');
    return error ? text + " ± " + fixed(*error, decimals) : text;
}

std::string costText(std::optional<double> dppl, std::optional<double> error) {
    return dppl ? withError(*dppl, error, true) : nothing;
}

std::string percent(std::optional<double> share) {
    return share ? fixed(100 * *share, 1) + " %" : nothing;
}

// The columns of the CSV and the JSON: a row's numbers under their names.
nlohmann::ordered_json machineRow(const Run& run, const CompressionRow& row) {
    const auto value = [](std::optional<double> number) {
        return number ? nlohmann::ordered_json(*number) : nlohmann::ordered_json();
    };
    nlohmann::ordered_json object = {
        {"model", run.header.model}, {"corpus", run.header.corpus}, {"block", row.block}};
    const nlohmann::ordered_json replacement = toJson(row.replacement);
    object["replacement"] = replacement["replacement"];
    object["parameters"] = replacement["parameters"];
    object["compression"] = value(row.compression);
    object["saved_share"] = value(row.savedShare);
    for (const char* name : {"r2", "r2_centred", "cosine", "rmse"})
        object[name] = replacement[name];
    object["base_ppl"] = value(row.basePpl);
    for (const char* name : {"dppl", "dppl_se", "tail_dppl", "kept", "dppl_healed", "dppl_healed_se"})
        object[name] = replacement[name];
    object["dppl_healed_original"] = value(row.values[Metric::DpplHealedOriginal]);
    for (const Metric metric : {Metric::R2Lin, Metric::MassiveShare, Metric::R2Typical})
        object[std::string(info(metric).name)] = value(row.values[metric]);
    object["costly"] = costlyReason(row);
    return object;
}

std::string csvCellOf(const nlohmann::ordered_json& value) {
    if (value.is_null())
        return {};
    if (value.is_string())
        return csvCell(value.get<std::string>());
    if (value.is_number_float())
        return shortest(value.get<double>());
    return value.dump();
}

template <typename Work>
void forEachRow(std::span<const Run> runs, Work work) {
    for (const Run& run : runs)
        for (const CompressionRow& row : compressionRows(run))
            work(machineRow(run, row));
}

// One pass over the text: each of the first strings that is met becomes its second.
std::string translated(std::string_view text,
                       std::span<const std::pair<std::string_view, std::string_view>> table) {
    std::string out;
    while (!text.empty()) {
        const auto found =
            std::ranges::find_if(table, [&](const auto& entry) { return text.starts_with(entry.first); });
        if (found == table.end()) {
            out += text.front();
            text.remove_prefix(1);
        } else {
            out += found->second;
            text.remove_prefix(found->first.size());
        }
    }
    return out;
}

std::string forMarkdown(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> table[] = {
        {"\\", "\\\\"}, {"|", "\\|"}, {"*", "\\*"}, {"_", "\\_"}, {"`", "\\`"}, {"<", "&lt;"}, {"\n", " "}};
    return translated(text, table);
}

std::string forLatex(std::string_view text) {
    constexpr std::pair<std::string_view, std::string_view> table[] = {
        {"\\", "\\textbackslash{}"},
        {"&", "\\&"},
        {"%", "\\%"},
        {"$", "\\$"},
        {"#", "\\#"},
        {"_", "\\_"},
        {"{", "\\{"},
        {"}", "\\}"},
        {"~", "\\textasciitilde{}"},
        {"^", "\\textasciicircum{}"},
        {"<", "\\textless{}"},
        {">", "\\textgreater{}"},
        {"\n", " "},
        {"R²", "$R^2$"},
        {"Δ", "$\\Delta$"},
        {"±", "$\\pm$"},
        {"×", "$\\times$"},
        {"½", "$\\frac12$"},
        {"⅘", "$\\frac45$"},
        {"†", "$^\\dagger$"},
        {"–", "--"},
    };
    std::string out = translated(text, table);
    // A number's own sign; a hyphen would be printed.
    if (out.size() > 1 && out[0] == '-' && out[1] >= '0' && out[1] <= '9')
        out.replace(0, 1, "$-$");
    return out;
}

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    while (times-- > 0)
        all += text;
    return all;
}

template <typename Escape>
std::string joined(const Cells& cells, const char* between, Escape escape) {
    std::string text;
    for (std::size_t i = 0; i < cells.size(); ++i)
        text += (i ? between : "") + escape(cells[i]);
    return text;
}

}  // namespace

std::vector<CompressionRow> compressionRows(const Run& run) {
    std::vector<CompressionRow> rows;
    const auto ffn = static_cast<double>(run.header.ffnParameters);
    const auto whole = static_cast<double>(run.header.modelParameters);
    for (const BlockResult& block : run.blocks)
        for (const ReplacementResult& replacement : block.replacements) {
            CompressionRow& row = rows.emplace_back();
            row.block = block.block;
            row.replacement = replacement;
            row.values = block.values;
            const auto own = static_cast<double>(replacement.parameters);
            if (ffn > 0 && own > 0)
                row.compression = ffn / own;
            if (ffn > 0 && whole > 0)
                row.savedShare = (ffn - own) / whole;
            row.basePpl = run.basePpl;
        }
    return rows;
}

std::string costlyReason(const CompressionRow& row) {
    const ReplacementResult& swap = row.replacement;
    if (!swap.r2 || *swap.r2 < 0.8 || !swap.dppl ||
        *swap.dppl <= std::max(1.0, 0.02 * row.basePpl.value_or(0)))
        return {};
    std::string text = "R² is " + fixed(*swap.r2, 3) + ", yet the swap costs " +
                       costText(swap.dppl, swap.dpplSe) + " perplexity";
    if (!row.values[Metric::MassiveRows])
        return text + ".";  // published figures: nothing else is known
    text += ": ";
    const auto massive = static_cast<std::int64_t>(row.values[Metric::MassiveRows].value_or(0));
    const auto typical = row.values[Metric::R2Typical], onTypical = row.values[Metric::R2LinOnTypical];
    if (massive == 0)
        return text + "no row is massive; later blocks depend on what the map leaves out.";
    text += grouped(massive) + (massive == 1 ? " massive row holds " : " massive rows hold ") +
            percent(row.values[Metric::MassiveShare]) + " of the output energy";
    if (typical)
        text += "; on the typical rows R² is " + fixed(*typical, 3);
    if (onTypical && swap.kind == ReplacementKind::Linear)
        text += ", that of this map " + fixed(*onTypical, 3);
    return text + ".";
}

std::vector<Cells> compressionTable(const Run& run) {
    const bool healed = std::ranges::any_of(run.blocks, [](const BlockResult& block) {
        return block.values[Metric::DpplHealedOriginal].has_value();
    });
    std::vector<Cells> table = {
        {"block", "replacement", "parameters", "compression", "model saved", "R²", "cosine", "RMSE", "ΔPPL"}};
    if (healed)
        table[0].insert(table[0].end(), {"ΔPPL healed", "own FFN healed"});
    table[0].emplace_back();
    for (const CompressionRow& row : compressionRows(run)) {
        const ReplacementResult& swap = row.replacement;
        std::string mark = swap.kept ? "kept" : "";
        if (!costlyReason(row).empty())
            mark += (mark.empty() ? "" : " ") + std::string(costlyMark);
        Cells& cells = table.emplace_back(Cells{
            std::to_string(row.block), std::string(info(swap.kind).title), grouped(swap.parameters),
            row.compression ? "×" + fixed(*row.compression, 1) : nothing, percent(row.savedShare),
            cell(swap.r2, 3), cell(swap.cosine, 3), cell(swap.rmse, 4), costText(swap.dppl, swap.dpplSe)});
        if (healed)
            cells.insert(cells.end(), {costText(swap.dpplHealed, swap.dpplHealedSe),
                                       costText(row.values[Metric::DpplHealedOriginal], {})});
        cells.push_back(std::move(mark));
    }
    return table;
}

Cells compressionNotes(const Run& run) {
    Cells notes;
    for (const CompressionRow& row : compressionRows(run))
        if (const std::string reason = costlyReason(row); !reason.empty())
            notes.push_back(std::string(costlyMark) + " block " + std::to_string(row.block) + ", " +
                            std::string(info(row.replacement.kind).title) + ": " + reason);
    return notes;
}

std::string compressionTitle(const Run& run) {
    std::string text = run.header.model + " on " + run.header.corpus;
    if (run.basePpl)
        text += ": base perplexity " + withError(*run.basePpl, run.basePplSe, false) + " on " +
                grouped(run.header.evaluationWindows) + " windows";
    return text;
}

std::string toCompressionCsv(std::span<const Run> runs) {
    std::string text;
    const auto line = [&](const nlohmann::ordered_json& row, auto cellOf) {
        std::string cells;
        for (const auto& item : row.items())
            cells += ',' + cellOf(item);
        text += cells.substr(1) + '\n';
    };
    line(machineRow({}, {}), [](const auto& item) { return item.key(); });
    forEachRow(runs, [&](const nlohmann::ordered_json& row) {
        line(row, [](const auto& item) { return csvCellOf(item.value()); });
    });
    return text;
}

std::string toCompressionJson(std::span<const Run> runs) {
    using nlohmann::ordered_json;
    ordered_json all = {{"program", {{"name", "straightedge"}, {"version", STRAIGHTEDGE_VERSION}}},
                        {"rows", ordered_json::array()}};
    forEachRow(runs, [&](ordered_json row) { all["rows"].push_back(std::move(row)); });
    return all.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

std::string toMarkdown(std::span<const Run> runs) {
    std::string text;
    for (const Run& run : runs) {
        text += (text.empty() ? "### " : "\n### ") + forMarkdown(compressionTitle(run)) + "\n\n";
        const auto table = compressionTable(run);
        for (std::size_t i = 0; i < table.size(); ++i) {
            text += "| " + joined(table[i], " | ", forMarkdown) + " |\n";
            if (i == 0)
                text += "|---:|:---|" + repeated("---:|", table[0].size() - 3) + ":---|\n";
        }
        for (const std::string& note : compressionNotes(run))
            text += "\n" + forMarkdown(note) + "\n";
    }
    return text;
}

std::string toLatex(std::span<const Run> runs) {
    std::string text = "% Needs \\usepackage{booktabs}.\n";
    for (const Run& run : runs) {
        const auto table = compressionTable(run);
        text += "\\begin{table}\n\\centering\n\\caption{" + forLatex(compressionTitle(run)) +
                ".}\n\\begin{tabular}{rl" + std::string(table[0].size() - 3, 'r') + "l}\n\\toprule\n";
        for (std::size_t i = 0; i < table.size(); ++i)
            text += joined(table[i], " & ", forLatex) + " \\\\\n" + (i == 0 ? "\\midrule\n" : "");
        text += "\\bottomrule\n\\end{tabular}\n";
        for (const std::string& note : compressionNotes(run))
            text += "\n\\smallskip\n{\\footnotesize " + forLatex(note) + "\\par}\n";
        text += "\\end{table}\n";
    }
    return text;
}

void checkCompressionFile(const std::filesystem::path& file) {
    const std::string ending = file.extension().string();
    if (ending != ".csv" && ending != ".json" && ending != ".md" && ending != ".tex")
        throw Error({.what = "the compression table cannot be written in this format",
                     .where = checkpoint::pathText(file),
                     .expected = "a name that ends in .csv, .json, .md or .tex"});
    checkWritable(file);
}

void writeCompression(std::span<const Run> runs, const std::filesystem::path& file) {
    checkCompressionFile(file);
    const std::string ending = file.extension().string();
    writeFile(file, ending == ".csv"    ? toCompressionCsv(runs)
                    : ending == ".json" ? toCompressionJson(runs)
                    : ending == ".md"   ? toMarkdown(runs)
                                        : toLatex(runs));
}

}  // namespace straightedge::study
