// SPDX-License-Identifier: GPL-3.0-or-later
#include "normalizers.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "bert_normalizer.h"
#include "byte_characters.h"
#include "precompiled.h"
#include "regex.h"
#include "unicode.h"

namespace straightedge::text {

namespace {

constexpr std::string_view metaspace = "\u2581";

class UnicodeForm : public Normalizer {
  public:
    UnicodeForm(unicode::Form form, std::string name) : m_form(form), m_name(std::move(name)) {}

    void apply(Stretch& stretch) const override { stretch.text = unicode::normalized(stretch.text, m_form); }
    bool local() const override { return true; }
    std::string description() const override { return m_name; }

  private:
    unicode::Form m_form;
    std::string m_name;
};

class Lowercase : public Normalizer {
  public:
    void apply(Stretch& stretch) const override { stretch.text = unicode::lowercased(stretch.text); }
    bool local() const override { return true; }
    std::string description() const override { return "lower case"; }
};

class Prepend : public Normalizer {
  public:
    explicit Prepend(std::string prefix) : m_prefix(std::move(prefix)) {}

    void apply(Stretch& stretch) const override {
        if (!stretch.text.empty() && !stretch.continued)
            stretch.text.insert(0, m_prefix);
    }
    bool local() const override { return true; }
    std::string description() const override { return ""; }

  private:
    std::string m_prefix;
};

class ReplaceString : public Normalizer {
  public:
    ReplaceString(std::string pattern, std::string content)
        : m_pattern(std::move(pattern)), m_content(std::move(content)) {}

    void apply(Stretch& stretch) const override {
        std::string result;
        std::size_t from = 0;
        for (std::size_t at; (at = stretch.text.find(m_pattern, from)) != std::string::npos;) {
            // The package takes what stands for several characters to begin at the last of them.
            if (at == 0 && (m_content.empty() || unicode::decode(m_pattern, 0).size < m_pattern.size()))
                stretch.first = false;
            result.append(stretch.text, from, at - from).append(m_content);
            from = at + m_pattern.size();
        }
        if (from > 0)
            stretch.text = std::move(result.append(stretch.text, from));
    }
    bool local() const override {
        const auto isLetterOrSpace = [](char c) {
            return c == ' ' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        };
        return (m_pattern == " " && m_content == metaspace) ||
               (std::ranges::none_of(m_pattern, isLetterOrSpace) &&
                m_pattern.find(metaspace) == std::string::npos);
    }
    std::string description() const override { return ""; }

  private:
    std::string m_pattern;  // not empty
    std::string m_content;
};

class ReplaceRegex : public Normalizer {
  public:
    ReplaceRegex(const std::string& pattern, std::string content)
        : m_regex(pattern), m_content(std::move(content)) {}

    void apply(Stretch& stretch) const override {
        std::string result;
        std::size_t from = 0;
        bool any = false;
        Regex::Matches matches(m_regex, stretch.text);
        while (const auto match = matches.next()) {
            const auto [start, end] = *match;
            if (start == 0 && end > 0 && (m_content.empty() || unicode::decode(stretch.text, 0).size < end))
                stretch.first = false;
            result.append(stretch.text, from, start - from).append(m_content);
            from = end;
            any = true;
        }
        if (any)
            stretch.text = std::move(result.append(stretch.text, from));
    }
    bool local() const override { return false; }
    std::string description() const override { return ""; }

  private:
    Regex m_regex;
    std::string m_content;
};

class Strip : public Normalizer {
  public:
    Strip(bool left, bool right) : m_left(left), m_right(right) {}

    void apply(Stretch& stretch) const override {
        auto& text = stretch.text;
        std::size_t start = 0;
        std::size_t end = text.size();
        while (m_left && start < end) {
            const auto [point, size] = unicode::decode(text, start);
            if (!unicode::isSpace(point))
                break;
            start += size;
        }
        while (m_right && end > start) {
            const auto [point, size] = unicode::decodeBefore(text, end);
            if (!unicode::isSpace(point))
                break;
            end -= size;
        }
        stretch.first = stretch.first && start == 0;
        text = text.substr(start, end - start);
    }
    bool local() const override { return false; }
    std::string description() const override { return ""; }

  private:
    bool m_left;
    bool m_right;
};

class StripAccents : public Normalizer {
  public:
    void apply(Stretch& stretch) const override {
        std::string result;
        result.reserve(stretch.text.size());
        for (std::size_t i = 0; i < stretch.text.size();) {
            const auto [point, size] = unicode::decode(stretch.text, i);
            if (!unicode::isMark(point))
                result.append(stretch.text, i, size);
            else if (i == 0)
                stretch.first = false;
            i += size;
        }
        stretch.text = std::move(result);
    }
    bool local() const override { return true; }
    std::string description() const override { return "without accents"; }
};

// SentencePiece's cleaning for translation: control characters go, other kinds of space become one.
class Nmt : public Normalizer {
  public:
    void apply(Stretch& stretch) const override {
        std::string result;
        result.reserve(stretch.text.size());
        for (std::size_t i = 0; i < stretch.text.size();) {
            const auto [point, size] = unicode::decode(stretch.text, i);
            if (isSpace(point))
                result += ' ';
            else if (!isControl(point))
                result.append(stretch.text, i, size);
            else if (i == 0)
                stretch.first = false;
            i += size;
        }
        stretch.text = std::move(result);
    }
    bool local() const override { return true; }
    std::string description() const override { return ""; }

