// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QCryptographicHash>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTcpServer>
#include <QTcpSocket>
#include <QThread>
#include <QTimer>
#include <QUrl>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

// A server that behaves as the hub does: the listing of a model, redirects of small files to a cache of its
// own and of large ones to a content network (another port, another authority), the headers with commit, size
// and hash, ranges. And as it does on bad days: see Fault.
namespace straightedge::hub {

struct FakeFile {
    QByteArray content;
    bool isLarge = false;  // kept in LFS: named by SHA-256, sent by the content network

    QByteArray hash() const {
        if (isLarge)
            return QCryptographicHash::hash(content, QCryptographicHash::Sha256).toHex();
        QCryptographicHash git(QCryptographicHash::Sha1);
        git.addData("blob " + QByteArray::number(content.size()) + '\0');
        git.addData(content);
        return git.result().toHex();
    }
};

struct FakeModel {
    std::map<QByteArray, QByteArray> refs;  // name to commit
    std::map<QByteArray, FakeFile> files;   // the same at every commit
    bool isGated = false;
};

struct Fault {
    int status = 0;                                               // instead of the answer
    std::vector<std::pair<QByteArray, QByteArray>> headers = {};  // added to it
    qsizetype cutAfter = -1;  // bytes of the body, then the connection breaks
    bool noRanges = false;
    QByteArray otherContent = {};  // of the same length, or not
    qint64 otherSize = -1;         // what X-Linked-Size says
    int delayMs = 0;               // before the body's second half
    int times = 1'000'000;         // how often it happens
};

struct Seen {
    QByteArray method, path, range, authorization;
    bool byNetwork = false;  // the content network's port
};

class FakeHub {
  public:
    FakeHub() {
        m_thread.start();
        QMetaObject::invokeMethod(
            &m_context, [this] { listen(); }, Qt::QueuedConnection);
        m_context.moveToThread(&m_thread);
        while (m_network == 0)
            QThread::msleep(1);
    }
    ~FakeHub() {
        QMetaObject::invokeMethod(
            &m_context, [this] { m_servers.clear(); }, Qt::BlockingQueuedConnection);
        m_thread.quit();
        m_thread.wait();
    }

    std::string endpoint() const { return "http://127.0.0.1:" + std::to_string(m_hub); }
    std::string networkAddress() const { return "127.0.0.1:" + std::to_string(m_network); }

    // To be set up before anything is asked.
    std::map<QByteArray, FakeModel> models;
    std::map<QByteArray, QByteArray> renamed;  // old id to new
    std::map<QByteArray, Fault> faults;        // by the end of the path, without its query
    QByteArray token;  // when set, gated models are given for it and any other is refused

    std::vector<Seen> seen() {
        const std::scoped_lock lock(m_mutex);
        return m_seen;
    }
    void forgetSeen() {
        const std::scoped_lock lock(m_mutex);
        m_seen.clear();
    }

  private:
    struct Reply {
        int status = 200;
        std::vector<std::pair<QByteArray, QByteArray>> headers;
        QByteArray body;
        qint64 length = -1;  // that is said; -1: the body's
    };

    void listen() {
        for (auto* port : {&m_hub, &m_network}) {
            auto server = std::make_unique<QTcpServer>();
            server->listen(QHostAddress::LocalHost);
            const bool isNetwork = port == &m_network;
            QObject::connect(server.get(), &QTcpServer::newConnection, &m_context,
                             [this, at = server.get(), isNetwork] {
                                 while (QTcpSocket* socket = at->nextPendingConnection())
                                     serve(socket, isNetwork);
                             });
            *port = server->serverPort();
            m_servers.push_back(std::move(server));
        }
    }

    void serve(QTcpSocket* socket, bool isNetwork) {
        QObject::connect(socket, &QTcpSocket::disconnected, socket, &QObject::deleteLater);
        QObject::connect(socket, &QTcpSocket::readyRead, socket, [this, socket, isNetwork] {
            const QByteArray head = socket->peek(1 << 16);
            if (!head.contains("\r\n\r\n"))
                return;
            socket->readAll();
            QObject::disconnect(socket, &QTcpSocket::readyRead, nullptr, nullptr);  // one request each
            answer(socket, head, isNetwork);
        });
    }

