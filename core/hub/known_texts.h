// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>

#include "environment.h"
#include "fetch.h"

namespace straightedge::hub {

// A text that published figures rest on.
struct KnownText {
    std::string name;     // "wikitext-2-raw"
    std::string title;    // for the reader
    std::string address;  // begins with "/": on the hub
    std::string entry;    // of a ZIP file; empty: the address gives the text itself
};

std::span<const KnownText> knownTexts();
const KnownText* knownText(std::string_view name);

// Where it lies, or would.
std::filesystem::path fileOf(const KnownText& text, const std::filesystem::path& folder);

// Brings a text into a folder, whole or not at all; what the hub sends is checked by its hash. Nothing is
// done when it is there. Returns the bytes that came. Throws as fetchModel() does.
std::uint64_t fetchText(const KnownText& text, const std::filesystem::path& folder,
                        const Environment& environment, std::stop_token stop, FetchObserver& observer,
                        const Patience& patience = {});

}  // namespace straightedge::hub
