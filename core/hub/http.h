// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QByteArray>
#include <QUrl>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>

class QNetworkAccessManager;

namespace straightedge::hub {

// An answer with its headers, whatever its status.
struct Answer {
    int status = 0;
    QUrl url;                                       // that gave it
    std::map<QByteArray, QByteArray> headers = {};  // names in lower case
    QByteArray body = {};                           // of get(); of an error, its beginning

    QByteArray header(const char* name) const;
    bool isRedirect() const;
    QUrl location() const;  // of a redirect, made whole
};

// The connection broke, or there never was one: what may go well the next time.
struct ConnectionLost {
    std::string why;     // the system's words
    bool never = false;  // no connection could be made
};

// Blocking requests, for a worker's thread or a command. No redirect is followed; the token goes to the
// endpoint's own host and nowhere else. A stop ends a request at once, by Cancelled.
class Http {
  public:
    // `token` may be empty. Needs a QCoreApplication.
    Http(const QUrl& endpoint, std::string token, std::stop_token stop);
    ~Http();

    Answer head(const QUrl& url);
    // The whole body, which may not be longer than `mostBytes`.
    Answer get(const QUrl& url, std::int64_t mostBytes);
    // From byte `from` on. `begin` is told the answer when its head is there; when it says true, `take` gets
    // the body piece by piece. Throws ConnectionLost when the body ends too early.
    Answer download(const QUrl& url, std::int64_t from, const std::function<bool(const Answer&)>& begin,
                    const std::function<void(QByteArrayView)>& take);

    void setTimeout(int milliseconds) { m_timeout = milliseconds; }
    std::stop_token stop() const { return m_stop; }

  private:
    struct Request;
    Answer send(const Request& request);
    bool isOwnHost(const QUrl& url) const;

    QUrl m_endpoint;
    QByteArray m_token;
    std::stop_token m_stop;
    int m_timeout = 30'000;  // without a byte
    std::unique_ptr<QNetworkAccessManager> m_manager;
};

// An address fit for a message: without user, password and query, for those of a content network are signed.
std::string shown(const QUrl& url);

}  // namespace straightedge::hub
