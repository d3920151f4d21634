// SPDX-License-Identifier: GPL-3.0-or-later
#include "cache.h"

#include <algorithm>
#include <fstream>
#include <map>

#include "checkpoint/mapped_file.h"
#include "checkpoint/parse_json.h"
#include "error.h"

namespace straightedge::hub {

namespace fs = std::filesystem;
using checkpoint::inQuotes;
using checkpoint::pathText;

namespace {

// Whoever filled the folder, a listing ends.
constexpr std::size_t mostEntries = 100'000;

// The entries of a folder, sorted; a missing one has none, one that cannot be read is noted.
std::vector<fs::path> entriesOf(const fs::path& folder, std::vector<std::string>& notes) {
    std::vector<fs::path> entries;
    std::error_code failure;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (entries.size() == mostEntries)
            break;
        entries.push_back(entry->path());
    }
    if (failure && failure != std::errc::no_such_file_or_directory && failure != std::errc::not_a_directory)
        notes.push_back(pathText(folder) + " cannot be read: " + failure.message());
    std::ranges::sort(entries);
    return entries;
}

bool isFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool isFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);  // of a link, what it leads to
}

// "" for what is no commit.
std::string commitIn(const fs::path& ref) {
    std::string text(64, '\0');
    std::ifstream file(ref, std::ios::binary);
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<std::size_t>(file.gcount()));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' '))
        text.pop_back();
    return isCommit(text) ? text : std::string();
}

// Names by commit. Those of pull requests lie some folders deep.
void readRefs(const fs::path& folder, const std::string& prefix, int depth,
              std::map<std::string, std::vector<std::string>>& names, std::vector<std::string>& notes) {
    for (const fs::path& entry : entriesOf(folder, notes)) {
        const std::string name = prefix + pathText(entry.filename());
        if (isFolder(entry) && depth < 8)
            readRefs(entry, name + "/", depth + 1, names, notes);
        else if (const std::string commit = commitIn(entry); !commit.empty())
            names[commit].push_back(name);
    }
}

// The model whose folder this is, "" where it is none.
std::string idOf(const fs::path& folder) {
    const auto place = snapshotOf(folder / "snapshots" / std::string(40, '0'));
    return place ? place->id : std::string();
}

void addSnapshots(const fs::path& folder, std::vector<Snapshot>& found, std::vector<std::string>& notes) {
    const std::string id = idOf(folder);
    if (id.empty())
        return;
    std::map<std::string, std::vector<std::string>> names;
    readRefs(folder / "refs", {}, 0, names, notes);
    for (const fs::path& snapshot : entriesOf(folder / "snapshots", notes)) {
        const std::string commit = pathText(snapshot.filename());
        if (!isCommit(commit) || !isFolder(snapshot))
            continue;
        std::vector<std::string> revisions = names[commit];
        std::ranges::sort(revisions, {},
                          [](const std::string& name) { return std::pair(name != "main", name); });
        found.push_back({id, commit, std::move(revisions), snapshot});
    }
}

std::string quotedList(const std::vector<Snapshot>& snapshots) {
    std::string text;
    for (const Snapshot& snapshot : snapshots)
        text += (text.empty() ? "" : ", ") + snapshot.text();
    return text;
}

[[noreturn]] void refuse(const fs::path& cache, const Repository& repository,
                         const std::vector<Snapshot>& others) {
    const Repository whole{repository.id, repository.revision, {}};
    throw Error(
        {.what = inQuotes(whole.text()) + " is neither a file or folder nor in the Hugging Face cache",
         .where = pathText(cache),
         .found = others.empty() ? "" : quotedList(others),
         .advice = "straightedge fetch " + repository.text() +
                   " brings it from the hub; straightedge models lists what is here"});
}

}  // namespace

std::string Snapshot::text() const {
    if (std::ranges::find(names, "main") != names.end())
        return id;
    return id + "@" + (names.empty() ? commit.substr(0, 8) : names.front());
}

std::vector<Snapshot> snapshotsIn(const fs::path& cache, std::vector<std::string>& notes) {
    std::vector<Snapshot> found;
    for (const fs::path& folder : entriesOf(cache, notes))
        addSnapshots(folder, found, notes);
    std::ranges::stable_sort(found, {}, &Snapshot::id);
    return found;
}

std::vector<Snapshot> snapshotsOf(const fs::path& cache, const Repository& repository,
                                  std::vector<std::string>& notes) {
    std::vector<Snapshot> found;
    addSnapshots(cache / repository.folderName(), found, notes);
    return found;
}

std::optional<Snapshot> snapshotAt(const fs::path& path) {
    const auto place = snapshotOf(path);
    if (!place)
        return std::nullopt;
    fs::path folder = path.lexically_normal();
    while (pathText(folder.parent_path().filename()) != "snapshots")
        folder = folder.parent_path();
    std::vector<Snapshot> found;
    std::vector<std::string> ignored;
    addSnapshots(folder.parent_path().parent_path(), found, ignored);
    const auto one = std::ranges::find(found, place->commit, &Snapshot::commit);
    return one != found.end() ? std::optional(std::move(*one)) : std::nullopt;
}

fs::path findModel(const fs::path& cache, const Repository& repository) {
    std::vector<std::string> notes;
    const std::vector<Snapshot> snapshots = snapshotsOf(cache, repository, notes);
    if (snapshots.empty() && !notes.empty())
        throw Error({.what = inQuotes(repository.id) + " cannot be looked for in the Hugging Face cache",
                     .where = notes.front()});
    const std::string revision = repository.revisionOrMain();
    const auto isMeant = [&](const Snapshot& snapshot) {
        constexpr std::size_t shortest = 7;  // digits of a commit, as git shows them
        return std::ranges::find(snapshot.names, revision) != snapshot.names.end() ||
               (revision.size() >= shortest && snapshot.commit.starts_with(revision));
    };
    auto chosen = std::ranges::find_if(snapshots, isMeant);
    if (chosen == snapshots.end() && repository.revision.empty() && snapshots.size() == 1)
        chosen = snapshots.begin();
    if (chosen == snapshots.end())
        refuse(cache, repository, snapshots);

    const std::vector<fs::path> models = modelsIn(*chosen);
    if (!repository.file.empty()) {
        const auto named = std::ranges::find_if(
            models, [&](const fs::path& path) { return pathText(path.filename()) == repository.file; });
        if (named == models.end())
            refuse(cache, repository, {});
        return *named;
    }
    if (models.empty())
        throw Error({.what = "nothing of " + inQuotes(repository.id) + " that can be measured is here",
                     .where = pathText(chosen->folder),
                     .expected = "config.json with weights, or a GGUF file",
                     .advice = "straightedge fetch " + repository.text() + " brings what is missing"});
    if (models.size() > 1 && models.front() != chosen->folder) {
        std::string names;
        for (const fs::path& path : models)
            names += (names.empty() ? "" : ", ") + pathText(path.filename());
        throw Error(
            {.what = inQuotes(repository.id) + " holds several models",
             .where = pathText(chosen->folder),
             .found = names,
             .advice = "name one of them: " + repository.id + "/" + pathText(models.front().filename())});
    }
    return models.front();
}

std::vector<fs::path> modelsIn(const Snapshot& snapshot) {
    std::vector<fs::path> models;
    if (isFile(snapshot.folder / "config.json"))
        models.push_back(snapshot.folder);
    std::vector<std::string> ignored;
    for (const fs::path& entry : entriesOf(snapshot.folder, ignored))
        if (entry.extension() == ".gguf" && isFile(entry))
            models.push_back(entry);
    return models;
}

}  // namespace straightedge::hub
