// SPDX-License-Identifier: GPL-3.0-or-later
#include "precompiled.h"

#include <QByteArray>
#include <cstring>
#include <utility>

#include "error.h"
#include "unicode.h"

namespace straightedge::text {

namespace {

// One unit of Darts-clone's array (https://github.com/s-yata/darts-clone): a label and the way to the
// children.
bool hasLeaf(std::uint32_t unit) {
    return (unit >> 8U & 1U) == 1;
}
std::uint32_t valueOf(std::uint32_t unit) {
    return unit & 0x7FFFFFFFU;
}
std::uint32_t labelOf(std::uint32_t unit) {
    return unit & 0x800000FFU;
}
std::uint32_t offsetOf(std::uint32_t unit) {
    return unit >> 10U << ((unit & 0x200U) >> 6U);
}

[[noreturn]] void failMalformed(const std::string& found) {
    throw Error({.what = "precompiled_charsmap is malformed", .found = found});
}

// A grapheme is a character of its own between two of these.
bool isPlain(char c) {
    return c >= ' ' && c <= '~';
}

class Precompiled : public Normalizer {
  public:
    explicit Precompiled(Charsmap map) : m_map(std::move(map)) {}

    void apply(Stretch& stretch) const override {
        const std::string text = std::move(stretch.text);
        stretch.text.clear();
        stretch.text.reserve(text.size());
        for (std::size_t at = 0; at < text.size();) {
            if (isPlain(text[at]) && (at + 1 == text.size() || isPlain(text[at + 1]))) {
                appendCharacter(text, at, 1, stretch.text);
                ++at;
                continue;
            }
            std::size_t end = at + 1;
            while (end < text.size() && !(isPlain(text[end - 1]) && isPlain(text[end])))
                ++end;
            std::size_t start = at;
            for (const std::size_t size :
                 unicode::graphemeEnds(std::string_view(text).substr(at, end - at))) {
                appendGrapheme(text, start, at + size, stretch.text);
                start = at + size;
            }
            at = end;
        }
    }
    bool local() const override { return m_map.replacement(" ").value_or(" ") == " "; }
    std::string description() const override { return ""; }

  private:
    // The package's rule: a short grapheme that begins with an entry becomes it, whatever follows; the
    // characters of the others are looked up one by one.
    void appendGrapheme(const std::string& text, std::size_t start, std::size_t end, std::string& to) const {
        constexpr std::size_t longest = 5;  // bytes
        if (end - start <= longest) {
            if (const auto found = m_map.replacement(std::string_view(text).substr(start, end - start))) {
                to += *found;
                return;
            }
        }
        for (std::size_t i = start; i < end;) {
            const std::size_t size = unicode::decode(text, i).size;
            appendCharacter(text, i, size, to);
            i += size;
        }
    }
    void appendCharacter(const std::string& text, std::size_t at, std::size_t size, std::string& to) const {
        to += m_map.replacement(std::string_view(text).substr(at, size))
                  .value_or(std::string_view(text).substr(at, size));
    }

    Charsmap m_map;
};

}  // namespace

Charsmap::Charsmap(std::string_view bytes) {
    std::uint32_t size = 0;
    if (bytes.size() < sizeof size)
        failMalformed(std::to_string(bytes.size()) + " bytes");
    std::memcpy(&size, bytes.data(), sizeof size);  // little-endian, as everywhere here
    bytes.remove_prefix(sizeof size);
    if (size > bytes.size() || size < sizeof(std::uint32_t))
        failMalformed("a trie of " + std::to_string(size) + " bytes in " + std::to_string(bytes.size()));
    m_units.resize(size / sizeof(std::uint32_t));
    std::memcpy(m_units.data(), bytes.data(), m_units.size() * sizeof(std::uint32_t));
    m_replacements = bytes.substr(m_units.size() * sizeof(std::uint32_t));
}

std::optional<std::string_view> Charsmap::replacement(std::string_view text) const {
    const auto unitAt = [this](std::uint32_t place) {
        if (place >= m_units.size())
            failMalformed("a way out of the trie");
        return m_units[place];
    };
    std::uint32_t place = offsetOf(m_units.front());
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte == 0)
            break;
        place ^= byte;
        const std::uint32_t unit = unitAt(place);
        if (labelOf(unit) != byte)
            break;
        place ^= offsetOf(unit);
        if (!hasLeaf(unit))
            continue;
        const std::size_t start = valueOf(unitAt(place));
        if (start > m_replacements.size())
            failMalformed("a replacement behind the last one");
        const auto found =
            std::string_view(m_replacements).substr(start, m_replacements.find('\0', start) - start);
        if (!unicode::isValid(found))
            failMalformed("a replacement that is no text in UTF-8");
        return found;
    }
    return std::nullopt;
}

std::unique_ptr<Normalizer> makePrecompiled(const JsonPart& part) {
    const std::string base64 = part.string("precompiled_charsmap");
    const auto decoded = QByteArray::fromBase64Encoding(QByteArray::fromStdString(base64),
                                                        QByteArray::AbortOnBase64DecodingErrors);
    if (!decoded)
        part.fail("tokenizer part is malformed: \"precompiled_charsmap\"", "Base64");
    try {
        return std::make_unique<Precompiled>(
            Charsmap({(*decoded).constData(), static_cast<std::size_t>((*decoded).size())}));
    } catch (const Error& error) {
        throw error.in(part.name());
    }
}

}  // namespace straightedge::text