  private:
    static bool isControl(char32_t point) {
        return (point >= 0x1 && point <= 0x8) || point == 0xB || (point >= 0xE && point <= 0x1F) ||
               point == 0x7F || point == 0x8F || point == 0x9F;
    }
    static bool isSpace(char32_t point) {
        return point == 0x9 || point == 0xA || point == 0xC || point == 0xD || point == 0x1680 ||
               (point >= 0x200B && point <= 0x200F) || point == 0x2028 || point == 0x2029 ||
               point == 0x2581 || point == 0xFEFF || point == 0xFFFD;
    }
};

// Bytes as GPT-2's printable characters.
class ByteLevel : public Normalizer {
  public:
    void apply(Stretch& stretch) const override {
        std::string written;
        written.reserve(2 * stretch.text.size());
        for (const char c : stretch.text)
            unicode::append(written, byteCharacter(static_cast<unsigned char>(c)));
        stretch.text = std::move(written);
    }
    bool local() const override { return false; }  // what was a space is none
    std::string description() const override { return ""; }
};

class NormalizerSequence : public Normalizer {
  public:
    explicit NormalizerSequence(std::vector<std::unique_ptr<Normalizer>> steps) : m_steps(std::move(steps)) {}

    void apply(Stretch& stretch) const override {
        for (const auto& step : m_steps)
            step->apply(stretch);
    }
    bool local() const override {
        return std::ranges::all_of(m_steps, [](const auto& step) { return step->local(); });
    }
    std::string description() const override {
        std::string result;
        for (const auto& step : m_steps)
            if (const auto text = step->description(); !text.empty())
                result += (result.empty() ? "" : ", ") + text;
        return result;
    }

  private:
    std::vector<std::unique_ptr<Normalizer>> m_steps;
};

std::unique_ptr<Normalizer> makeReplace(const JsonPart& part) {
    const JsonPart pattern = part.part("pattern");
    if (pattern.has("Regex"))
        return std::make_unique<ReplaceRegex>(pattern.string("Regex"), part.string("content"));
    const std::string literal = pattern.string("String");
    if (literal.empty())
        part.fail("normalizer Replace has an empty pattern");
    return std::make_unique<ReplaceString>(literal, part.string("content"));
}

std::unique_ptr<Normalizer> makeSequence(const JsonPart& part) {
    std::vector<std::unique_ptr<Normalizer>> steps;
    for (const auto& step : part.parts("normalizers"))
        steps.push_back(makeNormalizer(step));
    return std::make_unique<NormalizerSequence>(std::move(steps));
}

template <unicode::Form form>
std::unique_ptr<Normalizer> makeForm(const JsonPart& part) {
    return std::make_unique<UnicodeForm>(form, part.type());
}

template <typename Type>
std::unique_ptr<Normalizer> makePlain(const JsonPart&) {
    return std::make_unique<Type>();
}

using Maker = std::unique_ptr<Normalizer> (*)(const JsonPart&);

// A further normalizer is a class above and a line here.
const std::map<std::string, Maker, std::less<>>& makers() {
    static const std::map<std::string, Maker, std::less<>> table{
        {"Sequence", makeSequence},
        {"NFC", makeForm<unicode::Form::C>},
        {"NFD", makeForm<unicode::Form::D>},
        {"NFKC", makeForm<unicode::Form::KC>},
        {"NFKD", makeForm<unicode::Form::KD>},
        {"Replace", makeReplace},
        {"Prepend",
         [](const JsonPart& part) -> std::unique_ptr<Normalizer> {
             return std::make_unique<Prepend>(part.string("prepend"));
         }},
        {"BertNormalizer", makeBertNormalizer},
        {"ByteLevel", makePlain<ByteLevel>},
        {"Lowercase", makePlain<Lowercase>},
        {"Nmt", makePlain<Nmt>},
        {"Precompiled", makePrecompiled},
        {"StripAccents", makePlain<StripAccents>},
        {"Strip",
         [](const JsonPart& part) -> std::unique_ptr<Normalizer> {
             return std::make_unique<Strip>(part.boolean("strip_left"), part.boolean("strip_right"));
         }},
    };
    return table;
}

}  // namespace

std::unique_ptr<Normalizer> makeNormalizer(const JsonPart& part) {
    const auto maker = makers().find(part.type());
    if (maker == makers().end())
        part.failUnknownType("normalizer", namesOf(makers()));
    return maker->second(part);
}

}  // namespace straightedge::text
