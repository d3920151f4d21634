// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>

#include "environment.h"
#include "patience.h"
#include "repository.h"

namespace straightedge::hub {

struct FetchProgress {
    std::string file;                   // under way
    std::uint64_t done = 0, total = 0;  // bytes of all files
    double bytesPerSecond = 0;          // 0: not known yet
};

// Is told on the caller's thread, at most ten times a second.
class FetchObserver {
  public:
    virtual ~FetchObserver() = default;
    virtual void progressed(const FetchProgress&) {}
    virtual void noted(const std::string&) {}
};

struct Fetched {
    std::filesystem::path model;  // what inspect() and measure() take
    std::string commit;
    std::uint64_t bytes = 0;  // that came over the network; 0: all was here
};

// Brings what measuring a model takes into the hub's own cache, in the layout that huggingface_hub keeps:
// config.json, the tokenizer's files, safetensors with their index, else .bin; or the one GGUF file that is
// named. The snapshot gets its links when all files are there and checked, config.json's last, so that a
// model is whole or not to be seen. Throws Error saying what is wrong, Cancelled when stopped; what has come
// by then is used by the next call. Needs a QCoreApplication; any thread.
Fetched fetchModel(const Repository& repository, const Environment& environment, std::stop_token stop,
                   FetchObserver& observer, const Patience& patience = {});

}  // namespace straightedge::hub
