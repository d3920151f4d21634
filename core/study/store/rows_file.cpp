// SPDX-License-Identifier: GPL-3.0-or-later
#include "rows_file.h"

#include <QFile>
#include <cerrno>
#include <cstring>

#include "checkpoint/mapped_file.h"
#include "error.h"

#ifdef __unix__
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
#endif

namespace straightedge::study {

namespace {

constexpr std::int64_t bytesOf(std::int64_t n, std::int64_t d) {
    return n * d * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

RowsFile::RowsFile(std::unique_ptr<QFile> file) : m_file(std::move(file)) {}

std::shared_ptr<RowsFile> RowsFile::open(const std::filesystem::path& path) {
    const std::shared_ptr<RowsFile> made(
        new RowsFile(std::make_unique<QFile>(QFile::decodeName(path.c_str()))));
    if (!made->m_file->open(QIODevice::ReadWrite | QIODevice::Unbuffered))
        made->refuse(made->m_file->errorString().toStdString());
    return made;
}

void RowsFile::refuse(const std::string& why) const {
    throw Error({.what = "file cannot be written",
                 .where = m_file->fileName().toStdString(),
                 .found = why,
                 .advice = "check that there is room on the disk and that the folder may be written"});
}

void RowsFile::reserve(std::int64_t bytes) {
    if (m_file->size() >= bytes)
        return;
#ifdef __linux__
    // A mapped page without a place on the disk would be a crash when it is written: reserve it first.
    if (const int failure = posix_fallocate(m_file->handle(), 0, bytes))
        refuse(std::strerror(failure));
#endif
    if (!m_file->resize(bytes) || m_file->size() < bytes)  // which also makes it look at the size again
        refuse(m_file->errorString().toStdString());
}

at::Tensor RowsFile::map(std::int64_t offset, std::int64_t n, std::int64_t d) {
    uchar* data = m_file->map(offset, bytesOf(n, d));
    if (!data)
        refuse(m_file->errorString().toStdString());
    return at::from_blob(
        data, {n, d},
        [open = shared_from_this()](void* start) { open->m_file->unmap(static_cast<uchar*>(start)); },
        at::kFloat);
}

void RowsFile::sync() {
#ifdef __unix__
    if (fsync(m_file->handle()) != 0)
        refuse(std::strerror(errno));
#endif
}

void RowsFile::forget([[maybe_unused]] const at::Tensor& rows) {
#ifdef __linux__
    madvise(const_cast<void*>(rows.const_data_ptr()), rows.nbytes(), MADV_DONTNEED);
#endif
}

at::Tensor passingRows(const std::filesystem::path& folder, std::int64_t n, std::int64_t d) {
    if (bytesOf(n, d) >= manyBytes)
        try {
            const std::filesystem::path path = folder / "passing.rows";
            const auto file = RowsFile::open(path);
            std::error_code ignored;  // it is then removed with the run
            std::filesystem::remove(path, ignored);
            file->reserve(bytesOf(n, d));
            return file->map(0, n, d);
        } catch (const Error&) {
            // As many as memory holds, then.
        }
    return at::empty({n, d}, at::kFloat);
}

}  // namespace straightedge::study
