// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "model/families.h"

// The families' table, in parts by kin.
namespace straightedge::model {

std::vector<Family> gptFamilies();
std::vector<Family> llamaFamilies();
std::vector<Family> gemmaFamilies();
std::vector<Family> encoderFamilies();

// Parts put together: a table's common entries and a family's own.
template <typename Item>
std::vector<Item> joined(std::vector<Item> first, const std::vector<Item>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
}

}  // namespace straightedge::model
