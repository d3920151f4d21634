// SPDX-License-Identifier: GPL-3.0-or-later
#include "store_schema.h"

#include <iterator>
#include <string>

#include "error.h"
#include "sqlite_file.h"

namespace straightedge::study {

namespace {

using Statements = std::vector<const char*>;

// What leads from each version of the schema to the next; the first from an empty file to version 1. Released
// steps are never changed. A record is JSON as run_json.h writes it: new numbers need no new columns.
const Statements migrations[] = {
    {"CREATE TABLE runs (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, record TEXT NOT NULL)",
     "CREATE TABLE blocks (run INTEGER NOT NULL REFERENCES runs (number) ON DELETE CASCADE, "
     "block INTEGER NOT NULL, record TEXT NOT NULL, PRIMARY KEY (run, block)) WITHOUT ROWID"},
    {"ALTER TABLE runs ADD COLUMN name TEXT NOT NULL DEFAULT ''",
     "ALTER TABLE runs ADD COLUMN hidden INTEGER NOT NULL DEFAULT 0"},
};
constexpr int newest = std::size(migrations);

int versionOf(const SqliteFile& file) {
    QSqlQuery query = file.run(QStringLiteral("PRAGMA user_version"));
    return query.next() ? query.value(0).toInt() : 0;
}

}  // namespace

void bringUpToDate(const SqliteFile& file) {
    if (versionOf(file) == newest)
        return;
    file.transaction([&] {
        const int found = versionOf(file);
        if (found > newest || found < 0)
            throw Error({.what = "the store is from a newer version of the program",
                         .expected = "schema version " + std::to_string(newest) + " or older",
                         .found = "schema version " + std::to_string(found),
                         .advice = "update the program, or let STRAIGHTEDGE_STORE name another folder"});
        for (int version = found; version < newest; ++version)
            for (const char* statement : migrations[version])
                file.run(QLatin1String(statement));
        file.run(QStringLiteral("PRAGMA user_version = %1").arg(newest));
    });
}

}  // namespace straightedge::study
