// SPDX-License-Identifier: GPL-3.0-or-later
#include "file_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "checkpoint/mapped_file.h"
#include "error.h"

namespace straightedge::hub {

FileLock::FileLock(const std::filesystem::path& path, const std::stop_token& stop,
                   const std::function<void()>& waiting) {
    std::error_code ignored;
    std::filesystem::create_directories(path.parent_path(), ignored);
    m_descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (m_descriptor < 0)
        throw Error({.what = "the lock of the cache cannot be taken",
                     .where = checkpoint::pathText(path),
                     .found = std::strerror(errno)});
    for (bool told = false; ::flock(m_descriptor, LOCK_EX | LOCK_NB) != 0; told = true) {
        if (errno != EWOULDBLOCK && errno != EINTR)
            return;
        if (!told)
            waiting();
        if (stop.stop_requested()) {
            ::close(m_descriptor);
            throw Cancelled();
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
}

FileLock::~FileLock() {
    ::close(m_descriptor);  // which lets go of it
}

}  // namespace straightedge::hub
