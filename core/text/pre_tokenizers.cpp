// SPDX-License-Identifier: GPL-3.0-or-later
#include "pre_tokenizers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include "byte_characters.h"
#include "regex.h"
#include "unicode.h"
#include "word_scanner.h"

namespace straightedge::text {

namespace {

enum class Behaviour { Removed, Isolated, MergedWithPrevious, MergedWithNext, Contiguous };

// Turns the walk over a piece (matches and what is between them, in order, without gaps) into pieces.
class Splitter {
  public:
    Splitter(const Piece& piece, Behaviour behaviour, const PieceSink& sink)
        : m_piece(piece), m_behaviour(behaviour), m_sink(sink) {}

    bool add(std::size_t start, std::size_t end, bool isMatch) {
        if (m_behaviour == Behaviour::Isolated)
            return emit(start, end);
        if (m_behaviour == Behaviour::Removed)
            return isMatch || emit(start, end);
        const bool joins = m_pending && joinsPending(isMatch);
        const bool goesOn = joins || flush();
        if (!joins)
            m_start = start;
        m_end = end;
        m_pending = true;
        m_wasMatch = isMatch;
        return goesOn;
    }
    bool flush() { return !m_pending || emit(m_start, m_end); }

  private:
    bool joinsPending(bool isMatch) const {
        switch (m_behaviour) {
            case Behaviour::MergedWithPrevious:
                return isMatch && !m_wasMatch;
            case Behaviour::MergedWithNext:
                return !isMatch && m_wasMatch;
            default:
                return isMatch == m_wasMatch;
        }
    }
    bool emit(std::size_t start, std::size_t end) const {
        return start == end || m_sink({m_piece.text.substr(start, end - start), m_piece.first && start == 0});
    }

    const Piece& m_piece;
    Behaviour m_behaviour;
    const PieceSink& m_sink;
    bool m_pending = false;  // [m_start, m_end) waits for what comes next
    bool m_wasMatch = false;
    std::size_t m_start = 0;
    std::size_t m_end = 0;
};

// Every character that `matches` is a match of its own.
template <typename Predicate>
bool splitByCharacter(const Piece& piece, Behaviour behaviour, const PieceSink& sink, Predicate matches) {
    Splitter splitter(piece, behaviour, sink);
    std::size_t from = 0;
    for (std::size_t i = 0; i < piece.text.size();) {
        const auto [point, size] = unicode::decode(piece.text, i);
        if (matches(point)) {
            if ((from < i && !splitter.add(from, i, false)) || !splitter.add(i, i + size, true))
                return false;
            from = i + size;
        }
        i += size;
    }
    return (from == piece.text.size() || splitter.add(from, piece.text.size(), false)) && splitter.flush();
}

// `next(from)` gives the next match as an optional pair [start, end).
template <typename Next>
bool splitByMatches(const Piece& piece, Behaviour behaviour, bool invert, const PieceSink& sink, Next next) {
    Splitter splitter(piece, behaviour, sink);
    std::size_t from = 0;
    while (const std::optional<std::pair<std::size_t, std::size_t>> match = next(from)) {
        const auto [start, end] = *match;
        if ((from != start && !splitter.add(from, start, invert)) || !splitter.add(start, end, !invert))
            return false;
        from = end;
    }
    return (from == piece.text.size() || splitter.add(from, piece.text.size(), invert)) && splitter.flush();
}

bool splitByScanner(const WordScanner& scanner, const Piece& piece, const PieceSink& sink) {
    for (std::size_t start = 0; start < piece.text.size();) {
        const std::size_t end = scanner.end(piece.text, start);
        if (!sink({piece.text.substr(start, end - start), piece.first && start == 0}))
            return false;
        start = end;
    }
    return true;
}

class ByteLevel : public PreTokenizer {
  public:
    ByteLevel(bool addPrefixSpace, bool useRegex, ByteCharacters bytes)
        : m_addPrefixSpace(addPrefixSpace), m_useRegex(useRegex), m_bytes(bytes) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        std::string spaced;
        Piece whole = piece;
        if (m_addPrefixSpace && !piece.text.starts_with(' ')) {
            spaced.append(" ").append(piece.text);
            whole.text = spaced;
        }
        if (m_bytes == ByteCharacters::LeftToModel)
            return splitWords(whole, sink);
        std::string written;
        return splitWords(whole, [&](const Piece& word) {
            written.clear();
            for (const char c : word.text)
                unicode::append(written, byteCharacter(static_cast<unsigned char>(c)));
            return sink({written, word.first});
        });
    }
    AtSpace atSpace() const override {
        // A space that has become a U+2581 would have another put before it.
        return m_addPrefixSpace ? AtSpace::Unknown : m_useRegex ? AtSpace::Splits : AtSpace::Keeps;
    }
    std::string description() const override { return m_useRegex ? "like GPT-2's" : ""; }

