// SPDX-License-Identifier: GPL-3.0-or-later
#include "fetch.h"

namespace straightedge::study {

Fetched fetch(const std::string& what, std::stop_token stop, FetchObserver& observer) {
    const hub::Repository repository = hub::Repository::parse(what);
    const hub::Fetched fetched =
        hub::fetchModel(repository, hub::Environment::read(), std::move(stop), observer);
    return {repository.text(), fetched.model, fetched.bytes};
}

}  // namespace straightedge::study
