// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <torch/torch.h>

#include <filesystem>
#include <memory>

class QFile;

namespace straightedge::study {

// A file in which rows live: they are mapped from there, so that memory need not hold those not looked at.
// Every function that can fail throws Error.
class RowsFile : public std::enable_shared_from_this<RowsFile> {
  public:
    // Opened for reading and writing, made where it is not there yet.
    static std::shared_ptr<RowsFile> open(const std::filesystem::path& path);

    // Makes the file at least that large, its place on the disk taken.
    void reserve(std::int64_t bytes);
    // Rows [n, d] float32 at a place that is reserved. They keep the file open.
    at::Tensor map(std::int64_t offset, std::int64_t n, std::int64_t d);
    // Returns when all that was written is on the disk.
    void sync();
    // Lets go of the memory behind mapped rows: their pages stay in the file.
    static void forget(const at::Tensor& rows);

  private:
    explicit RowsFile(std::unique_ptr<QFile> file);
    [[noreturn]] void refuse(const std::string& why) const;

    std::unique_ptr<QFile> m_file;
};

constexpr std::int64_t manyBytes = 256 << 20;

// Rows [n, d] float32 of no lasting worth: from `manyBytes` on in a file of `folder` that is gone when they
// are; in memory where they are fewer or the disk has no room.
at::Tensor passingRows(const std::filesystem::path& folder, std::int64_t n, std::int64_t d);

}  // namespace straightedge::study