  private:
    bool splitWords(const Piece& piece, const PieceSink& sink) const {
        return m_useRegex ? splitByScanner(m_scanner, piece, sink) : sink(piece);
    }

    bool m_addPrefixSpace;
    bool m_useRegex;
    ByteCharacters m_bytes;
    WordScanner m_scanner = *WordScanner::forPattern(WordScanner::gpt2);
};

class SplitByScanner : public PreTokenizer {
  public:
    SplitByScanner(WordScanner scanner, std::string description)
        : m_scanner(scanner), m_description(std::move(description)) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        return splitByScanner(m_scanner, piece, sink);
    }
    AtSpace atSpace() const override { return AtSpace::Splits; }
    std::string description() const override { return m_description; }

  private:
    WordScanner m_scanner;
    std::string m_description;
};

class SplitByRegex : public PreTokenizer {
  public:
    SplitByRegex(const std::string& pattern, Behaviour behaviour, bool invert)
        : m_regex(pattern), m_behaviour(behaviour), m_invert(invert) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        Regex::Matches matches(m_regex, piece.text);
        return splitByMatches(piece, m_behaviour, m_invert, sink,
                              [&](std::size_t) { return matches.next(); });
    }
    AtSpace atSpace() const override { return AtSpace::Unknown; }
    std::string description() const override { return "by a pattern of its own"; }

  private:
    Regex m_regex;
    Behaviour m_behaviour;
    bool m_invert;
};

class SplitByString : public PreTokenizer {
  public:
    SplitByString(std::string pattern, Behaviour behaviour, bool invert)
        : m_pattern(std::move(pattern)), m_behaviour(behaviour), m_invert(invert) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        const auto next = [&](std::size_t from) -> std::optional<std::pair<std::size_t, std::size_t>> {
            const std::size_t start = piece.text.find(m_pattern, from);
            if (start == std::string_view::npos)
                return std::nullopt;
            return std::pair(start, start + m_pattern.size());
        };
        return splitByMatches(piece, m_behaviour, m_invert, sink, next);
    }
    AtSpace atSpace() const override { return AtSpace::Unknown; }
    std::string description() const override { return "at \"" + m_pattern + '"'; }

  private:
    std::string m_pattern;  // not empty
    Behaviour m_behaviour;
    bool m_invert;
};

class Digits : public PreTokenizer {
  public:
    explicit Digits(bool single) : m_single(single) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        return splitByCharacter(piece, m_single ? Behaviour::Isolated : Behaviour::Contiguous, sink,
                                unicode::isNumeric);
    }
    AtSpace atSpace() const override { return AtSpace::Keeps; }
    std::string description() const override {
        return m_single ? "with single digits" : "with numbers apart";
    }

  private:
    bool m_single;
};

class Punctuation : public PreTokenizer {
  public:
    explicit Punctuation(Behaviour behaviour) : m_behaviour(behaviour) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        return splitByCharacter(piece, m_behaviour, sink, unicode::isPunctuation);
    }
    AtSpace atSpace() const override { return AtSpace::Keeps; }
    std::string description() const override { return "at punctuation"; }

  private:
    Behaviour m_behaviour;
};

