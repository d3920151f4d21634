// SPDX-License-Identifier: GPL-3.0-or-later
#include "outputs.h"

#include "study/export/compression.h"
#include "study/export/export.h"
#include "ui/plot_file.h"

namespace straightedge::app {

void Outputs::addOptions(CLI::App& command) {
    command.add_option("--csv", csv, "Write the values as CSV, one row a block");
    command.add_option("--json", json, "Write values, settings and identities as JSON");
    command.add_option("--compression", compression, "Write the compression table: .csv, .json, .md or .tex");
    command.add_option("--plot", plot, "Draw the profile: .png, .svg or .pdf");
}

void Outputs::check() const {
    for (const std::string& file : {csv, json})
        if (!file.empty())
            study::checkWritable(file);
    if (!compression.empty())
        study::checkCompressionFile(compression);
    if (!plot.empty())
        ui::checkPlotFile(plot);
}

void Outputs::write(std::span<const study::Run> runs) const {
    if (!csv.empty())
        study::writeFile(csv, study::toCsv(runs));
    if (!json.empty())
        study::writeFile(json, study::toJson(runs));
    if (!compression.empty())
        study::writeCompression(runs, compression);
    if (!plot.empty())
        ui::renderProfilePlot(runs, plot);
}

}  // namespace straightedge::app
