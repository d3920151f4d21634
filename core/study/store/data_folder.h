// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QStandardPaths>
#include <cstdlib>
#include <filesystem>

namespace straightedge::study {

// Where the environment variable points, else straightedge/NAME in the user's data folder.
inline std::filesystem::path dataFolder(const char* variable, const char* name) {
    if (const char* set = std::getenv(variable); set && *set)
        return set;
    const QString data = QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation);
    return std::filesystem::path(data.toStdU16String()) / "straightedge" / name;
}

}  // namespace straightedge::study