// \w+|[^\w\s]+
class Whitespace : public PreTokenizer {
  public:
    bool split(const Piece& piece, const PieceSink& sink) const override {
        const auto kind = [&](std::size_t i) {
            const auto [point, size] = unicode::decode(piece.text, i);
            return std::pair(unicode::isWord(point) ? 2 : unicode::isSpace(point) ? 0 : 1, size);
        };
        for (std::size_t start = 0; start < piece.text.size();) {
            const auto [first, size] = kind(start);
            std::size_t end = start + size;
            while (end < piece.text.size()) {
                const auto [next, nextSize] = kind(end);
                if (next != first)
                    break;
                end += nextSize;
            }
            if (first != 0 && !sink({piece.text.substr(start, end - start), piece.first && start == 0}))
                return false;
            start = end;
        }
        return true;
    }
    AtSpace atSpace() const override { return AtSpace::Splits; }
    std::string description() const override { return "into words and punctuation"; }
};

class WhitespaceSplit : public PreTokenizer {
  public:
    bool split(const Piece& piece, const PieceSink& sink) const override {
        return splitByCharacter(piece, Behaviour::Removed, sink, unicode::isSpace);
    }
    AtSpace atSpace() const override { return AtSpace::SplitsSpace; }
    std::string description() const override { return "at white space"; }
};

// So many characters a piece.
class FixedLength : public PreTokenizer {
  public:
    explicit FixedLength(std::uint64_t length) : m_length(length) {}

    bool split(const Piece& piece, const PieceSink& sink) const override {
        for (std::size_t start = 0; start < piece.text.size();) {
            std::size_t end = start;
            for (std::uint64_t i = 0; i < m_length && end < piece.text.size(); ++i)
                end += unicode::decode(piece.text, end).size;
            if (!sink({piece.text.substr(start, end - start), piece.first && start == 0}))
                return false;
            start = end;
        }
        return true;
    }
    AtSpace atSpace() const override { return AtSpace::Unknown; }
    std::string description() const override { return "every " + std::to_string(m_length) + " characters"; }

  private:
    std::uint64_t m_length;
};

class Metaspace : public PreTokenizer {
  public:
    enum class Prepend { First, Never, Always };

    Metaspace(char32_t replacement, Prepend prepend, bool split)
        : m_prepend(prepend), m_split(split), m_point(replacement) {
        unicode::append(m_replacement, replacement);
    }

    bool split(const Piece& piece, const PieceSink& sink) const override {
        std::string text;
        text.reserve(piece.text.size() + piece.text.size() / 2);
        for (const char c : piece.text)
            c == ' ' ? text += m_replacement : text += c;
        const bool wanted = m_prepend == Prepend::Always || (m_prepend == Prepend::First && piece.first);
        if (wanted && !text.starts_with(m_replacement))
            text.insert(0, m_replacement);
        const Piece replaced{text, piece.first};
        if (!m_split)
            return sink(replaced);
        return splitByCharacter(replaced, Behaviour::MergedWithNext, sink,
                                [&](char32_t point) { return point == m_point; });
    }
    AtSpace atSpace() const override {
        return m_point != 0x2581 ? AtSpace::Unknown : m_split ? AtSpace::Splits : AtSpace::Keeps;
    }
    std::string description() const override { return m_split ? "at spaces" : ""; }

  private:
    Prepend m_prepend;
    bool m_split;
    char32_t m_point;
    std::string m_replacement;
};

class PreTokenizerSequence : public PreTokenizer {
  public:
    explicit PreTokenizerSequence(std::vector<std::unique_ptr<PreTokenizer>> steps)
        : m_steps(std::move(steps)) {}

