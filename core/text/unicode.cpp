// SPDX-License-Identifier: GPL-3.0-or-later
#include "unicode.h"

#include <oniguruma.h>

#include <QChar>
#include <QString>
#include <QTextBoundaryFinder>
#include <algorithm>
#include <array>
#include <iterator>

namespace straightedge::text::unicode {

namespace {

struct Substitute {
    char32_t first = 0;
    char32_t last = 0;
    char32_t known = 0;
};

// What Unicode 15, 15.1 and 16 added, by general category (ideographs for ideographs).
// tests/data/make_tokenizer_oracles.py asks the package about every code point, and tst_tokenizer compares.
constexpr auto newer = std::to_array<Substitute>({
    {0x897, 0x897, 0x1DC0},      {0xCF3, 0xCF3, 0x903},       {0xECE, 0xECE, 0x1DC0},
    {0x1B4E, 0x1B4F, 0xE4F},     {0x1B7F, 0x1B7F, 0xE4F},     {0x1C89, 0x1C89, 0x1E00},
    {0x1C8A, 0x1C8A, 0x1E01},    {0x2427, 0x2429, 0x2400},    {0x2FFC, 0x2FFF, 0x2400},
    {0x31E4, 0x31E5, 0x2400},    {0x31EF, 0x31EF, 0x2400},    {0xA7CB, 0xA7CC, 0x1E00},
    {0xA7CD, 0xA7CD, 0x1E01},    {0xA7DA, 0xA7DA, 0x1E00},    {0xA7DB, 0xA7DB, 0x1E01},
    {0xA7DC, 0xA7DC, 0x1E00},    {0x105C0, 0x105F3, 0x10450}, {0x10D40, 0x10D49, 0x104A0},
    {0x10D4A, 0x10D4D, 0x10450}, {0x10D4E, 0x10D4E, 0x16B40}, {0x10D4F, 0x10D4F, 0x10450},
    {0x10D50, 0x10D65, 0x10400}, {0x10D69, 0x10D6D, 0x1D167}, {0x10D6E, 0x10D6E, 0x10EAD},
    {0x10D6F, 0x10D6F, 0x16B40}, {0x10D70, 0x10D85, 0x10428}, {0x10D8E, 0x10D8F, 0x1D6C1},
    {0x10EC2, 0x10EC4, 0x10450}, {0x10EFC, 0x10EFF, 0x1D167}, {0x1123F, 0x11240, 0x10450},
    {0x11241, 0x11241, 0x1D167}, {0x11380, 0x11389, 0x10450}, {0x1138B, 0x1138B, 0x10450},
    {0x1138E, 0x1138E, 0x10450}, {0x11390, 0x113B5, 0x10450}, {0x113B7, 0x113B7, 0x10450},
    {0x113B8, 0x113BA, 0x1D165}, {0x113BB, 0x113C0, 0x1D167}, {0x113C2, 0x113C2, 0x1D165},
    {0x113C5, 0x113C5, 0x1D165}, {0x113C7, 0x113CA, 0x1D165}, {0x113CC, 0x113CD, 0x1D165},
    {0x113CE, 0x113CE, 0x1D167}, {0x113CF, 0x113CF, 0x1D165}, {0x113D0, 0x113D0, 0x1D167},
    {0x113D1, 0x113D1, 0x10450}, {0x113D2, 0x113D2, 0x1D167}, {0x113D3, 0x113D3, 0x10450},
    {0x113D4, 0x113D5, 0x10100}, {0x113D7, 0x113D8, 0x10100}, {0x113E1, 0x113E2, 0x1D167},
    {0x116D0, 0x116E3, 0x104A0}, {0x11B00, 0x11B09, 0x10100}, {0x11BC0, 0x11BE0, 0x10450},
    {0x11BE1, 0x11BE1, 0x10100}, {0x11BF0, 0x11BF9, 0x104A0}, {0x11F00, 0x11F01, 0x1D167},
    {0x11F02, 0x11F02, 0x10450}, {0x11F03, 0x11F03, 0x1D165}, {0x11F04, 0x11F10, 0x10450},
    {0x11F12, 0x11F33, 0x10450}, {0x11F34, 0x11F35, 0x1D165}, {0x11F36, 0x11F3A, 0x1D167},
    {0x11F3E, 0x11F3F, 0x1D165}, {0x11F40, 0x11F40, 0x1D167}, {0x11F41, 0x11F41, 0x1D165},
    {0x11F42, 0x11F42, 0x1D167}, {0x11F43, 0x11F4F, 0x10100}, {0x11F50, 0x11F59, 0x104A0},
    {0x11F5A, 0x11F5A, 0x1D167}, {0x1342F, 0x1342F, 0x10450}, {0x13440, 0x13440, 0x1D167},
    {0x13441, 0x13446, 0x10450}, {0x13447, 0x13455, 0x1D167}, {0x13460, 0x143FA, 0x10450},
    {0x16100, 0x1611D, 0x10450}, {0x1611E, 0x16129, 0x1D167}, {0x1612A, 0x1612C, 0x1D165},
    {0x1612D, 0x1612F, 0x1D167}, {0x16130, 0x16139, 0x104A0}, {0x16D40, 0x16D42, 0x16B40},
    {0x16D43, 0x16D6A, 0x10450}, {0x16D6B, 0x16D6C, 0x16B40}, {0x16D6D, 0x16D6F, 0x10100},
    {0x16D70, 0x16D79, 0x104A0}, {0x18CFF, 0x18CFF, 0x10450}, {0x1B132, 0x1B132, 0x10450},
    {0x1B155, 0x1B155, 0x10450}, {0x1CC00, 0x1CCEF, 0x1F300}, {0x1CCF0, 0x1CCF9, 0x104A0},
    {0x1CD00, 0x1CEB3, 0x1F300}, {0x1D2C0, 0x1D2D3, 0x10107}, {0x1DF25, 0x1DF2A, 0x10428},
    {0x1E030, 0x1E06D, 0x16B40}, {0x1E08F, 0x1E08F, 0x1D167}, {0x1E4D0, 0x1E4EA, 0x10450},
    {0x1E4EB, 0x1E4EB, 0x16B40}, {0x1E4EC, 0x1E4EF, 0x1D167}, {0x1E4F0, 0x1E4F9, 0x104A0},
    {0x1E5D0, 0x1E5ED, 0x10450}, {0x1E5EE, 0x1E5EF, 0x1D167}, {0x1E5F0, 0x1E5F0, 0x10450},
    {0x1E5F1, 0x1E5FA, 0x104A0}, {0x1E5FF, 0x1E5FF, 0x10100}, {0x1F6DC, 0x1F6DC, 0x1F300},
    {0x1F774, 0x1F776, 0x1F300}, {0x1F77B, 0x1F77F, 0x1F300}, {0x1F7D9, 0x1F7D9, 0x1F300},
    {0x1F8B2, 0x1F8BB, 0x1F300}, {0x1F8C0, 0x1F8C1, 0x1F300}, {0x1FA75, 0x1FA77, 0x1F300},
    {0x1FA87, 0x1FA89, 0x1F300}, {0x1FA8F, 0x1FA8F, 0x1F300}, {0x1FAAD, 0x1FAAF, 0x1F300},
    {0x1FABB, 0x1FABF, 0x1F300}, {0x1FAC6, 0x1FAC6, 0x1F300}, {0x1FACE, 0x1FACF, 0x1F300},
    {0x1FADA, 0x1FADC, 0x1F300}, {0x1FADF, 0x1FADF, 0x1F300}, {0x1FAE8, 0x1FAE9, 0x1F300},
    {0x1FAF7, 0x1FAF8, 0x1F300}, {0x1FBCB, 0x1FBEF, 0x1F300}, {0x2B739, 0x2B739, 0x20000},
    {0x2EBF0, 0x2EE5D, 0x20000}, {0x31350, 0x323AF, 0x20000},
});

template <typename Range, std::size_t size>
const Range* rangeOf(const std::array<Range, size>& ranges, char32_t point) {
    const auto after = std::ranges::upper_bound(ranges, point, {}, &Range::first);
    return after != ranges.begin() && point <= std::prev(after)->last ? &*std::prev(after) : nullptr;
}

// Capitals whose small letters Qt 6.4 does not know.
struct Capitals {
    char32_t first = 0;
    char32_t last = 0;
    std::int32_t distance = 0;
};

constexpr auto newerCapitals = std::to_array<Capitals>({
    {0x1C89, 0x1C89, 1},
    {0xA7CB, 0xA7CB, 0x264 - 0xA7CB},
    {0xA7CC, 0xA7CC, 1},
    {0xA7CE, 0xA7CE, 1},
    {0xA7D2, 0xA7D2, 1},
    {0xA7D4, 0xA7D4, 1},
    {0xA7DA, 0xA7DA, 1},
    {0xA7DC, 0xA7DC, 0x19B - 0xA7DC},
    {0x10D50, 0x10D65, 0x20},
    {0x16EA0, 0x16EB8, 0x1B},
});

bool knownTo(QChar::UnicodeVersion version, char32_t point) {
    const auto since = QChar::unicodeVersion(point);
    return since != QChar::Unicode_Unassigned && since <= version;
}

// By hand, because Qt's own conversions take a byte-order mark away.
QString toUtf16(std::string_view text) {
    QString result;
    result.reserve(static_cast<qsizetype>(text.size()));
    for (std::size_t i = 0; i < text.size();) {
        const auto [point, size] = decode(text, i);
        if (QChar::requiresSurrogates(point)) {
            result += QChar(QChar::highSurrogate(point));
            result += QChar(QChar::lowSurrogate(point));
        } else {
            result += QChar(static_cast<char16_t>(point));
        }
        i += size;
    }
    return result;
}

std::string toUtf8(const QString& text) {
    std::string result;
    result.reserve(static_cast<std::size_t>(text.size()));
    for (qsizetype i = 0; i < text.size(); ++i) {
        char32_t point = text[i].unicode();
        if (text[i].isHighSurrogate() && i + 1 < text.size())
            point = QChar::surrogateToUcs4(text[i], text[i + 1]), ++i;
        append(result, point);
    }
    return result;
}

bool isAscii(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<signed char>(c) >= 0; });
}

}  // namespace

