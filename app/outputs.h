// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>

#include "study/run.h"

namespace straightedge::app {

// The files that runs are written to, with the options that name them.
struct Outputs {
    std::string csv, json, compression, plot;

    void addOptions(CLI::App& command);
    bool any() const { return !(csv.empty() && json.empty() && compression.empty() && plot.empty()); }
    // Throws the Error that write() would for a name or a place, before anything is measured.
    void check() const;
    void write(std::span<const study::Run> runs) const;
};

}  // namespace straightedge::app
