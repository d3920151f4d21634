// SPDX-License-Identifier: GPL-3.0-or-later
#include "regex.h"

#include <oniguruma.h>

#include <array>
#include <mutex>

#include "error.h"
#include "unicode.h"

namespace straightedge::text {

namespace {

const OnigUChar* bytesOf(std::string_view text) {
    return reinterpret_cast<const OnigUChar*>(text.data());
}

std::string message(int code, const OnigErrorInfo* info) {
    std::array<OnigUChar, ONIG_MAX_ERROR_MESSAGE_LEN> buffer{};
    const int length = onig_error_code_to_str(buffer.data(), code, info);
    return {reinterpret_cast<const char*>(buffer.data()), static_cast<std::size_t>(length)};
}

void initialize() {
    static std::once_flag once;
    std::call_once(once, [] {
        OnigEncoding utf8 = ONIG_ENCODING_UTF8;
        onig_initialize(&utf8, 1);
    });
}

}  // namespace

struct Regex::Compiled {
    OnigRegex regex = nullptr;

    ~Compiled() { onig_free(regex); }
};

Regex::Regex(const std::string& pattern) : m_compiled(std::make_unique<Compiled>()), m_pattern(pattern) {
    initialize();
    OnigErrorInfo info{};
    const int code = onig_new(&m_compiled->regex, bytesOf(pattern), bytesOf(pattern) + pattern.size(),
                              ONIG_OPTION_NONE, ONIG_ENCODING_UTF8, ONIG_SYNTAX_DEFAULT, &info);
    if (code != ONIG_NORMAL) {
        m_compiled->regex = nullptr;
        throw Error({.what = "regular expression is malformed: " + message(code, &info), .found = pattern});
    }
}

Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

struct Regex::Matches::Region {
    OnigRegion* region = onig_region_new();

    Region() = default;
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    ~Region() { onig_region_free(region, 1); }
};

Regex::Matches::Matches(const Regex& regex, std::string_view text)
    : m_regex(regex), m_text(unicode::asKnown(text, m_buffer)), m_region(std::make_unique<Region>()) {}

Regex::Matches::~Matches() = default;

std::optional<std::pair<std::size_t, std::size_t>> Regex::Matches::next() {
    const auto* begin = bytesOf(m_text);
    while (m_from <= m_text.size()) {
        const int found = onig_search(m_regex.m_compiled->regex, begin, begin + m_text.size(), begin + m_from,
                                      begin + m_text.size(), m_region->region, ONIG_OPTION_NONE);
        if (found == ONIG_MISMATCH)
            return std::nullopt;
        if (found < 0)
            throw Error({.what = "regular expression cannot be searched for: " + message(found, nullptr),
                         .found = m_regex.m_pattern});
        const auto start = static_cast<std::size_t>(m_region->region->beg[0]);
        const auto end = static_cast<std::size_t>(m_region->region->end[0]);
        if (start == end && m_lastEnd == end) {
            m_from += m_from < m_text.size() ? unicode::decode(m_text, m_from).size : 1;
            continue;
        }
        m_from = end;
        m_lastEnd = end;
        return std::pair(start, end);
    }
    return std::nullopt;
}

}  // namespace straightedge::text
