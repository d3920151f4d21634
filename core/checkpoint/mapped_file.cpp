// SPDX-License-Identifier: GPL-3.0-or-later
#include "mapped_file.h"

#include <QDateTime>
#include <QFile>
#include <QFileInfo>
#include <functional>
#include <string_view>

#ifdef __linux__
#include <sys/mman.h>
#include <unistd.h>
#endif

#include "checked.h"
#include "error.h"

namespace straightedge::checkpoint {

namespace fs = std::filesystem;

namespace {

void refuseUnlessRegular(const fs::path& path) {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (!fs::exists(status))
        throw Error({.what = "there is no such file", .where = pathText(path)});
    if (fs::is_directory(status))
        throw Error({.what = "this is a folder, not a file", .where = pathText(path)});
    if (!fs::is_regular_file(status))
        throw Error({.what = "this is not a regular file", .where = pathText(path)});
}

// What `git clone` leaves in place of the weights where Git LFS is not installed.
bool isLfsPointer(std::span<const std::byte> bytes) {
    constexpr std::string_view pointer = "version https://git-lfs.github.com/spec/";
    return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()).starts_with(pointer);
}

}  // namespace

std::string pathText(const fs::path& path) {
    const std::u8string text = path.u8string();
    return {text.begin(), text.end()};
}

MappedFile::MappedFile(const fs::path& path) : m_name(pathText(path)) {
    refuseUnlessRegular(path);
    m_file = std::make_unique<QFile>(path);
    if (!m_file->open(QIODevice::ReadOnly | QIODevice::Unbuffered))
        throw Error({.what = "the file cannot be opened",
                     .where = m_name,
                     .found = m_file->errorString().toStdString(),
                     .advice = "check that you may read it"});
    const qint64 size = m_file->size();
    if (size <= 0)
        throw Error({.what = "the file is empty", .where = m_name, .advice = "download or copy it again"});
    const uchar* start = m_file->map(0, size);
    if (start == nullptr)
        throw Error({.what = "the file cannot be mapped",
                     .where = m_name,
                     .found = m_file->errorString().toStdString()});
    m_bytes = {reinterpret_cast<const std::byte*>(start), static_cast<std::size_t>(size)};
    m_modified = QFileInfo(*m_file).lastModified().toSecsSinceEpoch();
    m_file->close();  // the mapping stays; a checkpoint of many shards should not hold as many descriptors
    if (isLfsPointer(m_bytes))
        throw Error({.what = "this is a Git LFS pointer, not the file itself",
                     .where = m_name,
                     .advice = "fetch the file with `git lfs pull`, or download it"});
}

MappedFile::~MappedFile() = default;

std::span<const std::byte> sliceOf(std::span<const std::byte> bytes, std::uint64_t offset,
                                   std::uint64_t length, const std::string& piece, const std::string& where) {
    if (offset > bytes.size() || length > bytes.size() - offset)
        throw Error({.what = piece + " reaches beyond the end of the file",
                     .where = where,
                     .expected = std::to_string(length) + " bytes at byte " + std::to_string(offset),
                     .found = "a file of " + std::to_string(bytes.size()) + " bytes",
                     .advice = "the file is cut short or damaged; download or copy it again"});
    return bytes.subspan(offset, length);
}

std::span<const std::byte> MappedFile::slice(std::uint64_t offset, std::uint64_t length,
                                             const std::string& piece) const {
    return sliceOf(m_bytes, offset, length, piece, m_name);
}

bool MappedFile::holds(std::span<const std::byte> part) const {
    const std::less_equal<const std::byte*>
        notAfter;  // a total order also for pointers into different objects
    return notAfter(m_bytes.data(), part.data()) &&
           notAfter(part.data() + part.size(), m_bytes.data() + m_bytes.size());
}

void MappedFile::forget([[maybe_unused]] std::span<const std::byte> part) const {
#ifdef __linux__
    if (part.empty() || !holds(part))
        return;
    // Whole pages, outwards: harmless on a read-only mapping of a file, whose pages can always be read again.
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t begin = static_cast<std::size_t>(part.data() - m_bytes.data()) / page * page;
    const std::size_t end = static_cast<std::size_t>(part.data() - m_bytes.data()) + part.size();
    madvise(const_cast<std::byte*>(m_bytes.data()) + begin, end - begin, MADV_DONTNEED);
#endif
}

}  // namespace straightedge::checkpoint
