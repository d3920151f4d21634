// SPDX-License-Identifier: GPL-3.0-or-later
#include "post_processor.h"

#include <map>
#include <string>

namespace straightedge::text {

namespace {

PostProcessor makeTemplate(const JsonPart& part) {
    PostProcessor result;
    const JsonPart specials = part.part("special_tokens");
    bool textSeen = false;
    for (const auto& piece : part.parts("single")) {
        if (piece.has("Sequence")) {
            if (textSeen || piece.part("Sequence").string("id") != "A")
                part.fail("post-processor TemplateProcessing does not use the text once");
            textSeen = true;
            continue;
        }
        const std::string name = piece.part("SpecialToken").string("id");
        const auto special = specials.part(name.c_str());
        for (const auto& value : special.value("ids")) {
            const auto id = asTokenId(value);
            if (!id)
                special.fail("special token has no id", "token ids", value.dump());
            (textSeen ? result.after : result.before).push_back(*id);
        }
    }
    if (!textSeen)
        part.fail("post-processor TemplateProcessing does not use the text");
    return result;
}

PostProcessor makeSequence(const JsonPart& part) {
    PostProcessor result;
    for (const auto& step : part.parts("processors")) {
        const auto [before, after] = makePostProcessor(step);
        result.before.insert(result.before.begin(), before.begin(), before.end());
        result.after.insert(result.after.end(), after.begin(), after.end());
    }
    return result;
}

// BertProcessing and RobertaProcessing: "cls" and "sep" are [token, id].
PostProcessor makeClsSep(const JsonPart& part) {
    const auto idOf = [&](const char* key) {
        const auto& pair = part.value(key);
        const auto id = pair.is_array() && pair.size() == 2 ? asTokenId(pair[1]) : std::nullopt;
        if (!id)
            part.fail(std::string("tokenizer part is malformed: \"") + key + '"', "a token and its id",
                      pair.dump());
        return *id;
    };
    return {.before = {idOf("cls")}, .after = {idOf("sep")}};
}

using Maker = PostProcessor (*)(const JsonPart&);

const std::map<std::string, Maker, std::less<>>& makers() {
    static const std::map<std::string, Maker, std::less<>> table{
        {"TemplateProcessing", makeTemplate},
        {"Sequence", makeSequence},
        {"BertProcessing", makeClsSep},
        {"RobertaProcessing", makeClsSep},
        {"ByteLevel", [](const JsonPart&) { return PostProcessor{}; }},  // changes offsets only
    };
    return table;
}

}  // namespace

PostProcessor makePostProcessor(const JsonPart& part) {
    const auto maker = makers().find(part.type());
    if (maker == makers().end())
        part.failUnknownType("post-processor", namesOf(makers()));
    return maker->second(part);
}

}  // namespace straightedge::text
