// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <nlohmann/json.hpp>

#include "study/run.h"

// Runs as JSON and back: for the JSON file and the store alike. Undefined is null, every number reads back as
// the same one. Reading leaves what is missing at its default, so that records of older programs stay
// readable, and throws Error for a value of the wrong type.
namespace straightedge::study {

nlohmann::ordered_json toJson(const StudySettings& settings);
nlohmann::ordered_json toJson(const ReplacementResult& replacement);
nlohmann::ordered_json toJson(const BlockResult& block);
nlohmann::ordered_json toJson(const RunHeader& header);
nlohmann::ordered_json toJson(const Run& run);
nlohmann::ordered_json toJsonWithoutBlocks(const Run& run);

StudySettings settingsFromJson(const nlohmann::json& object);
ReplacementResult replacementFromJson(const nlohmann::json& object);
BlockResult blockFromJson(const nlohmann::json& object);
RunHeader headerFromJson(const nlohmann::json& object);
Run runFromJson(const nlohmann::json& object);

}  // namespace straightedge::study
