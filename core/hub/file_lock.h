// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <filesystem>
#include <functional>
#include <stop_token>

namespace straightedge::hub {

// The lock that huggingface_hub takes for a blob: flock() on an empty file that stays where it is. Held as
// long as the object lives.
class FileLock {
  public:
    // Waits until it is free; calls `waiting` once when it is not so at once. Throws Cancelled when stopped,
    // Error where the file cannot be made. A file system without locks is gone without one.
    FileLock(const std::filesystem::path& path, const std::stop_token& stop,
             const std::function<void()>& waiting);
    ~FileLock();
    FileLock(const FileLock&) = delete;
    FileLock& operator=(const FileLock&) = delete;

  private:
    int m_descriptor = -1;
};

}  // namespace straightedge::hub
