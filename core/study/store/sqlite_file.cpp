// SPDX-License-Identifier: GPL-3.0-or-later
#include "sqlite_file.h"

#include <QFile>
#include <QSqlError>
#include <atomic>

#include "error.h"

namespace straightedge::study {

namespace {

struct Cause {
    const char* what;
    const char* advice;
};

// SQLite's primary result codes, of those that a reader can do something about.
Cause causeOf(int code) {
    switch (code & 0xFF) {
        case 5:  // SQLITE_BUSY
        case 6:  // SQLITE_LOCKED
            return {"the store is in use by another program", "try again when that one is done"};
        case 3:   // SQLITE_PERM
        case 8:   // SQLITE_READONLY
        case 14:  // SQLITE_CANTOPEN
            return {"the store cannot be opened for writing",
                    "give yourself write access to it, or let STRAIGHTEDGE_STORE name another folder"};
        case 11:  // SQLITE_CORRUPT
        case 26:  // SQLITE_NOTADB
            return {"the store is damaged",
                    "move this file away (a new one is made at the next start), or bring back a copy of it"};
        case 13:  // SQLITE_FULL
            return {"the disk with the store is full", "make room on it"};
        default:
            return {"the store failed", ""};
    }
}

[[noreturn]] void refuse(const QSqlDatabase& database, const QSqlError& error) {
    const auto [what, advice] = causeOf(error.nativeErrorCode().toInt());
    throw Error(
        {.what = what,
         .where = database.databaseName().toStdString(),
         .found = (error.databaseText().isEmpty() ? error.text() : error.databaseText()).toStdString(),
         .advice = advice});
}

QString uniqueName() {
    static std::atomic<int> count = 0;
    return QStringLiteral("straightedge-store-%1").arg(++count);
}

}  // namespace

SqliteFile::SqliteFile(const std::filesystem::path& path)
    : m_database(QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), uniqueName())) {
    if (!m_database.isValid())
        throw Error({.what = "there is no store without Qt's SQLite driver",
                     .advice = "install it (Debian: libqt6sql6-sqlite)"});
    m_database.setDatabaseName(QFile::decodeName(path.c_str()));
    m_database.setConnectOptions(QStringLiteral("QSQLITE_BUSY_TIMEOUT=10000"));
    if (!m_database.open())
        refuse(m_database, m_database.lastError());
    // The sweep's state is only as good as the results before it: they must survive a power cut.
    for (const char* pragma :
         {"PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", "PRAGMA foreign_keys = ON"})
        run(QLatin1String(pragma));
}

SqliteFile::~SqliteFile() {
    const QString name = m_database.connectionName();
    m_database = {};  // Qt wants no handle left when a connection is removed
    QSqlDatabase::removeDatabase(name);
}

QSqlQuery SqliteFile::run(const QString& sql, const QVariantList& values) const {
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    if (!query.prepare(sql))
        refuse(m_database, query.lastError());
    for (const QVariant& value : values)
        query.addBindValue(value);
    if (!query.exec())
        refuse(m_database, query.lastError());
    return query;
}

void SqliteFile::transaction(const std::function<void()>& work) const {
    run(QStringLiteral("BEGIN IMMEDIATE"));
    try {
        work();
        run(QStringLiteral("COMMIT"));
    } catch (...) {
        QSqlQuery(m_database).exec(QStringLiteral("ROLLBACK"));
        throw;
    }
}

}  // namespace straightedge::study
