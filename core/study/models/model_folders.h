// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <vector>

namespace straightedge::study {

// The folders and files the user has added, for the window and the command line alike: one path a line in
// $STRAIGHTEDGE_MODELS, or straightedge/models.txt in the user's data folder.
std::filesystem::path modelFoldersFile();
std::vector<std::filesystem::path> modelFolders();

// Throw Error where the file cannot be written. What is there already, or not there, is left as it is.
void addModelFolder(const std::filesystem::path& path);
void removeModelFolder(const std::filesystem::path& path);

}  // namespace straightedge::study
