// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <string>

namespace straightedge::hub {

// Where the hub is and what is kept of it, as huggingface_hub's environment variables say.
struct Environment {
    std::filesystem::path cache;                      // HF_HUB_CACHE, else $HF_HOME/hub
    std::string endpoint = "https://huggingface.co";  // HF_ENDPOINT, without a slash at the end
    // HF_TOKEN or the content of HF_TOKEN_PATH, $HF_HOME/token. For the Authorization header and nothing
    // else: it is never shown, logged or kept.
    std::string token;
    bool offline = false;  // HF_HUB_OFFLINE

    static Environment read();
};

// The cache alone: no token is read.
std::filesystem::path cacheFolder();

}  // namespace straightedge::hub
