// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "hub/fetch.h"

namespace straightedge::study {

using hub::FetchObserver;
using hub::FetchProgress;

struct Fetched {
    std::string name;            // what --model takes
    std::filesystem::path path;  // where it lies
    std::uint64_t bytes = 0;     // that came; 0: all was here
};

// Brings a model of the hub, "openai-community/gpt2", "@revision", "/file.gguf", as the environment variables
// of the Hugging Face hub say; or a text that published figures rest on, "corpus:wikitext-2-raw". Throws
// Error, or Cancelled when stopped. Needs a QCoreApplication; any thread.
Fetched fetch(const std::string& what, std::stop_token stop, FetchObserver& observer);

// The names behind "corpus:".
std::vector<std::string> fetchableTexts();

}  // namespace straightedge::study