bool isValid(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    for (std::size_t i = 0; i < text.size();) {
        const unsigned lead = byte(i);
        if (lead < 0x80) {
            ++i;
            continue;
        }
        const std::size_t size = lead < 0xC2 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : lead < 0xF5 ? 4 : 0;
        if (size == 0)
            return false;
        for (std::size_t k = 1; k < size; ++k)
            if ((byte(i + k) & 0xC0) != 0x80)
                return false;
        const char32_t point = decode(text, i).point;
        if ((size == 3 && point < 0x800) || (size == 4 && (point < 0x10000 || point > 0x10FFFF)) ||
            (point >= 0xD800 && point < 0xE000))
            return false;
        i += size;
    }
    return true;
}

void append(std::string& text, char32_t point) {
    const auto put = [&](char32_t byte) { text += static_cast<char>(byte); };
    const auto tail = [&](int shift) { put(0x80 | (point >> shift & 0x3F)); };
    if (point < 0x80) {
        put(point);
    } else if (point < 0x800) {
        put(0xC0 | point >> 6);
        tail(0);
    } else if (point < 0x10000) {
        put(0xE0 | point >> 12);
        tail(6);
        tail(0);
    } else {
        put(0xF0 | point >> 18);
        tail(12);
        tail(6);
        tail(0);
    }
}

