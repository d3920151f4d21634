// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QSqlDatabase>
#include <QSqlQuery>
#include <QVariantList>
#include <filesystem>
#include <functional>

namespace straightedge::study {

// A connection of its own to an SQLite database, to be used on the thread that made it. Others may use the
// file at the same time: a writer waits for its turn. Whatever fails throws an Error that names the file.
class SqliteFile {
  public:
    // Opens or makes it: write-ahead log, foreign keys, every commit on the disk before it returns.
    explicit SqliteFile(const std::filesystem::path& path);
    ~SqliteFile();
    SqliteFile(const SqliteFile&) = delete;
    SqliteFile& operator=(const SqliteFile&) = delete;

    // One statement; `values` stand for its question marks, in their order.
    QSqlQuery run(const QString& sql, const QVariantList& values = {}) const;
    // All of `work` or nothing of it. No other writer gets between.
    void transaction(const std::function<void()>& work) const;

  private:
    QSqlDatabase m_database;
};

}  // namespace straightedge::study
