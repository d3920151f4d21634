// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

class QFile;

namespace straightedge::checkpoint {

// A path in UTF-8, for messages and comparisons.
std::string pathText(const std::filesystem::path& path);

// A regular file mapped read-only for as long as the object lives; its bytes are read by the kernel when they
// are looked at. Throws Error when the file is missing, not a file, empty, unreadable or a Git LFS pointer to
// the real one.
class MappedFile {
  public:
    explicit MappedFile(const std::filesystem::path& path);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    const std::string& name() const { return m_name; }  // the path, for messages
    std::span<const std::byte> bytes() const { return m_bytes; }
    std::uint64_t size() const { return m_bytes.size(); }
    std::int64_t modified() const { return m_modified; }  // seconds since the epoch

    // [offset, offset + length); throws Error naming `piece` when that is not inside the file.
    std::span<const std::byte> slice(std::uint64_t offset, std::uint64_t length,
                                     const std::string& piece) const;

    bool holds(std::span<const std::byte> part) const;

    // Lets the kernel take back the memory behind `part`, a piece of this file; the next look reads it again,
    // so other readers are only slowed down. Does nothing where the system has no such call.
    void forget(std::span<const std::byte> part) const;

  private:
    std::unique_ptr<QFile> m_file;
    std::string m_name;
    std::span<const std::byte> m_bytes;
    std::int64_t m_modified = 0;
};

}  // namespace straightedge::checkpoint