bool isLetter(char32_t point) {
    return QChar::isLetter(asKnown(point));
}

bool isNumber(char32_t point) {
    return QChar::isNumber(asKnown(point));
}

bool isNumeric(char32_t point) {
    // Rust's Unicode is 17.
    return isNumber(point) || (point >= 0x11DE0 && point <= 0x11DE9) ||
           (point >= 0x16FF4 && point <= 0x16FF6);
}

bool isSpace(char32_t point) {
    return QChar::isSpace(point);
}

bool isWord(char32_t point) {
    if (point == 0x200C || point == 0x200D)  // joiners
        return true;
    const bool superscriptOrFraction =
        point == 0xB2 || point == 0xB3 || point == 0xB9 || (point >= 0xBC && point <= 0xBE);
    return !superscriptOrFraction && ONIGENC_IS_CODE_WORD(ONIG_ENCODING_UTF8, asKnown(point));
}

bool isPunctuation(char32_t point) {
    if (point < 0x80)
        return point > ' ' && point < 0x7F && !QChar::isLetterOrNumber(point);
    return (QChar::isPunct(point) && knownTo(QChar::Unicode_8_0, point)) || point == 0x166D ||
           point == 0x111C9;
}

bool isMark(char32_t point) {
    if (point == 0x1CF2 || point == 0x1CF3 || point == 0x111C9)  // later versions changed their minds
        return point != 0x111C9;
    return QChar::isMark(point) && knownTo(QChar::Unicode_9_0, point);
}

