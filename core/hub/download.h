// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "http.h"
#include "patience.h"

namespace straightedge::hub {

struct RemoteFile {
    QUrl url;
    std::string name;  // for messages
    std::uint64_t size = 0;
    std::string hash;  // hex: SHA-256 of the content, or git's SHA-1 of it as a blob; empty: nothing to check
};

// What an answer that is no success means. Throws Error always.
using Refuse = std::function<void(const Answer&)>;

// Calls `act` until it comes through without ConnectionLost; the last one becomes an Error. `act` returns
// whether it got any further before the connection broke; that starts the count anew.
void persistently(const Patience& patience, const std::stop_token& stop, const QUrl& url,
                  const std::function<void(bool& advanced)>& act);

// Brings a file to `destination`: whole and checked, or not at all. What has come so far is in `incomplete`,
// where a later call goes on by range. `advanced` hears how many bytes are there. Redirects are followed.
void download(Http& http, const RemoteFile& file, const std::filesystem::path& incomplete,
              const std::filesystem::path& destination, const Patience& patience, const Refuse& refuse,
              const std::function<void(std::uint64_t)>& advanced);

}  // namespace straightedge::hub
