// SPDX-License-Identifier: GPL-3.0-or-later
#include "download.h"

#include <unistd.h>

#include <QCryptographicHash>
#include <QFile>
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "checkpoint/mapped_file.h"
#include "checkpoint/parse_json.h"
#include "error.h"

namespace straightedge::hub {

namespace fs = std::filesystem;
using checkpoint::pathText;

namespace {

constexpr int mostRedirects = 10;

void wait(std::chrono::milliseconds pause, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait_for(lock, stop, pause, [] { return false; });
    if (stop.stop_requested())
        throw Cancelled();
}

// The hash of a file's content as it comes. Git's is that of "blob SIZE\0" and the content.
class Check {
  public:
    Check(const std::string& expected, std::uint64_t size) : m_expected(expected), m_size(size) { restart(); }

    void restart() {
        if (m_expected.empty())
            return;
        const bool isSha256 = m_expected.size() == 64;
        m_hash.emplace(isSha256 ? QCryptographicHash::Sha256 : QCryptographicHash::Sha1);
        if (!isSha256)
            m_hash->addData(QByteArray("blob ") + QByteArray::number(static_cast<quint64>(m_size)) + '\0');
    }
    void add(QByteArrayView piece) {
        if (m_hash)
            m_hash->addData(piece);
    }
    std::string result() const { return m_hash ? m_hash->result().toHex().toStdString() : std::string(); }
    bool isRight() const { return result() == m_expected; }

  private:
    std::string m_expected;
    std::uint64_t m_size;
    std::optional<QCryptographicHash> m_hash;
};

// A file that grows: what an earlier call left of it, and what comes now.
class Incomplete {
  public:
    Incomplete(const fs::path& path, const RemoteFile& remote)
        : m_file(QString::fromStdU16String(path.u16string())),
          m_remote(remote),
          m_check(remote.hash, remote.size) {
        if (!m_file.open(QIODevice::ReadWrite))
            fail();
        if (static_cast<std::uint64_t>(m_file.size()) > remote.size)
            restart();
        constexpr qint64 pieceBytes = 1 << 20;
        for (QByteArray piece; !(piece = m_file.read(pieceBytes)).isEmpty();)
            m_check.add(piece);
    }

    std::uint64_t size() const { return static_cast<std::uint64_t>(m_file.pos()); }
    bool isWhole() const { return size() == m_remote.size; }
    bool isRight() const { return m_check.isRight(); }
    std::string hash() const { return m_check.result(); }

    void restart() {
        if (!m_file.resize(0) || !m_file.seek(0))
            fail();
        m_check.restart();
    }
    void append(QByteArrayView piece) {
        if (static_cast<std::uint64_t>(piece.size()) > m_remote.size - size())
            throw Error({.what = "more came than the file is long",
                         .where = shown(m_remote.url),
                         .expected = std::to_string(m_remote.size) + " bytes"});
        if (m_file.write(piece.data(), piece.size()) != piece.size())
            fail();
        m_check.add(piece);
    }
    void finish() {
        if (!m_file.flush() || ::fsync(m_file.handle()) != 0)
            fail();
        m_file.close();
    }

  private:
    [[noreturn]] void fail() const {
        throw Error({.what = "the file cannot be written",
                     .where = m_file.fileName().toStdString(),
                     .found = m_file.errorString().toStdString(),
                     .advice = "make room or choose another cache by HF_HUB_CACHE"});
    }

    QFile m_file;
    const RemoteFile& m_remote;
    Check m_check;
};

// "bytes 100-199/200"
bool startsAt(const QByteArray& contentRange, std::uint64_t from) {
    return contentRange.trimmed().startsWith("bytes " + QByteArray::number(static_cast<quint64>(from)) + '-');
}

// One connection's worth.
void bring(Http& http, const RemoteFile& remote, Incomplete& file, const Refuse& refuse,
           const std::function<void(std::uint64_t)>& tell) {
    QUrl url = remote.url;
    for (int hop = 0;; ++hop) {
        const auto begin = [&](const Answer& answer) {
            if (answer.status == 200) {
                if (file.size() > 0)
                    file.restart();  // this server knows no ranges
                return true;
            }
            return answer.status == 206 && startsAt(answer.header("content-range"), file.size());
        };
        const auto take = [&](QByteArrayView piece) {
            file.append(piece);
            tell(file.size());
        };
        const Answer answer = http.download(url, static_cast<std::int64_t>(file.size()), begin, take);
        if (answer.isRedirect() && hop < mostRedirects) {
            url = answer.location();
        } else if (answer.status == 200 || (answer.status == 206 && file.isWhole())) {
            return;
        } else if (file.size() > 0 && (answer.status == 206 || answer.status == 416)) {
            file.restart();  // another part than was asked for
        } else {
            refuse(answer);
        }
    }
}

}  // namespace

void persistently(const Patience& patience, const std::stop_token& stop, const QUrl& url,
                  const std::function<void(bool& advanced)>& act) {
    for (int failures = 0;;) {
        bool advanced = false;
        try {
            return act(advanced);
        } catch (const ConnectionLost& lost) {
            failures = advanced ? 1 : failures + 1;
            if (failures > patience.retries)
                throw Error(
                    {.what = lost.never ? "the server cannot be reached"
                                        : "the connection breaks again and again",
                     .where = shown(url),
                     .found = lost.why,
                     .advice = "try again later: what has come is kept, and the rest will be fetched"});
        }
        wait(patience.pause, stop);
    }
}

void download(Http& http, const RemoteFile& remote, const fs::path& incomplete, const fs::path& destination,
              const Patience& patience, const Refuse& refuse,
              const std::function<void(std::uint64_t)>& advanced) {
    std::error_code failure;
    fs::create_directories(incomplete.parent_path(), failure);
    {
        Incomplete file(incomplete, remote);
        bool mayStartAnew = file.size() > 0;  // what another call left may be wrong
        advanced(file.size());
        for (;;) {
            std::uint64_t farthest =
                file.size();  // a server without ranges may lead back to the start each time
            persistently(patience, http.stop(), remote.url, [&](bool& further) {
                const auto tell = [&](std::uint64_t bytes) {
                    further = further || bytes > farthest;
                    farthest = std::max(farthest, bytes);
                    advanced(bytes);
                };
                if (!file.isWhole()) {
                    bring(http, remote, file, refuse, tell);
                    if (!file.isWhole())
                        throw ConnectionLost{"the answer ended after " + std::to_string(file.size()) +
                                             " of " + std::to_string(remote.size) + " bytes"};
                }
            });
            if (remote.hash.empty() || file.isRight())
                break;
            const std::string found = file.hash();
            file.restart();
            if (!mayStartAnew) {
                fs::remove(incomplete, failure);
                throw Error({.what = "what came is not what was promised: the hash is wrong",
                             .where = shown(remote.url),
                             .expected = remote.hash,
                             .found = found,
                             .advice = "try again; when it happens again, the server or something on the way "
                                       "changes the file"});
            }
            mayStartAnew = false;
        }
        file.finish();
    }
    fs::rename(incomplete, destination, failure);
    if (failure)
        throw Error({.what = "the file cannot be put in its place",
                     .where = pathText(destination),
                     .found = failure.message()});
}

}  // namespace straightedge::hub
