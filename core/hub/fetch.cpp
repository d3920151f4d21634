// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetch.h"

#include <QFile>
#include <algorithm>
#include <optional>
#include <set>
#include <vector>

#include "cache.h"
#include "checkpoint/mapped_file.h"
#include "checkpoint/parse_json.h"
#include "download.h"
#include "error.h"
#include "file_lock.h"
#include "refusal.h"

namespace straightedge::hub {

namespace fs = std::filesystem;
using checkpoint::inQuotes;
using checkpoint::pathText;
using nlohmann::json;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::int64_t longestListing = 64 << 20;
constexpr std::uint64_t longestFile = std::uint64_t{1} << 50;
constexpr const char* weightIndex = "model.safetensors.index.json";
constexpr const char* pickleIndex = "pytorch_model.bin.index.json";

// What a tokenizer may be made of.
constexpr const char* tokenizerFiles[] = {"tokenizer.json",
                                          "tokenizer_config.json",
                                          "vocab.json",
                                          "merges.txt",
                                          "vocab.txt",
                                          "tokenizer.model",
                                          "special_tokens_map.json",
                                          "added_tokens.json",
                                          "spiece.model",
                                          "sentencepiece.bpe.model"};

struct Listing {
    std::string commit;
    std::set<std::string> files;
};

struct Planned {
    RemoteFile remote;
    std::string blob;  // its name in blobs/
};

bool isDigest(std::string_view text) {
    return (text.size() == 40 || text.size() == 64) &&
           std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

// An entity tag without its quotes and the mark of a weak one.
std::string plain(QByteArray tag) {
    if (tag.startsWith("W/"))
        tag = tag.mid(2);
    if (tag.size() >= 2 && tag.startsWith('"') && tag.endsWith('"'))
        tag = tag.mid(1, tag.size() - 2);
    return tag.toStdString();
}

// What is left when a link is followed: nothing for a broken one.
std::optional<std::uint64_t> sizeOf(const fs::path& path) {
    std::error_code failure;
    const auto size = fs::file_size(path, failure);
    return failure ? std::nullopt : std::optional<std::uint64_t>(size);
}

class Fetch {
  public:
    Fetch(const Repository& repository, const Environment& environment, std::stop_token stop,
          FetchObserver& observer, const Patience& patience)
        : m_repository(repository),
          m_environment(environment),
          m_observer(observer),
          m_patience(patience),
          m_folder(environment.cache / repository.folderName()),
          m_http(QUrl(QString::fromStdString(environment.endpoint)), environment.token, std::move(stop)),
          m_asked{.what = "model " + repository.id,
                  .page = shown(address("/" + repository.id)),
                  .revision = repository.revisionOrMain(),
                  .withToken = !environment.token.empty()} {
        m_http.setTimeout(patience.timeout);
    }

    Fetched run() {
        const Listing listing = list();
        m_commit = listing.commit;
        std::vector<Planned> files;
        for (const std::string& name : choose(listing.files))
            files.push_back(plan(name));
        const auto index = std::ranges::find_if(
            files, [](const Planned& file) { return file.remote.name.ends_with(".index.json"); });
        if (index != files.end()) {
            bring(*index);
            for (const std::string& shard : shardsOf(*index, listing.files))
                files.push_back(plan(shard));
        }
        makeRoom(files);
        for (const Planned& file : files)
            bring(file);
        link(files);
        return {modelPath(), m_commit, m_came};
    }

  private:
    fs::path blobs() const { return m_folder / "blobs"; }
    fs::path snapshot() const { return m_folder / "snapshots" / m_commit; }
    fs::path modelPath() const {
        return m_repository.file.empty() ? snapshot() : snapshot() / m_repository.file;
    }

    QUrl address(const std::string& path) const {
        return QUrl(QString::fromStdString(m_environment.endpoint + path), QUrl::StrictMode);
    }

    [[noreturn]] void refuseAnswer(const Answer& answer, const std::string& file) const {
        Asked asked = m_asked;
        asked.file = file;
        refuse(answer, asked);
    }

    // The commit that the revision stands for, and its files.
    Listing list() {
        const QByteArray revision = QUrl::toPercentEncoding(QString::fromStdString(m_asked.revision));
        QUrl url =
            address("/api/models/" + m_repository.id + "/revision/" + revision.toStdString() + "?blobs=true");
        Answer answer;
        for (int failures = 0, hops = 0; answer.status == 0;) {
            try {
                answer = m_http.get(url, longestListing);
            } catch (const ConnectionLost& lost) {
                if (lost.never || ++failures > m_patience.retries)
                    throw Error({.what = "the hub cannot be reached",
                                 .where = shown(url),
                                 .found = lost.why,
                                 .advice =
                                     "check the network, the proxy and HF_ENDPOINT; models that were fetched "
                                     "before need none of them"});
            }
            if (answer.isRedirect() && ++hops < 5) {  // a model that was renamed
                url = answer.location();
                answer = {};
            }
        }
        if (answer.status != 200)
            refuseAnswer(answer, {});
        const auto bytes =
            std::as_bytes(std::span(answer.body.constData(), static_cast<std::size_t>(answer.body.size())));
        const json info = checkpoint::parseJsonObject(bytes, shown(url));
        Listing listing;
        if (const auto sha = info.find("sha"); sha != info.end() && sha->is_string())
            listing.commit = sha->get<std::string>();
        const auto siblings = info.find("siblings");
        if (!isCommit(listing.commit) || siblings == info.end() || !siblings->is_array())
            throw Error({.what = "the answer of the hub is not understood",
                         .where = shown(url),
                         .expected = "a commit and a list of files",
                         .advice = "check HF_ENDPOINT"});
        for (const json& sibling : *siblings)
            if (const auto name = sibling.is_object() ? sibling.find("rfilename") : sibling.end();
                name != sibling.end() && name->is_string())
                listing.files.insert(name->get<std::string>());
        return listing;
    }

    // What is needed of what there is; shards aside, which the index names.
    std::vector<std::string> choose(const std::set<std::string>& files) const {
        if (!m_repository.file.empty()) {
            if (!files.contains(m_repository.file))
                throw Error({.what = m_asked.what + " has no file " + inQuotes(m_repository.file),
                             .found = ggufFiles(files)});
            return {m_repository.file};
        }
        if (!files.contains("config.json"))
            throw Error(
                {.what = m_asked.what + " has no config.json",
                 .found = ggufFiles(files),
                 .advice = ggufFiles(files).empty()
                               ? "only models in the layout of transformers and GGUF files can be measured"
                               : "name one of the GGUF files: straightedge fetch " + m_repository.id +
                                     "/FILE.gguf"});
        std::vector<std::string> chosen = {"config.json"};
        for (const char* name : tokenizerFiles)
            if (files.contains(name))
                chosen.emplace_back(name);
        for (const char* weights : {"model.safetensors", weightIndex, "pytorch_model.bin", pickleIndex})
            if (files.contains(weights)) {
                chosen.emplace_back(weights);
                return chosen;
            }
        throw Error({.what = m_asked.what + " has no weights that can be read",
                     .expected = "model.safetensors or pytorch_model.bin, or their index",
                     .found = ggufFiles(files)});
    }

    static std::string ggufFiles(const std::set<std::string>& files) {
        std::string names;
        int count = 0;
        for (const std::string& name : files)
            if (name.ends_with(".gguf") && ++count <= 20)
                names += (names.empty() ? "" : ", ") + inQuotes(name);
        return names + (count > 20 ? " and others" : "");
    }

    std::set<std::string> shardsOf(const Planned& index, const std::set<std::string>& files) const {
        const checkpoint::MappedFile file(blobs() / index.blob);
        const json content = checkpoint::parseJsonObject(file.bytes(), index.remote.name);
        const auto map = content.find("weight_map");
        std::set<std::string> shards;
        if (map != content.end() && map->is_object())
            for (const auto& [tensor, shard] : map->items())
                if (shard.is_string())
                    shards.insert(shard.get<std::string>());
        for (const std::string& shard : shards)
            if (shard.find_first_of("/\\") != std::string::npos || !files.contains(shard))
                throw Error({.what = "the index names a file that the model does not have",
                             .where = shown(index.remote.url),
                             .found = inQuotes(shard)});
        if (shards.empty())
            throw Error({.what = "the index names no files", .where = shown(index.remote.url)});
        return shards;
    }

    // Size and hash of a file, as the hub says before it sends it or points elsewhere.
    Planned plan(const std::string& name) {
        const QByteArray encoded = QUrl::toPercentEncoding(QString::fromStdString(name));
        QUrl url = address("/" + m_repository.id + "/resolve/" + m_commit + "/" + encoded.toStdString());
        Planned planned{.remote = {.url = url, .name = name, .hash = {}}, .blob = {}};
        Answer answer;
        persistently(m_patience, m_http.stop(), url, [&](bool&) {
            for (int hop = 0; hop < 10; ++hop) {
                answer = m_http.head(url);
                // The redirect to a content network carries what is wanted; that network's own tags mean
                // nothing.
                const bool leaves = answer.location().authority() != url.authority();
                if (!answer.isRedirect() || (leaves && !answer.header("x-linked-etag").isEmpty()))
                    break;
                url = answer.location();
            }
        });
        if (answer.status != 200 && !answer.isRedirect())
            refuseAnswer(answer, name);
        const QByteArray linked = answer.header("x-linked-etag");
        const QByteArray length = answer.header(linked.isEmpty() ? "content-length" : "x-linked-size");
        planned.blob = plain(linked.isEmpty() ? answer.header("etag") : linked);
        planned.remote.hash = planned.blob;
        bool isSize = false;
        planned.remote.size = length.toULongLong(&isSize);
        if (answer.header("x-repo-commit") != m_commit.c_str() || !isDigest(planned.blob) || !isSize ||
            planned.remote.size > longestFile)
            throw Error({.what = "the server does not say what the hub says of a file",
                         .where = shown(url),
                         .expected = "its commit, size and hash (X-Repo-Commit, ETag)",
                         .advice = "check HF_ENDPOINT and what is on the way to it"});
        return planned;
    }

    // Where a file that is here already lies. Without symbolic links, huggingface_hub keeps no blobs.
    bool isHere(const Planned& file) const {
        return sizeOf(blobs() / file.blob) == file.remote.size || isOwnFile(file);
    }
    bool isOwnFile(const Planned& file) const {
        const fs::path pointer = snapshot() / file.remote.name;
        std::error_code ignored;
        return !fs::is_symlink(pointer, ignored) && sizeOf(pointer) == file.remote.size;
    }

    fs::path incomplete(const Planned& file) const { return blobs() / (file.blob + ".incomplete"); }

    void makeRoom(const std::vector<Planned>& files) {
        std::uint64_t missing = 0;
        std::set<std::string> counted;
        for (const Planned& file : files) {
            if (!counted.insert(file.blob).second)
                continue;
            m_total += file.remote.size;
            if (isHere(file))
                m_before += file.remote.size;
            else
                missing +=
                    file.remote.size - std::min(file.remote.size, sizeOf(incomplete(file)).value_or(0));
        }
        std::error_code failure;
        fs::create_directories(blobs(), failure);
        if (failure)
            throw Error({.what = "the cache cannot be written",
                         .where = pathText(blobs()),
                         .found = failure.message(),
                         .advice = "choose another place by HF_HUB_CACHE"});
        const fs::space_info space = fs::space(blobs(), failure);
        if (!failure && space.available < missing)
            throw Error({.what = "there is not enough room on the disk",
                         .where = pathText(m_environment.cache),
                         .expected = std::to_string(missing / 1'000'000 + 1) + " MB",
                         .found = std::to_string(space.available / 1'000'000) + " MB",
                         .advice = "make room, or choose another place by HF_HUB_CACHE"});
        m_start = Clock::now();
        m_cameBefore = m_came;
    }

    void bring(const Planned& file) {
        if (isHere(file))
            return;
        const fs::path lock =
            m_environment.cache / ".locks" / m_repository.folderName() / (file.blob + ".lock");
        const FileLock alone(lock, m_http.stop(), [&] {
            m_observer.noted("waits for another program that fetches " + file.remote.name);
        });
        if (isHere(file))  // by the one we waited for
            return;
        std::uint64_t last = 0;
        bool first = true;
        download(
            m_http, file.remote, incomplete(file), blobs() / file.blob, m_patience,
            [&](const Answer& answer) { refuseAnswer(answer, file.remote.name); },
            [&](std::uint64_t bytes) {
                if (!first && bytes > last)
                    m_came += bytes - last;
                first = false;
                last = bytes;
                tell(file, bytes);
            });
        m_before += file.remote.size;
    }

    void tell(const Planned& file, std::uint64_t bytes) {
        constexpr std::chrono::milliseconds pause{100};
        const auto now = Clock::now();
        if (m_total == 0 || (now - m_lastTold < pause && bytes < file.remote.size))
            return;
        m_lastTold = now;
        const double seconds = std::chrono::duration<double>(now - m_start).count();
        m_observer.progressed(
            {.file = file.remote.name,
             .done = m_before + bytes,
             .total = m_total,
             .bytesPerSecond = seconds > 0.5 ? static_cast<double>(m_came - m_cameBefore) / seconds : 0});
    }

    // config.json is the first of the files and gets its link last.
    void link(const std::vector<Planned>& files) {
        try {
            fs::create_directories(snapshot());
            for (auto file = files.rbegin(); file != files.rend(); ++file)
                if (!isOwnFile(*file))
                    linkOne(*file);
            if (m_asked.revision != m_commit)
                writeRef();
        } catch (const fs::filesystem_error& error) {
            throw Error({.what = "the cache cannot be written",
                         .where = pathText(error.path1()),
                         .found = error.code().message()});
        }
    }

    void linkOne(const Planned& file) {
        const fs::path pointer = snapshot() / file.remote.name;
        const fs::path target = fs::path("../../blobs") / file.blob;
        std::error_code failure;
        if (fs::read_symlink(pointer, failure) == target)
            return;
        const fs::path made = snapshot() / ("." + file.blob + ".link");
        fs::remove(made, failure);
        fs::create_symlink(target, made, failure);
        // Where there are no links the file itself takes its place, as huggingface_hub does.
        fs::rename(failure ? blobs() / file.blob : made, pointer);
    }

    void writeRef() {
        const fs::path ref = m_folder / "refs" / m_asked.revision;
        const fs::path made = ref.string() + ".part";
        fs::create_directories(ref.parent_path());
        QFile file(QString::fromStdU16String(made.u16string()));
        if (!file.open(QIODevice::WriteOnly | QIODevice::Truncate) ||
            file.write(m_commit.data(), static_cast<qint64>(m_commit.size())) !=
                static_cast<qint64>(m_commit.size()) ||
            !file.flush())
            throw Error({.what = "the cache cannot be written",
                         .where = pathText(ref),
                         .found = file.errorString().toStdString()});
        file.close();
        fs::rename(made, ref);
    }

    const Repository& m_repository;
    const Environment& m_environment;
    FetchObserver& m_observer;
    Patience m_patience;
    fs::path m_folder;
    Http m_http;
    Asked m_asked;
    std::string m_commit;
    std::uint64_t m_total = 0;   // of all files, once they are known
    std::uint64_t m_before = 0;  // of the files that are whole
    std::uint64_t m_came = 0, m_cameBefore = 0;
    Clock::time_point m_start, m_lastTold;
};

}  // namespace

Fetched fetchModel(const Repository& repository, const Environment& environment, std::stop_token stop,
                   FetchObserver& observer, const Patience& patience) {
    if (!environment.offline)
        return Fetch(repository, environment, std::move(stop), observer, patience).run();
    try {
        const fs::path model = findModel(environment.cache, repository);
        const auto place = snapshotOf(model);
        return {model, place ? place->commit : std::string(), 0};
    } catch (const Error&) {
        throw Error({.what = "model " + repository.text() + " is not here, and fetching is switched off",
                     .where = pathText(environment.cache),
                     .advice = "unset HF_HUB_OFFLINE to fetch it"});
    }
}

}  // namespace straightedge::hub