    void answer(QTcpSocket* socket, const QByteArray& head, bool isNetwork) {
        const QList<QByteArray> lines = head.left(head.indexOf("\r\n\r\n")).split('\n');
        const QList<QByteArray> first = lines[0].trimmed().split(' ');
        Seen seen{first[0], first[1], {}, {}, isNetwork};
        for (const QByteArray& line : lines) {
            const qsizetype colon = line.indexOf(':');
            const QByteArray name = line.left(colon).toLower();
            if (name == "range")
                seen.range = line.mid(colon + 1).trimmed();
            if (name == "authorization")
                seen.authorization = line.mid(colon + 1).trimmed();
        }
        Fault fault;
        Reply reply;
        {
            const std::scoped_lock lock(m_mutex);
            m_seen.push_back(seen);
            for (auto& [end, one] : faults)
                if (seen.path.split('?')[0].endsWith(end) && one.times > 0) {
                    --one.times;
                    fault = one;
                }
            reply = isNetwork ? fromNetwork(seen, fault) : fromHub(seen, fault);
        }
        if (fault.status != 0)
            reply = {fault.status, fault.headers, "<html>a page that nobody reads</html>"};
        QByteArray text = "HTTP/1.1 " + QByteArray::number(reply.status) + " Said\r\nConnection: close\r\n";
        for (const auto& [name, value] : reply.headers)
            text += name + ": " + value + "\r\n";
        text +=
            "Content-Length: " + QByteArray::number(reply.length >= 0 ? reply.length : reply.body.size()) +
            "\r\n\r\n";
        if (seen.method == "HEAD") {
            socket->write(text);
            socket->disconnectFromHost();
            return;
        }
        const bool isCut = fault.cutAfter >= 0 && fault.cutAfter < reply.body.size();
        const QByteArray body = isCut ? reply.body.left(fault.cutAfter) : reply.body;
        if (fault.delayMs > 0) {
            socket->write(text + body.left(body.size() / 2));
            QTimer::singleShot(fault.delayMs, socket, [socket, rest = body.mid(body.size() / 2)] {
                socket->write(rest);
                socket->disconnectFromHost();
            });
            return;
        }
        socket->write(text + body);
        if (isCut)  // once the other side has read what there is
            QTimer::singleShot(150, socket, [socket] { socket->disconnectFromHost(); });
        else
            socket->disconnectFromHost();
    }

    static Reply error(int status, const QByteArray& code, const QByteArray& message = {}) {
        Reply reply{status, {}, "{\"error\":\"no\"}"};
        if (!code.isEmpty())
            reply.headers.emplace_back("X-Error-Code", code);
        if (!message.isEmpty())
            reply.headers.emplace_back("X-Error-Message", message);
        return reply;
    }

    static Reply content(const Seen& seen, const QByteArray& bytes, const Fault& fault) {
        Reply reply{200, {{"Accept-Ranges", "bytes"}}, bytes};
        if (seen.range.isEmpty() || fault.noRanges)
            return reply;
        const qint64 from = seen.range.mid(6, seen.range.indexOf('-') - 6).toLongLong();
        if (from >= bytes.size())
            return {416, {{"Content-Range", "bytes */" + QByteArray::number(bytes.size())}}, {}};
        return {206,
                {{"Content-Range", "bytes " + QByteArray::number(from) + "-" +
                                       QByteArray::number(bytes.size() - 1) + "/" +
                                       QByteArray::number(bytes.size())}},
                bytes.mid(from)};
    }

    // /blob/HASH?signature
    Reply fromNetwork(const Seen& seen, const Fault& fault) {
        const QByteArray hash = seen.path.mid(6, 64);
        if (!seen.path.contains("?Signature=secret"))
            return error(403, {});
        for (const auto& [id, model] : models)
            for (const auto& [name, file] : model.files)
                if (file.isLarge && file.hash() == hash) {
                    Reply reply = content(
                        seen, fault.otherContent.isEmpty() ? file.content : fault.otherContent, fault);
                    reply.headers.emplace_back("ETag",
                                               "\"" + QByteArray(64, 'f') + "\"");  // means nothing here
                    return reply;
                }
        return error(404, {});
    }

