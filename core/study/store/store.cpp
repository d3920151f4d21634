// SPDX-License-Identifier: GPL-3.0-or-later
#include "store.h"

#include <QFile>
#include <QLockFile>
#include <QUuid>

#include "checkpoint/mapped_file.h"
#include "checkpoint/parse_json.h"
#include "data_folder.h"
#include "error.h"
#include "run_files.h"
#include "run_json.h"
#include "sqlite_file.h"
#include "store_schema.h"

namespace straightedge::study {

namespace fs = std::filesystem;

namespace {

constexpr const char* lockName = "running.lock";
constexpr int lockWait = 10'000;  // ms

QString qt(const std::string& utf8) {
    return QString::fromStdString(utf8);
}

QString record(const nlohmann::ordered_json& object) {
    return qt(object.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

nlohmann::json parsed(const QVariant& record) {
    const QByteArray text = record.toString().toUtf8();
    return checkpoint::parseJsonObject(
        std::as_bytes(std::span(text.data(), static_cast<std::size_t>(text.size()))), "its record");
}

void makeFolder(const fs::path& folder) {
    std::error_code error;
    fs::create_directories(folder, error);
    if (error || !fs::is_directory(folder, error))
        throw Error({.what = "the store's folder cannot be made",
                     .where = checkpoint::pathText(folder),
                     .found = error.message(),
                     .advice = "let STRAIGHTEDGE_STORE name a folder that you can write to"});
}

// Held while a run runs, and let go of by the system's doing when its program is gone.
std::unique_ptr<QLockFile> lockIn(const fs::path& folder, const char* name) {
    auto lock = std::make_unique<QLockFile>(QFile::decodeName((folder / name).c_str()));
    lock->setStaleLockTime(0);  // only the death of its owner makes it stale, not its age
    return lock;
}

[[noreturn]] void refuseUnknown(const std::string& id) {
    throw Error({.what = "there is no such run in the store",
                 .found = checkpoint::inQuotes(id),
                 .advice = "straightedge runs --all lists them"});
}

void update(const SqliteFile& file, const char* column, const QVariant& value, const std::string& id) {
    if (file.run(QStringLiteral("UPDATE runs SET %1 = ? WHERE id = ?").arg(QLatin1String(column)),
                 {value, qt(id)})
            .numRowsAffected() != 1)
        refuseUnknown(id);
}

}  // namespace

fs::path storeFolder() {
    return dataFolder("STRAIGHTEDGE_STORE", "store");
}

Store::Store(const fs::path& folder) : m_folder(fs::absolute(folder)) {
    makeFolder(m_folder);
    // One at a time makes or migrates it.
    const auto opening = lockIn(m_folder, "opening.lock");
    if (!opening->tryLock(lockWait)) {
        const bool held = opening->error() == QLockFile::LockFailedError;
        throw Error(
            {.what = held ? "the store is being opened by another program"
                          : "the store's folder cannot be written",
             .where = checkpoint::pathText(m_folder),
             .advice = held ? "try again" : "let STRAIGHTEDGE_STORE name a folder that you can write to"});
    }
    const fs::path path = m_folder / "runs.sqlite";
    m_file = std::make_unique<SqliteFile>(path);
    try {
        bringUpToDate(*m_file);
    } catch (const Error& error) {
        throw error.parts().where.empty() ? error.in(checkpoint::pathText(path)) : error;
    }
}

Store::~Store() = default;

void Store::claim(const std::string& id) {
    auto lock = lockIn(runFolder(id), lockName);
    if (!lock->tryLock(1'000))
        throw Error({.what = "the run is going on in another program",
                     .where = "run " + id,
                     .advice = "wait for it, or stop it there"});
    m_claims[id] = std::move(lock);
}

std::string Store::begin(const RunHeader& header) {
    const std::string id = QUuid::createUuid().toString(QUuid::WithoutBraces).toStdString();
    claim(id);  // before the others can see it
    try {
        m_file->run(QStringLiteral("INSERT INTO runs (id, record) VALUES (?, ?)"),
                    {qt(id), record(toJsonWithoutBlocks({.header = header}))});
    } catch (...) {
        m_claims.erase(id);
        std::error_code ignored;
        fs::remove_all(folderOf(id), ignored);
        throw;
    }
    return id;
}

void Store::resume(const std::string& id) {
    Run run = this->run(id).run;
    claim(id);
    run.state = RunState::Running;
    update(*m_file, "record", record(toJsonWithoutBlocks(run)), id);
}

void Store::saveHeader(const std::string& id, const RunHeader& header) {
    update(*m_file, "record", record(toJsonWithoutBlocks({.header = header})), id);
}

void Store::saveBlock(const std::string& id, const BlockResult& block) {
    if (m_file
            ->run(QStringLiteral("INSERT OR REPLACE INTO blocks (run, block, record) "
                                 "SELECT number, ?, ? FROM runs WHERE id = ?"),
                  {block.block, record(toJson(block)), qt(id)})
            .numRowsAffected() != 1)
        refuseUnknown(id);
}

void Store::finish(const std::string& id, const Run& run) {
    update(*m_file, "record", record(toJsonWithoutBlocks(run)), id);
    m_claims.erase(id);
}

std::vector<StoredRun> Store::select(const std::string& id) const {
    const QString where = id.empty() ? QString() : QStringLiteral(" WHERE id = ?");
    const QVariantList values = id.empty() ? QVariantList() : QVariantList{qt(id)};
    std::vector<StoredRun> runs;
    std::map<qlonglong, std::size_t> places;  // of the runs' numbers
    QSqlQuery query = m_file->run(
        QStringLiteral("SELECT number, id, name, hidden, record FROM runs%1 ORDER BY number").arg(where),
        values);
    // A record that cannot be read must not keep the others from being seen.
    const auto guarded = [](Run& run, const auto& work) {
        try {
            work();
        } catch (const Error& error) {
            run.state = RunState::Failed;
            run.failure = error.in("what is stored of this run is damaged").what();
        }
    };
    while (query.next()) {
        places[query.value(0).toLongLong()] = runs.size();
        StoredRun& stored = runs.emplace_back();
        stored.id = query.value(1).toString().toStdString();
        stored.name = query.value(2).toString().toStdString();
        stored.hidden = query.value(3).toBool();
        guarded(stored.run, [&] { stored.run = runFromJson(parsed(query.value(4))); });
    }
    query = m_file->run(
        QStringLiteral(
            "SELECT run, blocks.record FROM blocks JOIN runs ON run = number%1 ORDER BY run, block")
            .arg(where),
        values);
    while (query.next())
        if (const auto place = places.find(query.value(0).toLongLong()); place != places.end()) {
            Run& run = runs[place->second].run;
            guarded(run, [&] { run.blocks.push_back(blockFromJson(parsed(query.value(1)))); });
        }
    for (StoredRun& stored : runs)
        settleState(stored);
    return runs;
}

void Store::settleState(StoredRun& stored) const {
    RunState& state = stored.run.state;
    const fs::path folder = folderOf(stored.id);
    std::error_code ignored;
    if (state == RunState::Running) {
        const auto lock = lockIn(folder, lockName);
        if (lock->tryLock(0) || lock->error() != QLockFile::LockFailedError)
            state = RunState::Interrupted;
    }
    stored.resumable = (state == RunState::Interrupted || state == RunState::Cancelled) &&
                       fs::exists(stateFile(folder), ignored);
}

std::vector<StoredRun> Store::runs() const {
    return select({});
}

StoredRun Store::run(const std::string& id) const {
    auto found = id.empty() ? std::vector<StoredRun>() : select(id);
    if (found.empty())
        refuseUnknown(id);
    return std::move(found.front());
}

std::string Store::find(std::string_view beginning) const {
    const std::string text(beginning);
    if (text.size() < 4)
        throw Error({.what = "the run's id is too short",
                     .expected = "at least 4 characters of it",
                     .found = checkpoint::inQuotes(text),
                     .advice = "straightedge runs --all lists them"});
    QSqlQuery query = m_file->run(QStringLiteral("SELECT id FROM runs WHERE substr(id, 1, ?) = ?"),
                                  {static_cast<int>(text.size()), qt(text)});
    if (!query.next())
        refuseUnknown(text);
    const std::string id = query.value(0).toString().toStdString();
    if (query.next())
        throw Error({.what = "several runs begin so",
                     .found = checkpoint::inQuotes(text),
                     .advice = "give more of the id"});
    return id;
}

void Store::rename(const std::string& id, const std::string& name) {
    update(*m_file, "name", qt(name), id);
}

void Store::setHidden(const std::string& id, bool hidden) {
    update(*m_file, "hidden", hidden, id);
}

void Store::remove(const std::string& id) {
    run(id);  // throws where there is none
    claim(id);
    // The folder first: if this is broken off, the run is still there to be removed.
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folderOf(id), ignored))
        if (entry.path().filename() != lockName)
            fs::remove_all(entry.path(), ignored);
    m_file->run(QStringLiteral("DELETE FROM runs WHERE id = ?"), {qt(id)});
    m_claims.erase(id);
    fs::remove_all(folderOf(id), ignored);
}

fs::path Store::folderOf(const std::string& id) const {
    return m_folder / "runs" / id;
}

fs::path Store::runFolder(const std::string& id) const {
    makeFolder(folderOf(id));
    return folderOf(id);
}

}  // namespace straightedge::study