bool isNonspacing(char32_t point) {
    constexpr std::u32string_view others = U"\u0C04\u1885\u1886\uA9BD\U000111C9";
    if (point == 0x1734 || others.find(point) != others.npos)  // later versions changed their minds
        return point == 0x1734;
    return QChar::category(point) == QChar::Mark_NonSpacing && knownTo(QChar::Unicode_8_0, point);
}

bool isOther(char32_t point) {
    const auto category = QChar::category(point);
    return category == QChar::Other_Control || category == QChar::Other_PrivateUse ||
           (category == QChar::Other_Format && knownTo(QChar::Unicode_8_0, point));
}

char32_t asKnown(char32_t point) {
    if (point < newer.front().first)
        return point;
    const auto* range = rangeOf(newer, point);
    return range ? range->known : point;
}

std::string_view asKnown(std::string_view text, std::string& buffer) {
    std::size_t copied = 0;
    buffer.clear();
    for (std::size_t i = 0; i < text.size();) {
        if (static_cast<unsigned char>(text[i]) < 0xE0) {  // one or two bytes: nothing newer
            ++i;
            continue;
        }
        const auto [point, size] = decode(text, i);
        if (const char32_t known = asKnown(point); known != point) {
            buffer.append(text, copied, i - copied);
            append(buffer, known);
            copied = i + size;
        }
        i += size;
    }
    if (copied == 0)
        return text;
    return buffer.append(text, copied);
}

std::string normalized(std::string_view text, Form form) {
    if (isAscii(text))
        return std::string(text);
    constexpr std::array forms = {QString::NormalizationForm_C, QString::NormalizationForm_D,
                                  QString::NormalizationForm_KC, QString::NormalizationForm_KD};
    return toUtf8(toUtf16(text).normalized(forms[static_cast<std::size_t>(form)], QChar::Unicode_9_0));
}

std::vector<std::size_t> graphemeEnds(std::string_view text) {
    std::string buffer;
    const QString utf16 = toUtf16(asKnown(text, buffer));  // no code point changes its length
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, utf16);
    std::vector<std::size_t> ends;
    std::size_t at = 0;
    qsizetype units = 0;
    for (qsizetype end = finder.toNextBoundary(); end > 0; end = finder.toNextBoundary()) {
        while (units < end) {
            const auto [point, size] = decode(text, at);
            units += QChar::requiresSurrogates(point) ? 2 : 1;
            at += size;
        }
        ends.push_back(at);
    }
    return ends;
}

std::string lowercased(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t i = 0; i < text.size();) {
        const auto [point, size] = decode(text, i);
        i += size;
        if (point == 0x130)  // the one capital that becomes two code points
            result += "i\u0307";
        else if (const auto* capitals = rangeOf(newerCapitals, point))
            append(result, static_cast<char32_t>(static_cast<std::int32_t>(point) + capitals->distance));
        else
            append(result, QChar::toLower(point));
    }
    return result;
}

}  // namespace straightedge::text::unicode
