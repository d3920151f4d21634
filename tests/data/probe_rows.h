// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QFile>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "linearity/linear_profile.h"

// Rows that make_probe_oracles.py has made, and what the reference measurement and scikit-learn say of them.
// torch goes first where this is included.
inline nlohmann::json readProbeOracle(const char* name) {
    QFile file(QStringLiteral(TEST_DATA "/probes/") + QLatin1String(name));
    if (!file.open(QIODevice::ReadOnly))
        throw std::runtime_error(std::string("cannot read ") + name);
    return nlohmann::json::parse(file.readAll().toStdString());
}

inline at::Tensor floatRows(const nlohmann::json& values, std::int64_t rows) {
    return at::tensor(values.get<std::vector<double>>(), at::kDouble).to(at::kFloat).view({rows, -1});
}

struct ProbeRows {
    std::string name;
    at::Tensor x, y;  // [n, d] float32
    at::Tensor ids;   // [n] int64
    straightedge::linearity::LinearProfile profile;
    nlohmann::json expected;
};

inline std::vector<ProbeRows> probeRows() {
    std::vector<ProbeRows> all;
    for (const nlohmann::json& item : readProbeOracle("rows.json")) {
        ProbeRows rows{.name = item["name"],
                       .x = floatRows(item["x"], item["n"]),
                       .y = floatRows(item["y"], item["n"]),
                       .ids = at::tensor(item["ids"].get<std::vector<std::int64_t>>(), at::kLong),
                       .profile = {},
                       .expected = item["expected"]};
        rows.profile = straightedge::linearity::linearProfile(rows.x, rows.y);
        all.push_back(std::move(rows));
    }
    return all;
}
