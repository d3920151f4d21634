// SPDX-License-Identifier: GPL-3.0-or-later
#include "error.h"

namespace straightedge {

namespace {

std::string compose(const Error::Parts& parts) {
    std::string text = parts.where.empty() ? parts.what : parts.where + ": " + parts.what;
    if (!parts.expected.empty())
        text += "\n  expected: " + parts.expected;
    if (!parts.found.empty())
        text += "\n  found: " + parts.found;
    if (!parts.advice.empty())
        text += "\n  what to do: " + parts.advice;
    return text;
}

}  // namespace

Error::Error(Parts parts) : std::runtime_error(compose(parts)), m_parts(std::move(parts)) {}

Error Error::in(const std::string& where) const {
    Parts placed = m_parts;
    placed.where = placed.where.empty() ? where : where + ": " + placed.where;
    return Error(std::move(placed));
}

}  // namespace straightedge