    bool split(const Piece& piece, const PieceSink& sink) const override { return splitFrom(0, piece, sink); }
    AtSpace atSpace() const override {
        auto result = AtSpace::Keeps;
        for (const auto& step : m_steps) {
            if (step->atSpace() == AtSpace::Unknown)
                return AtSpace::Unknown;
            result = std::max(result, step->atSpace());
        }
        return result;
    }
    std::string description() const override {
        std::string result;
        for (const auto& step : std::views::reverse(m_steps))  // the last one says most
            if (const auto text = step->description(); !text.empty())
                result += (result.empty() ? "" : ", ") + text;
        return result;
    }

  private:
    bool splitFrom(std::size_t step, const Piece& piece, const PieceSink& sink) const {
        if (step == m_steps.size())
            return sink(piece);
        if (step + 1 == m_steps.size())
            return m_steps[step]->split(piece, sink);
        return m_steps[step]->split(piece,
                                    [&](const Piece& part) { return splitFrom(step + 1, part, sink); });
    }

    std::vector<std::unique_ptr<PreTokenizer>> m_steps;
};

Behaviour behaviourOf(const JsonPart& part) {
    static const std::map<std::string, Behaviour, std::less<>> names{
        {"Removed", Behaviour::Removed},
        {"Isolated", Behaviour::Isolated},
        {"MergedWithPrevious", Behaviour::MergedWithPrevious},
        {"MergedWithNext", Behaviour::MergedWithNext},
        {"Contiguous", Behaviour::Contiguous},
    };
    const std::string name = part.string("behavior");
    const auto found = names.find(name);
    if (found == names.end())
        part.fail("behaviour of a split is not known", namesOf(names), name);
    return found->second;
}

std::unique_ptr<PreTokenizer> makeSplit(const JsonPart& part) {
    const JsonPart pattern = part.part("pattern");
    const Behaviour behaviour = behaviourOf(part);
    const bool invert = part.boolean("invert");
    if (pattern.has("String")) {
        const std::string literal = pattern.string("String");
        if (literal.empty())
            part.fail("pre-tokenizer Split has an empty pattern");
        return std::make_unique<SplitByString>(literal, behaviour, invert);
    }
    const std::string regex = pattern.string("Regex");
    const auto scanner = WordScanner::forPattern(regex);
    if (!scanner || behaviour != Behaviour::Isolated || invert)
        return std::make_unique<SplitByRegex>(regex, behaviour, invert);
    return std::make_unique<SplitByScanner>(*scanner, regex == WordScanner::gpt2     ? "like GPT-2's"
                                                      : regex == WordScanner::llama3 ? "like Llama 3's"
                                                                                     : "like Qwen2's");
}

// One character, as a string.
std::string characterOf(const JsonPart& part, const char* key) {
    const std::string text = part.string(key);
    if (text.empty() || unicode::decode(text, 0).size != text.size())
        part.fail(std::string("tokenizer part is malformed: \"") + key + '"', "one character", text);
    return text;
}

std::unique_ptr<PreTokenizer> makeMetaspace(const JsonPart& part) {
    const std::string replacement = characterOf(part, "replacement");
    const std::string scheme = part.optionalString("prepend_scheme").value_or("always");
    auto prepend = scheme == "first"   ? Metaspace::Prepend::First
                   : scheme == "never" ? Metaspace::Prepend::Never
                                       : Metaspace::Prepend::Always;
    if (scheme != "always" && scheme != "first" && scheme != "never")
        part.fail("prepend_scheme of Metaspace is not known", "first, never, always", scheme);
    if (!part.boolean("add_prefix_space", true)) {
        if (part.has("prepend_scheme") && prepend != Metaspace::Prepend::Never)
            part.fail("add_prefix_space does not match prepend_scheme", "never", scheme);
        prepend = Metaspace::Prepend::Never;
    }
    return std::make_unique<Metaspace>(unicode::decode(replacement, 0).point, prepend,
                                       part.boolean("split", true));
}

std::unique_ptr<PreTokenizer> makeBert() {
    std::vector<std::unique_ptr<PreTokenizer>> steps;
    steps.push_back(std::make_unique<WhitespaceSplit>());
    steps.push_back(std::make_unique<Punctuation>(Behaviour::Isolated));
    return std::make_unique<PreTokenizerSequence>(std::move(steps));
}

