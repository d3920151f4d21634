// SPDX-License-Identifier: GPL-3.0-or-later
#include "bert_normalizer.h"

#include <utility>

#include "unicode.h"

namespace straightedge::text {

namespace {

// The package's table, a slip (0x2B920, where Unicode's block begins at 0x2B820) included.
bool isChinese(char32_t point) {
    constexpr std::pair<char32_t, char32_t> ranges[] = {
        {0x4E00, 0x9FFF},   {0x3400, 0x4DBF},   {0x20000, 0x2A6DF}, {0x2A700, 0x2B73F},
        {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0xF900, 0xFAFF},   {0x2F800, 0x2FA1F}};
    for (const auto& [first, last] : ranges)
        if (point >= first && point <= last)
            return true;
    return false;
}

class BertNormalizer : public Normalizer {
  public:
    struct Steps {
        bool clean, chinese, accents, lowercase;
    };
    explicit BertNormalizer(Steps steps) : m_steps(steps) {}

    void apply(Stretch& stretch) const override {
        if (m_steps.clean || m_steps.chinese)
            cleanUp(stretch);
        if (m_steps.accents)
            dropAccents(stretch);
        if (m_steps.lowercase)
            stretch.text = unicode::lowercased(stretch.text);
    }
    bool local() const override { return true; }
    std::string description() const override {
        return m_steps.lowercase ? "lower case" : m_steps.accents ? "without accents" : "";
    }

  private:
    void cleanUp(Stretch& stretch) const {
        std::string result;
        result.reserve(stretch.text.size());
        for (std::size_t i = 0; i < stretch.text.size();) {
            const auto [point, size] = unicode::decode(stretch.text, i);
            const bool whiteControl = point == '\t' || point == '\n' || point == '\r';
            if (m_steps.clean && !whiteControl && (point == 0xFFFD || unicode::isOther(point))) {
                if (i == 0)
                    stretch.first = false;
            } else if (m_steps.clean && unicode::isSpace(point)) {
                result += ' ';
            } else if (m_steps.chinese && isChinese(point)) {
                result.append(" ").append(stretch.text, i, size).append(" ");
            } else {
                result.append(stretch.text, i, size);
            }
            i += size;
        }
        stretch.text = std::move(result);
    }

    static void dropAccents(Stretch& stretch) {
        const std::string decomposed = unicode::normalized(stretch.text, unicode::Form::D);
        stretch.text.clear();
        for (std::size_t i = 0; i < decomposed.size();) {
            const auto [point, size] = unicode::decode(decomposed, i);
            if (!unicode::isNonspacing(point))
                stretch.text.append(decomposed, i, size);
            else if (i == 0)
                stretch.first = false;
            i += size;
        }
    }

    Steps m_steps;
};

}  // namespace

std::unique_ptr<Normalizer> makeBertNormalizer(const JsonPart& part) {
    const bool lowercase = part.boolean("lowercase");
    return std::make_unique<BertNormalizer>(
        BertNormalizer::Steps{.clean = part.boolean("clean_text"),
                              .chinese = part.boolean("handle_chinese_chars"),
                              .accents = part.boolean("strip_accents", lowercase),
                              .lowercase = lowercase});
}

}  // namespace straightedge::text
