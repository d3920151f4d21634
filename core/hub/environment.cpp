// SPDX-License-Identifier: GPL-3.0-or-later
#include "environment.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <fstream>

namespace straightedge::hub {

namespace fs = std::filesystem;

namespace {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string home() {
    const std::string folder = variable("HOME");
    return folder.empty() ? "." : folder;
}

// "~" at the start, $NAME and ${NAME} where such a variable is set, as Python's expanduser and expandvars.
fs::path expanded(const std::string& text) {
    std::string result;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '~' && at == 0 && (text.size() == 1 || text[1] == '/')) {
            result += home();
            ++at;
        } else if (c == '$') {
            const bool braces = at + 1 < text.size() && text[at + 1] == '{';
            const std::size_t start = at + (braces ? 2 : 1);
            std::size_t end = start;
            while (end < text.size() &&
                   (std::isalnum(static_cast<unsigned char>(text[end])) != 0 || text[end] == '_'))
                ++end;
            const std::string name = text.substr(start, end - start);
            const bool closed = !braces || (end < text.size() && text[end] == '}');
            const std::size_t behind = end + (braces && closed ? 1 : 0);
            const char* value = !name.empty() && closed ? std::getenv(name.c_str()) : nullptr;
            result += value ? std::string(value) : text.substr(at, behind - at);
            at = behind;
        } else {
            result += c;
            ++at;
        }
    }
    return result;
}

fs::path hubHome() {
    if (const std::string set = variable("HF_HOME"); !set.empty())
        return expanded(set);
    const std::string caches = variable("XDG_CACHE_HOME");
    return expanded((caches.empty() ? home() + "/.cache" : caches) + "/huggingface");
}

bool isTrue(std::string value) {
    std::ranges::transform(value, value.begin(), [](unsigned char c) { return std::toupper(c); });
    constexpr std::array yes = {"1", "ON", "YES", "TRUE"};
    return std::ranges::find(yes, value) != yes.end();
}

// Without line ends and blanks around it; what no header may hold makes it no token at all.
std::string cleanToken(std::string text) {
    std::erase_if(text, [](char c) { return c == '\r' || c == '\n'; });
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string::npos)
        return {};
    text = text.substr(first, text.find_last_not_of(" \t") - first + 1);
    return std::ranges::all_of(text, [](char c) { return c > ' ' && c < 127; }) ? text : std::string();
}

std::string readToken() {
    for (const char* name : {"HF_TOKEN", "HUGGING_FACE_HUB_TOKEN"})
        if (const std::string set = variable(name); !set.empty())
            return cleanToken(set);
    const std::string set = variable("HF_TOKEN_PATH");
    constexpr std::streamsize longest = 4096;
    std::string text(longest, '\0');
    std::ifstream file(set.empty() ? hubHome() / "token" : expanded(set), std::ios::binary);
    file.read(text.data(), longest);
    text.resize(static_cast<std::size_t>(file.gcount()));
    return cleanToken(std::move(text));
}

}  // namespace

fs::path cacheFolder() {
    for (const char* name : {"HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"})
        if (const std::string set = variable(name); !set.empty())
            return expanded(set);
    return hubHome() / "hub";
}

Environment Environment::read() {
    Environment environment{.cache = cacheFolder(), .token = readToken()};
    if (const std::string set = variable("HF_ENDPOINT"); !set.empty())
        environment.endpoint = set;
    while (environment.endpoint.ends_with('/'))
        environment.endpoint.pop_back();
    environment.offline = isTrue(variable("HF_HUB_OFFLINE").empty() ? variable("TRANSFORMERS_OFFLINE")
                                                                    : variable("HF_HUB_OFFLINE"));
    return environment;
}

}  // namespace straightedge::hub