std::unique_ptr<PreTokenizer> makeFixedLength(const JsonPart& part) {
    const auto length = part.has("length") ? part.id("length") : 5;
    if (length == 0)
        part.fail("pre-tokenizer FixedLength has no length");
    return std::make_unique<FixedLength>(static_cast<std::uint64_t>(length));
}

std::unique_ptr<PreTokenizer> makeByteLevel(const JsonPart& part, ByteCharacters bytes) {
    return std::make_unique<ByteLevel>(part.boolean("add_prefix_space"), part.boolean("use_regex", true),
                                       bytes);
}

std::unique_ptr<PreTokenizer> makeSequence(const JsonPart& part, ByteCharacters bytes) {
    std::vector<std::unique_ptr<PreTokenizer>> steps;
    for (const auto& step : part.parts("pretokenizers"))
        steps.push_back(makePreTokenizer(step, bytes));
    return std::make_unique<PreTokenizerSequence>(std::move(steps));
}

using Maker = std::unique_ptr<PreTokenizer> (*)(const JsonPart&, ByteCharacters);

template <typename Type>
std::unique_ptr<PreTokenizer> makePlain(const JsonPart&, ByteCharacters) {
    return std::make_unique<Type>();
}

// A further pre-tokenizer is a class above and a line here.
const std::map<std::string, Maker, std::less<>>& makers() {
    static const std::map<std::string, Maker, std::less<>> table{
        {"Sequence", makeSequence},
        {"ByteLevel", makeByteLevel},
        {"Split", [](const JsonPart& part, ByteCharacters) { return makeSplit(part); }},
        {"Metaspace", [](const JsonPart& part, ByteCharacters) { return makeMetaspace(part); }},
        {"BertPreTokenizer", [](const JsonPart&, ByteCharacters) { return makeBert(); }},
        {"CharDelimiterSplit",
         [](const JsonPart& part, ByteCharacters) -> std::unique_ptr<PreTokenizer> {
             return std::make_unique<SplitByString>(characterOf(part, "delimiter"), Behaviour::Removed,
                                                    false);
         }},
        {"FixedLength", [](const JsonPart& part, ByteCharacters) { return makeFixedLength(part); }},
        {"Whitespace", makePlain<Whitespace>},
        {"WhitespaceSplit", makePlain<WhitespaceSplit>},
        {"Digits",
         [](const JsonPart& part, ByteCharacters) -> std::unique_ptr<PreTokenizer> {
             return std::make_unique<Digits>(part.boolean("individual_digits"));
         }},
        {"Punctuation",
         [](const JsonPart& part, ByteCharacters) -> std::unique_ptr<PreTokenizer> {
             return std::make_unique<Punctuation>(part.has("behavior") ? behaviourOf(part)
                                                                       : Behaviour::Isolated);
         }},
    };
    return table;
}

int countByteLevel(const JsonPart& part) {
    if (part.type() != "Sequence")
        return part.type() == "ByteLevel" ? 1 : 0;
    int count = 0;
    for (const auto& step : part.parts("pretokenizers"))
        count += countByteLevel(step);
    return count;
}

bool lastIsByteLevel(const JsonPart& part) {
    if (part.type() != "Sequence")
        return part.type() == "ByteLevel";
    const auto steps = part.parts("pretokenizers");
    return !steps.empty() && lastIsByteLevel(steps.back());
}

}  // namespace

std::unique_ptr<PreTokenizer> makePreTokenizer(const JsonPart& part, ByteCharacters bytes) {
    const auto maker = makers().find(part.type());
    if (maker == makers().end())
        part.failUnknownType("pre-tokenizer", namesOf(makers()));
    return maker->second(part, bytes);
}

bool endsInByteLevel(const JsonPart& part) {
    return countByteLevel(part) == 1 && lastIsByteLevel(part);
}

}  // namespace straightedge::text
