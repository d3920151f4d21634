// SPDX-License-Identifier: GPL-3.0-or-later
#include "http.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QNetworkAccessManager>
#include <QNetworkProxy>
#include <QNetworkReply>
#include <QSslSocket>

#include "error.h"

namespace straightedge::hub {

namespace {

constexpr qint64 bufferBytes = 4 << 20;        // of a body, before it is taken
constexpr qsizetype errorBodyBytes = 4 << 10;  // kept of the body of an error

// As http_proxy, https_proxy and no_proxy say, for this manager alone.
class SystemProxies : public QNetworkProxyFactory {
  public:
    QList<QNetworkProxy> queryProxy(const QNetworkProxyQuery& query) override {
        return systemProxyForQuery(query);
    }
};

Answer headOf(const QNetworkReply& reply) {
    Answer answer{reply.attribute(QNetworkRequest::HttpStatusCodeAttribute).toInt(), reply.url()};
    for (const auto& [name, value] : reply.rawHeaderPairs())
        answer.headers[name.toLower()] = value;
    return answer;
}

}  // namespace

struct Http::Request {
    bool headOnly = false;
    QUrl url;
    std::int64_t from = 0;
    std::function<bool(const Answer&)> begin;
    std::function<void(QByteArrayView)> take;
};

QByteArray Answer::header(const char* name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? QByteArray() : found->second;
}

bool Answer::isRedirect() const {
    return (status >= 301 && status <= 303) || status == 307 || status == 308;
}

QUrl Answer::location() const {
    return url.resolved(QUrl(QString::fromUtf8(header("location"))));
}

std::string shown(const QUrl& url) {
    return url.toString(QUrl::RemoveUserInfo | QUrl::RemoveQuery | QUrl::RemoveFragment).toStdString();
}

Http::Http(const QUrl& endpoint, std::string token, std::stop_token stop)
    : m_endpoint(endpoint),
      m_token(QByteArray::fromStdString(token)),
      m_stop(std::move(stop)),
      m_manager(std::make_unique<QNetworkAccessManager>()) {
    m_manager->setAutoDeleteReplies(false);
    m_manager->setProxyFactory(new SystemProxies);  // the manager's own now
}

Http::~Http() = default;

bool Http::isOwnHost(const QUrl& url) const {
    const auto port = [](const QUrl& of) {
        return of.port(of.scheme() == QLatin1String("https") ? 443 : 80);
    };
    return url.scheme() == m_endpoint.scheme() && url.host() == m_endpoint.host() &&
           port(url) == port(m_endpoint);
}

Answer Http::send(const Request& request) {
    if (m_stop.stop_requested())
        throw Cancelled();
    const QUrl& url = request.url;
    if ((url.scheme() != QLatin1String("https") && url.scheme() != QLatin1String("http")) ||
        url.host().isEmpty())
        throw Error({.what = "this is no address of the web", .where = shown(url)});
    if (url.scheme() == QLatin1String("http") && m_endpoint.scheme() == QLatin1String("https"))
        throw Error({.what = "the hub points to an address that is not secured", .where = shown(url)});
    if (url.scheme() == QLatin1String("https") && !QSslSocket::supportsSsl())
        throw Error({.what = "secured connections are not possible: no TLS library was found",
                     .where = shown(url),
                     .advice = "install OpenSSL (Debian: libssl3) and ca-certificates"});

    QNetworkRequest sent(url);
    sent.setAttribute(QNetworkRequest::RedirectPolicyAttribute, QNetworkRequest::ManualRedirectPolicy);
    sent.setAttribute(QNetworkRequest::CookieSaveControlAttribute, QNetworkRequest::Manual);
    sent.setAttribute(QNetworkRequest::CookieLoadControlAttribute, QNetworkRequest::Manual);
    sent.setAttribute(QNetworkRequest::Http2AllowedAttribute, false);
    sent.setTransferTimeout(m_timeout);
    sent.setRawHeader("User-Agent", "straightedge/" STRAIGHTEDGE_VERSION);
    sent.setRawHeader("Accept-Encoding", "identity");  // sizes and ranges are those of the file
    if (!m_token.isEmpty() && isOwnHost(url))
        sent.setRawHeader("Authorization", "Bearer " + m_token);
    if (request.from > 0)
        sent.setRawHeader("Range", "bytes=" + QByteArray::number(static_cast<qint64>(request.from)) + "-");

    // Slots end the wait and do no more, so that whatever is thrown here never crosses an event loop.
    QEventLoop loop;
    const std::unique_ptr<QNetworkReply> reply(request.headOnly ? m_manager->head(sent)
                                                                : m_manager->get(sent));
    reply->setReadBufferSize(bufferBytes);
    QObject::connect(reply.get(), &QNetworkReply::readyRead, &loop, &QEventLoop::quit);
    QObject::connect(reply.get(), &QNetworkReply::finished, &loop, &QEventLoop::quit);
    const std::stop_callback stopped(
        m_stop, [&loop] { QMetaObject::invokeMethod(&loop, &QEventLoop::quit, Qt::QueuedConnection); });

    Answer answer;
    bool wanted = false;
    qint64 taken = 0;
    for (bool over = false; !over;) {
        if (!reply->isFinished() && reply->bytesAvailable() == 0)
            loop.exec();
        if (m_stop.stop_requested()) {
            reply->abort();
            throw Cancelled();
        }
        over = reply->isFinished();
        if (answer.status == 0) {
            answer = headOf(*reply);
            wanted = answer.status != 0 && request.begin && request.begin(answer);
        }
        while (reply->bytesAvailable() > 0) {
            const QByteArray piece = reply->read(bufferBytes);
            taken += piece.size();
            if (wanted)
                request.take(piece);
            else if (answer.body.size() < errorBodyBytes)
                answer.body += piece.left(errorBodyBytes - answer.body.size());
            else
                over = true;  // enough of a body that nobody wants
        }
    }
    const QNetworkReply::NetworkError error = reply->error();
    if (answer.status == 0)
        // A connection that was kept open may turn out to be closed; that is worth another try.
        throw ConnectionLost{reply->errorString().toStdString(),
                             error != QNetworkReply::RemoteHostClosedError};
    if (wanted && error != QNetworkReply::NoError)
        throw ConnectionLost{reply->errorString().toStdString()};
    // An answer that ends early is not always called an error.
    if (const QByteArray length = answer.header("content-length");
        wanted && !length.isEmpty() && taken < length.toLongLong())
        throw ConnectionLost{"the answer ended after " + std::to_string(taken) + " of " +
                             length.toStdString() + " bytes"};
    return answer;
}

Answer Http::head(const QUrl& url) {
    return send({.headOnly = true, .url = url, .begin = {}, .take = {}});
}

Answer Http::get(const QUrl& url, std::int64_t mostBytes) {
    QByteArray body;
    Answer answer =
        send({.url = url,
              .begin = [](const Answer& begun) { return begun.status == 200; },
              .take =
                  [&](QByteArrayView piece) {
                      if (piece.size() > mostBytes - body.size())
                          throw Error({.what = "the answer is longer than it may be",
                                       .where = shown(url),
                                       .expected = "at most " + std::to_string(mostBytes) + " bytes"});
                      body.append(piece);
                  }});
    if (answer.status == 200)
        answer.body = std::move(body);
    return answer;
}

Answer Http::download(const QUrl& url, std::int64_t from, const std::function<bool(const Answer&)>& begin,
                      const std::function<void(QByteArrayView)>& take) {
    return send({.url = url, .from = from, .begin = begin, .take = take});
}

}  // namespace straightedge::hub
