// SPDX-License-Identifier: GPL-3.0-or-later
#include "find_models.h"

#include <algorithm>
#include <set>

#include "checkpoint/mapped_file.h"
#include "checkpoint/parse_json.h"
#include "error.h"
#include "hub/cache.h"
#include "hub/environment.h"
#include "model_folders.h"
#include "study/model_files.h"
#include "study/sample.h"

namespace straightedge::study {

namespace fs = std::filesystem;
using checkpoint::pathText;

namespace {

constexpr int deepest = 3;                   // levels below a folder that was added
constexpr std::size_t mostEntries = 20'000;  // of all its folders together

bool isFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

bool isFolder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

// Of files split in parts, the first stands for all.
bool isLaterPart(const fs::path& gguf) {
    const std::string stem = pathText(gguf.stem());
    const std::size_t of = stem.rfind("-of-");
    return of != std::string::npos && of >= 6 && stem.compare(of - 6, 6, "-00001") != 0 &&
           stem[of - 6] == '-';
}

void addCache(const fs::path& cache, ModelSource source, FoundModels& found) {
    for (const hub::Snapshot& snapshot : hub::snapshotsIn(cache, found.notes)) {
        const std::string revision =
            snapshot.names.empty() ? snapshot.commit.substr(0, 8) : snapshot.names.front();
        for (const fs::path& path : hub::modelsIn(snapshot)) {
            if (isLaterPart(path))
                continue;
            std::string name = snapshot.text();
            if (path != snapshot.folder)
                name.insert(snapshot.id.size(), "/" + pathText(path.filename()));
            found.models.push_back({name, revision, path, source});
        }
    }
}

// What a walk may still look at, and where it has been: links can lead back.
struct Walk {
    std::size_t budget = mostEntries;
    std::set<fs::path> seen = {};
};

void addBelow(const fs::path& folder, int depth, Walk& walk, FoundModels& found) {
    std::vector<fs::path> entries;
    std::error_code failure;
    if (!walk.seen.insert(fs::canonical(folder, failure)).second)
        return;
    for (fs::directory_iterator entry(folder, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        if (walk.budget == 0)
            break;
        --walk.budget;
        entries.push_back(entry->path());
    }
    if (failure)
        found.notes.push_back(pathText(folder) + " cannot be read: " + failure.message());
    std::ranges::sort(entries);
    const auto isOfCache = [](const fs::path& path) {
        return pathText(path.filename()).starts_with("models--") && isFolder(path / "snapshots");
    };
    if (std::ranges::any_of(entries, isOfCache))
        addCache(folder, ModelSource::Folder, found);
    for (const fs::path& entry : entries) {
        if (entry.extension() == ".gguf" && isFile(entry) && !isLaterPart(entry))
            found.models.push_back({modelName(entry), {}, entry, ModelSource::Folder});
        else if (isFile(entry / "config.json"))
            found.models.push_back({modelName(entry), {}, entry, ModelSource::Folder});
        else if (depth < deepest && isFolder(entry) && !isOfCache(entry) &&
                 !pathText(entry.filename()).starts_with('.'))
            addBelow(entry, depth + 1, walk, found);
    }
}

bool looksLikePath(const std::string& text) {
    return text.starts_with('/') || text.starts_with('.') || text.starts_with('~') || text.ends_with('/') ||
           text.find('\\') != std::string::npos || std::ranges::count(text, '/') > 2;
}

}  // namespace

std::string_view sourceName(ModelSource source) {
    switch (source) {
        case ModelSource::Hub:
            return "hub";
        case ModelSource::Folder:
            return "folder";
        case ModelSource::Sample:
            return "sample";
    }
    return {};
}

FoundModels modelsUnder(const fs::path& path) {
    FoundModels found;
    if (!isFolder(path) || isFile(path / "config.json")) {
        found.models.push_back({modelName(path), {}, path, ModelSource::Folder});
        return found;
    }
    Walk walk;
    addBelow(path, 1, walk, found);
    if (walk.budget == 0)
        found.notes.push_back(pathText(path) + " holds too many files; the first " +
                              std::to_string(mostEntries) + " were looked at");
    return found;
}

FoundModels findModels() {
    FoundModels found;
    addCache(hub::cacheFolder(), ModelSource::Hub, found);
    for (const fs::path& folder : modelFolders()) {
        std::error_code failure;
        if (!fs::exists(folder, failure)) {
            found.notes.push_back(pathText(folder) + " is not there");
            continue;
        }
        FoundModels more = modelsUnder(folder);
        std::ranges::move(more.models, std::back_inserter(found.models));
        std::ranges::move(more.notes, std::back_inserter(found.notes));
    }
    if (const auto sample = findSample())
        found.models.push_back({modelName(sample->model), {}, sample->model, ModelSource::Sample});
    std::set<fs::path> seen;
    std::erase_if(found.models, [&](const FoundModel& model) { return !seen.insert(model.path).second; });
    std::ranges::stable_sort(found.models, {},
                             [](const FoundModel& model) { return std::pair(model.source, model.name); });
    return found;
}

fs::path resolveModel(const std::string& text) {
    std::error_code ignored;
    if (fs::exists(text, ignored))
        return text;
    if (looksLikePath(text))
        throw Error({.what = "there is no such file or folder", .where = text});
    const auto repository = hub::Repository::tryParse(text);
    std::exception_ptr notInCache;
    if (repository) {
        try {
            return hub::findModel(hub::cacheFolder(), *repository);
        } catch (const Error&) {
            notInCache = std::current_exception();
        }
    }
    std::vector<fs::path> named;
    for (const FoundModel& model : findModels().models)
        if (model.name == text || pathText(model.path.filename()) == text)
            named.push_back(model.path);
    if (named.size() > 1)
        throw Error({.what = "several models are called " + checkpoint::inQuotes(text),
                     .found = pathText(named[0]) + ", " + pathText(named[1]),
                     .advice = "give the path of the one that is meant"});
    if (!named.empty())
        return named.front();
    if (notInCache)
        std::rethrow_exception(notInCache);
    throw Error({.what = "there is no such file or folder, and no model of that name",
                 .where = text,
                 .advice = "straightedge models lists what is here"});
}

}  // namespace straightedge::study
