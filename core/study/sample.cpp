// SPDX-License-Identifier: GPL-3.0-or-later
#include "sample.h"

#include "study/store/data_folder.h"

namespace straightedge::study {

std::filesystem::path sampleFolder() {
    return dataFolder("STRAIGHTEDGE_SAMPLE", "sample");
}

std::optional<Sample> findSample() {
    const std::filesystem::path folder = sampleFolder();
    const Sample sample{folder / "SmolLM2-135M-Instruct.Q4_1.gguf", folder / "shakespeare.txt",
                        folder / "milton.txt"};
    std::error_code ignored;
    for (const auto& file : {sample.model, sample.corpus, sample.secondCorpus})
        if (!std::filesystem::is_regular_file(file, ignored))
            return std::nullopt;
    return sample;
}

}  // namespace straightedge::study
