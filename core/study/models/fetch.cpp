// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetch.h"

#include "error.h"
#include "find_text.h"
#include "hub/known_texts.h"

namespace straightedge::study {

namespace {

constexpr std::string_view textPrefix = "corpus:";

Fetched fetchKnownText(const std::string& name, std::stop_token stop, FetchObserver& observer) {
    const hub::KnownText* text = hub::knownText(name);
    if (!text) {
        std::string names;
        for (const std::string& known : fetchableTexts())
            names += (names.empty() ? "" : ", ") + known;
        throw Error({.what = "no text of that name is known", .where = name, .expected = names});
    }
    const std::uint64_t bytes =
        hub::fetchText(*text, textFolder(), hub::Environment::read(), std::move(stop), observer);
    return {text->name, hub::fileOf(*text, textFolder()), bytes};
}

}  // namespace

Fetched fetch(const std::string& what, std::stop_token stop, FetchObserver& observer) {
    if (what.starts_with(textPrefix))
        return fetchKnownText(what.substr(textPrefix.size()), std::move(stop), observer);
    const hub::Repository repository = hub::Repository::parse(what);
    const hub::Fetched fetched =
        hub::fetchModel(repository, hub::Environment::read(), std::move(stop), observer);
    return {repository.text(), fetched.model, fetched.bytes};
}

std::vector<std::string> fetchableTexts() {
    std::vector<std::string> names;
    for (const hub::KnownText& text : hub::knownTexts())
        names.push_back(text.name);
    return names;
}

}  // namespace straightedge::study