    Reply fromHub(const Seen& seen, const Fault& fault) {
        const QByteArray path = QUrl::fromPercentEncoding(seen.path.split('?')[0]).toUtf8();
        if (!token.isEmpty() && !seen.authorization.isEmpty() && seen.authorization != "Bearer " + token)
            return error(401, {}, "Invalid credentials in Authorization header");
        for (const auto& [from, to] : renamed)
            if (const qsizetype at = path.indexOf("/" + from + "/"); at >= 0)
                return {
                    307, {{"Location", path.left(at) + "/" + to + seen.path.mid(at + 1 + from.size())}}, {}};
        for (const auto& [id, model] : models) {
            if (path.startsWith("/api/models/" + id + "/revision/"))
                return listing(id, model, path.mid(("/api/models/" + id + "/revision/").size()));
            for (const QByteArray& start : {"/" + id + "/resolve/", "/api/resolve-cache/models/" + id + "/"})
                if (path.startsWith(start))
                    return resolved(seen, id, model, path.mid(start.size()), start.startsWith("/api/"),
                                    fault);
        }
        return seen.authorization.isEmpty() ? error(401, {}, "Invalid username or password.")
                                            : error(404, "RepoNotFound", "Repository not found");
    }

    static QByteArray commitOf(const FakeModel& model, const QByteArray& revision) {
        for (const auto& [name, commit] : model.refs)
            if (name == revision || commit == revision)
                return commit;
        return {};
    }

    static Reply listing(const QByteArray& id, const FakeModel& model, const QByteArray& revision) {
        const QByteArray commit = commitOf(model, revision);
        if (commit.isEmpty())
            return error(404, "RevisionNotFound", "Invalid rev id: " + revision);
        QJsonArray siblings;
        for (const auto& [name, file] : model.files)
            siblings.append(QJsonObject{{"rfilename", QString::fromUtf8(name)}});
        const QJsonObject info{{"id", QString::fromUtf8(id)},
                               {"modelId", QString::fromUtf8(id)},
                               {"sha", QString::fromUtf8(commit)},
                               {"private", false},
                               {"gated", model.isGated ? QJsonValue("auto") : QJsonValue(false)},
                               {"tags", QJsonArray()},
                               {"downloads", 0},
                               {"likes", 0},
                               {"siblings", siblings}};
        return {200, {{"Content-Type", "application/json"}}, QJsonDocument(info).toJson()};
    }

    Reply resolved(const Seen& seen, const QByteArray& id, const FakeModel& model, const QByteArray& rest,
                   bool isCache, const Fault& fault) {
        const qsizetype slash = rest.indexOf('/');
        const QByteArray commit = commitOf(model, rest.left(slash)), name = rest.mid(slash + 1);
        if (model.isGated && seen.authorization != "Bearer " + token)
            return error(seen.authorization.isEmpty() ? 401 : 403, "GatedRepo",
                         "Access to model " + id + " is restricted.");
        if (commit.isEmpty())
            return error(404, "RevisionNotFound");
        const auto found = model.files.find(name);
        if (found == model.files.end()) {
            Reply missing = error(404, "EntryNotFound", "Entry not found");
            missing.headers.emplace_back("X-Repo-Commit", commit);
            return missing;
        }
        const FakeFile& file = found->second;
        const QByteArray tag = "\"" + file.hash() + "\"";
        const QByteArray size =
            QByteArray::number(fault.otherSize >= 0 ? fault.otherSize : file.content.size());
        if (file.isLarge)
            return {302,
                    {{"X-Repo-Commit", commit},
                     {"X-Linked-Etag", tag},
                     {"X-Linked-Size", size},
                     {"ETag", "\"of-the-redirect\""},
                     {"Location", "http://" + QByteArray::fromStdString(networkAddress()) + "/blob/" +
                                      file.hash() + "?Signature=secret"}},
                    "Found"};
        if (!isCache)
            return {307,
                    {{"X-Repo-Commit", commit},
                     {"Location", "/api/resolve-cache/models/" + id + "/" + commit + "/" + name +
                                      "?etag=" + QUrl::toPercentEncoding(QString::fromUtf8(tag))}},
                    "Temporary Redirect"};
        Reply reply = content(seen, fault.otherContent.isEmpty() ? file.content : fault.otherContent, fault);
        reply.headers.emplace_back("X-Repo-Commit", commit);
        reply.headers.emplace_back("ETag", tag);
        return reply;
    }

    std::mutex m_mutex;
    std::vector<Seen> m_seen;
    std::vector<std::unique_ptr<QTcpServer>> m_servers;
    std::atomic<quint16> m_hub = 0, m_network = 0;
    QObject m_context;
    QThread m_thread;
};

}  // namespace straightedge::hub
