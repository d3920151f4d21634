// SPDX-License-Identifier: GPL-3.0-or-later
#include "refusal.h"

#include "checkpoint/parse_json.h"
#include "error.h"

namespace straightedge::hub {

namespace {

using checkpoint::inQuotes;

// X-Error-Code and X-Error-Message are how the hub tells apart what it gives the same status.
std::string said(const Answer& answer) {
    std::string text = "HTTP " + std::to_string(answer.status);
    if (const QByteArray message = answer.header("x-error-message"); !message.isEmpty())
        text += ", " + inQuotes(message.toStdString());
    return text;
}

Error::Parts gated(const Asked& asked) {
    return {.what = asked.what + " is gated",
            .expected = "a token of an account that was granted access",
            .advice = "accept its terms at " + asked.page +
                      (asked.withToken ? "; the token that was sent has no access yet"
                                       : ", make a token in the account's settings and set HF_TOKEN")};
}

Error::Parts unauthorised(const Answer& answer, const Asked& asked) {
    if (asked.withToken && answer.header("x-error-message").contains("Invalid credentials"))
        return {.what = "the hub does not accept the token",
                .advice = "make a new one in the account's settings and set HF_TOKEN, or unset it"};
    return {.what = asked.what + " is not on the hub, or private",
            .advice = asked.withToken ? "check the ID; the token that was sent has no access to it"
                                      : "check the ID; for a private model set HF_TOKEN"};
}

Error::Parts rateLimited(const Answer& answer) {
    const QByteArray seconds = answer.header("retry-after").trimmed();
    bool isNumber = false;
    const int wait = seconds.toInt(&isNumber);
    return {.what = "the hub has had too many requests from here",
            .advice = isNumber && wait > 0
                          ? "try again in " + std::to_string(wait) + " seconds; what has come is kept"
                          : "try again in some minutes, or with a token in HF_TOKEN; what has come is kept"};
}

Error::Parts meaning(const Answer& answer, const Asked& asked) {
    const QByteArray code = answer.header("x-error-code");
    if (code == "GatedRepo")
        return gated(asked);
    if (code == "RevisionNotFound")
        return {.what = asked.what + " has no revision " + inQuotes(asked.revision),
                .advice = "name a branch, a tag or a commit that its page lists"};
    if (code == "EntryNotFound")
        return {.what = asked.what + " has no file " + inQuotes(asked.file)};
    if (answer.status == 401)
        return unauthorised(answer, asked);
    if (answer.status == 403)
        return {.what = "the hub does not give " + asked.what + " to this account",
                .advice = "the token in use may lack the right to read it"};
    if (answer.status == 404 || code == "RepoNotFound")
        return {.what = asked.what + " is not on the hub", .advice = "check the ID"};
    if (answer.status == 429)
        return rateLimited(answer);
    if (answer.status >= 500)
        return {.what = "the hub has trouble of its own", .advice = "try again later; what has come is kept"};
    return {.what = "the answer of the hub is not understood", .advice = "check HF_ENDPOINT"};
}

}  // namespace

void refuse(const Answer& answer, const Asked& asked) {
    Error::Parts parts = meaning(answer, asked);
    parts.where = shown(answer.url);
    parts.found = said(answer);
    throw Error(std::move(parts));
}

}  // namespace straightedge::hub
