// SPDX-License-Identifier: GPL-3.0-or-later
#include "known_texts.h"

#include <QCryptographicHash>
#include <QSaveFile>
#include <algorithm>
#include <array>

#include "checkpoint/mapped_file.h"
#include "download.h"
#include "error.h"
#include "refusal.h"
#include "unzip.h"

namespace straightedge::hub {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t longestText = 256 << 20;
constexpr const char* wikitext = "/datasets/ggml-org/ci/resolve/main/wikitext-2-raw-v1.zip";

KnownText gutenberg(const char* name, const char* title, int number) {
    const std::string book = std::to_string(number);
    return {name, title, "https://www.gutenberg.org/cache/epub/" + book + "/pg" + book + ".txt", {}};
}

// The body behind any redirects. The one that leaves the hub says the hash of what is meant.
QByteArray bodyOf(Http& http, QUrl url, bool isOnHub, const Asked& asked) {
    QByteArray hash;
    for (int hop = 0; hop < 10; ++hop) {
        const Answer answer = http.get(url, longestText);
        if (answer.isRedirect()) {
            if (hash.isEmpty())
                hash = answer.header("x-linked-etag").replace('"', "");
            url = answer.location();
            continue;
        }
        if (answer.status != 200 && isOnHub)
            refuse(answer, asked);
        if (answer.status != 200)
            throw Error({.what = "the server does not give " + asked.what,
                         .where = shown(url),
                         .found = "HTTP " + std::to_string(answer.status),
                         .advice = "try again later, or fetch the text by other means and name its file"});
        const QByteArray found = QCryptographicHash::hash(answer.body, QCryptographicHash::Sha256).toHex();
        if (!hash.isEmpty() && found != hash)
            throw Error({.what = "what came is not what was promised: the hash is wrong",
                         .where = shown(url),
                         .expected = hash.toStdString(),
                         .found = found.toStdString(),
                         .advice = "try again"});
        return answer.body;
    }
    throw Error({.what = "the server points from one address to the next without end", .where = shown(url)});
}

}  // namespace

std::span<const KnownText> knownTexts() {
    static const std::array texts = {
        KnownText{"wikitext-2-raw", "WikiText-2 raw, training part", wikitext,
                  "wikitext-2-raw/wiki.train.raw"},
        KnownText{"wikitext-2-raw-valid", "its validation part", wikitext, "wikitext-2-raw/wiki.valid.raw"},
        KnownText{"wikitext-2-raw-test", "its test part, as for published perplexities", wikitext,
                  "wikitext-2-raw/wiki.test.raw"},
        gutenberg("moby-dick", "Melville, Moby-Dick", 2701),
        gutenberg("amusements-in-mathematics", "Dudeney, Amusements in Mathematics", 16713),
        gutenberg("canterbury-puzzles", "Dudeney, The Canterbury Puzzles", 27635)};
    return texts;
}

const KnownText* knownText(std::string_view name) {
    const auto found = std::ranges::find(knownTexts(), name, &KnownText::name);
    return found == knownTexts().end() ? nullptr : &*found;
}

fs::path fileOf(const KnownText& text, const fs::path& folder) {
    return folder / (text.name + ".txt");
}

std::uint64_t fetchText(const KnownText& text, const fs::path& folder, const Environment& environment,
                        std::stop_token stop, FetchObserver& observer, const Patience& patience) {
    const fs::path file = fileOf(text, folder);
    std::error_code failure;
    if (fs::is_regular_file(file, failure))
        return 0;
    if (environment.offline)
        throw Error({.what = "the text " + text.name + " is not here, and fetching is switched off",
                     .where = checkpoint::pathText(file),
                     .advice = "unset HF_HUB_OFFLINE to fetch it"});
    const bool isOnHub = text.address.starts_with('/');
    const QUrl url(QString::fromStdString(isOnHub ? environment.endpoint + text.address : text.address));
    // A token is the hub's business only.
    Http http(url, isOnHub ? environment.token : std::string(), std::move(stop));
    http.setTimeout(patience.timeout);
    const Asked asked{.what = "the text " + text.name,
                      .page = shown(url),
                      .revision = "main",
                      .withToken = isOnHub && !environment.token.empty()};
    observer.noted("fetching " + text.title + " from " + url.host().toStdString());
    QByteArray body;
    persistently(patience, http.stop(), url, [&](bool&) { body = bodyOf(http, url, isOnHub, asked); });
    const std::string unpacked = text.entry.empty()
                                     ? body.toStdString()
                                     : unzip({body.constData(), static_cast<std::size_t>(body.size())},
                                             text.entry, static_cast<std::uint64_t>(longestText), shown(url));
    if (unpacked.empty())
        throw Error({.what = "the text that came is empty", .where = shown(url)});
    fs::create_directories(folder, failure);
    QSaveFile saved(QString::fromStdU16String(file.u16string()));
    if (!saved.open(QIODevice::WriteOnly) ||
        saved.write(unpacked.data(), static_cast<qint64>(unpacked.size())) !=
            static_cast<qint64>(unpacked.size()) ||
        !saved.commit())
        throw Error({.what = "the text cannot be written",
                     .where = checkpoint::pathText(file),
                     .found = saved.errorString().toStdString()});
    return static_cast<std::uint64_t>(body.size());
}

}  // namespace straightedge::hub
