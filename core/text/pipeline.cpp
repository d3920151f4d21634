// SPDX-License-Identifier: GPL-3.0-or-later
#include "pipeline.h"

#include <utility>

namespace straightedge::text {

namespace {

bool isAsciiLetter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// The first cut at or after `from`; the end of the text where there is none.
std::size_t cutFrom(std::string_view text, std::size_t from) {
    for (std::size_t i = text.find(' ', from); i < text.size(); i = text.find(' ', i + 1))
        if (i > 0 && i + 1 < text.size() && isAsciiLetter(text[i - 1]) && isAsciiLetter(text[i + 1]))
            return i;
    return text.size();
}

// Whether the space of a cut is still one behind the normalizer, which treats its two sides alone.
bool keepsSpace(const Normalizer* normalizer) {
    Stretch cut{.text = "a a", .first = false, .continued = true};
    if (normalizer)
        normalizer->apply(cut);
    return cut.text.find(' ') != std::string::npos;
}

// 49,152
std::string grouped(std::int64_t number) {
    const std::string digits = std::to_string(number);
    std::string text;
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0)
            text += ',';
        text += digits[i];
    }
    return text;
}

}  // namespace

// What one call of encode() works with.
struct Pipeline::Call {
    std::unique_ptr<Model::Encoder> encoder;
    std::vector<TokenId> ids;
    std::size_t most = 0;
    bool first = true;  // the chunk begins the text; else it follows a cut

    bool wantsMore() const { return ids.size() < most; }
};

Pipeline::Pipeline(Stages stages)
    : m_stages(std::move(stages)), m_added(m_stages.added, m_stages.normalizer.get()) {
    const auto atSpace = m_stages.preTokenizer ? m_stages.preTokenizer->atSpace() : AtSpace::Keeps;
    const bool splits = atSpace == AtSpace::Splits ||
                        (atSpace == AtSpace::SplitsSpace && keepsSpace(m_stages.normalizer.get()));
    m_cuts = m_added.raw().local() && m_added.normalized().local() &&
             (!m_stages.normalizer || m_stages.normalizer->local()) && atSpace != AtSpace::Unknown &&
             (splits || m_stages.model->separatesAtSpace());
}

std::vector<TokenId> Pipeline::encode(std::string_view utf8, std::size_t most) const {
    const auto& [before, after] = m_stages.postProcessor;
    Call call{.encoder = m_stages.model->encoder(), .ids = before, .most = most};
    for (std::size_t start = 0; start < utf8.size() && call.wantsMore(); call.first = false) {
        const bool rest = !m_cuts || utf8.size() - start <= m_chunk;
        const std::size_t end = rest ? utf8.size() : cutFrom(utf8, start + m_chunk);
        encodeChunk(utf8.substr(start, end - start), call);
        start = end;
    }
    if (call.wantsMore())
        call.ids.insert(call.ids.end(), after.begin(), after.end());
    if (call.ids.size() > most)
        call.ids.resize(most);
    return std::move(call.ids);
}

bool Pipeline::encodeChunk(std::string_view chunk, Call& call) const {
    return m_added.raw().split(chunk, [&](std::string_view text, std::optional<TokenId> token) {
        if (token) {
            call.ids.push_back(*token);
            return call.wantsMore();
        }
        const bool begins = text.data() == chunk.data();
        return encodeStretch(
            {.text = std::string(text), .first = begins && call.first, .continued = begins && !call.first},
            call);
    });
}

bool Pipeline::encodeStretch(Stretch stretch, Call& call) const {
    if (m_stages.normalizer)
        m_stages.normalizer->apply(stretch);
    const PieceSink sink = [&](const Piece& piece) {
        call.encoder->append(piece.text, call.ids, call.most);
        return call.wantsMore();
    };
    return m_added.normalized().split(stretch.text, [&](std::string_view text, std::optional<TokenId> token) {
        if (token) {
            call.ids.push_back(*token);
            return call.wantsMore();
        }
        const Piece piece{text, stretch.first && text.data() == stretch.text.data()};
        return m_stages.preTokenizer ? m_stages.preTokenizer->split(piece, sink) : sink(piece);
    });
}

std::string Pipeline::description() const {
    std::string text = m_stages.model->description() + ", " + grouped(m_stages.vocabularySize) + " tokens";
    if (m_stages.preTokenizer)
        if (const auto how = m_stages.preTokenizer->description(); !how.empty())
            text += ", split " + how;
    if (m_stages.normalizer)
        if (const auto how = m_stages.normalizer->description(); !how.empty())
            text += ", " + how;
    return text;
}

}  // namespace straightedge::text
