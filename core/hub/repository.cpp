// SPDX-License-Identifier: GPL-3.0-or-later
#include "repository.h"

#include <algorithm>

#include "checkpoint/mapped_file.h"
#include "checkpoint/parse_json.h"
#include "error.h"

namespace straightedge::hub {

namespace fs = std::filesystem;

namespace {

constexpr std::string_view folderStart = "models--";
constexpr std::size_t longestId = 96;
constexpr std::size_t longestRevision = 200;

bool isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
}

// A part of an id, or a file's name.
bool isName(std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, isWord) && part.find("..") == std::string_view::npos &&
           part.front() != '.' && part.front() != '-' && part.back() != '.' && part.back() != '-';
}

// The rules of git and of the hub's own client: part for part a name, so that it stays below refs/.
bool isRevision(std::string_view text) {
    if (text.empty() || text.size() > longestRevision)
        return false;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find('/', start), text.size());
        const std::string_view part = text.substr(start, end - start);
        if (part.empty() || part.front() == '.' || part.find("..") != std::string_view::npos ||
            !std::ranges::all_of(part, [](char c) { return isWord(c) || c == '+'; }))
            return false;
        start = end + 1;
    }
    return true;
}

struct Parsed {
    Repository repository;
    std::string problem;
};

Parsed read(std::string_view text) {
    Parsed parsed;
    std::string_view name = text;
    if (const std::size_t at = text.find('@'); at != std::string_view::npos) {
        name = text.substr(0, at);
        parsed.repository.revision = text.substr(at + 1);
        if (!isRevision(parsed.repository.revision))
            parsed.problem = "the revision behind @ is not one";
    }
    if (name.ends_with(".gguf"))
        if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) {
            parsed.repository.file = name.substr(slash + 1);
            name = name.substr(0, slash);
        }
    parsed.repository.id = name;
    const std::size_t slash = name.find('/');
    const bool isOne = slash == std::string_view::npos
                           ? isName(name)
                           : isName(name.substr(0, slash)) && isName(name.substr(slash + 1));
    if (!isOne || name.size() > longestId || name.find("--") != std::string_view::npos ||
        name.ends_with(".git") || (!parsed.repository.file.empty() && !isName(parsed.repository.file)))
        parsed.problem = "it is not of the form name or organisation/name";
    return parsed;
}

}  // namespace

Repository Repository::parse(std::string_view text) {
    Parsed parsed = read(text);
    if (!parsed.problem.empty())
        throw Error({.what = checkpoint::inQuotes(text) + " cannot be a model of the hub: " + parsed.problem,
                     .expected = "an ID such as openai-community/gpt2, or with a revision "
                                 "openai-community/gpt2@main"});
    return std::move(parsed.repository);
}

std::optional<Repository> Repository::tryParse(std::string_view text) {
    Parsed parsed = read(text);
    return parsed.problem.empty() ? std::optional(std::move(parsed.repository)) : std::nullopt;
}

std::string Repository::text() const {
    return id + (file.empty() ? "" : "/" + file) + (revision.empty() ? "" : "@" + revision);
}

std::string Repository::folderName() const {
    std::string name = std::string(folderStart) + id;
    if (const std::size_t slash = name.find('/'); slash != std::string::npos)
        name.replace(slash, 1, "--");
    return name;
}

bool isCommit(std::string_view text) {
    return text.size() == 40 &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

std::optional<SnapshotPlace> snapshotOf(const fs::path& path) {
    fs::path above = path.lexically_normal();
    while (above.has_relative_path() && above.has_parent_path()) {
        const fs::path parent = above.parent_path();
        const std::string folder = checkpoint::pathText(parent.parent_path().filename());
        if (checkpoint::pathText(parent.filename()) == "snapshots" && folder.starts_with(folderStart)) {
            std::string id = folder.substr(folderStart.size());
            if (const std::size_t dashes = id.find("--"); dashes != std::string::npos)
                id.replace(dashes, 2, "/");
            if (const std::string commit = checkpoint::pathText(above.filename());
                Repository::tryParse(id) && isCommit(commit))
                return SnapshotPlace{std::move(id), commit};
            return std::nullopt;
        }
        above = parent;
    }
    return std::nullopt;
}

}  // namespace straightedge::hub
