// SPDX-License-Identifier: GPL-3.0-or-later
#include "find_text.h"

#include "error.h"
#include "hub/known_texts.h"
#include "study/sample.h"
#include "study/store/data_folder.h"

namespace straightedge::study {

std::filesystem::path textFolder() {
    return dataFolder("STRAIGHTEDGE_TEXTS", "texts");
}

std::filesystem::path resolveText(const std::string& text) {
    std::error_code ignored;
    if (std::filesystem::exists(text, ignored))
        return text;
    if (const hub::KnownText* known = hub::knownText(text)) {
        const std::filesystem::path file = hub::fileOf(*known, textFolder());
        if (!std::filesystem::exists(file, ignored))
            throw Error({.what = "the text " + known->name + " is not here",
                         .where = file.string(),
                         .advice = "straightedge fetch corpus:" + known->name + " brings it"});
        return file;
    }
    if (const auto sample = findSample())
        for (const auto& file : {sample->corpus, sample->secondCorpus})
            if (file.stem() == text)
                return file;
    return text;
}

}  // namespace straightedge::study
