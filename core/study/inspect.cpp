// SPDX-License-Identifier: GPL-3.0-or-later
#include "inspect.h"

#include <map>

#include "error.h"
#include "model/decoder.h"
#include "model_files.h"

namespace straightedge::study {

namespace {

std::string shapeText(const std::vector<std::int64_t>& shape) {
    std::string text;
    for (const std::int64_t size : shape)
        text += (text.empty() ? "" : " x ") + std::to_string(size);
    return text.empty() ? "scalar" : text;
}

// The type that most of the weights are kept in.
std::string weightType(const checkpoint::Checkpoint& checkpoint) {
    std::map<std::string, std::int64_t> elements;
    for (const auto& tensor : checkpoint.tensors())
        elements[std::string(checkpoint::dtypeName(tensor.dtype))] += tensor.elements();
    std::string most;
    for (const auto& [name, count] : elements)
        if (most.empty() || count > elements[most])
            most = name;
    return most;
}

ModelSummary summaryOf(const std::shared_ptr<const checkpoint::Checkpoint>& files) {
    ModelSummary summary;
    summary.name = modelName(*files);
    summary.location = files->location();
    summary.bytes = files->identity().bytes;
    summary.format =
        (files->format() == checkpoint::Format::Gguf ? "GGUF, " : "Hugging Face, ") + weightType(*files);
    for (const auto& tensor : files->tensors())
        summary.tensors.push_back(
            {tensor.name, std::string(checkpoint::dtypeName(tensor.dtype)), shapeText(tensor.shape)});
    try {
        const model::Decoder decoder(files);
        const model::Architecture& model = decoder.architecture();
        summary.family = model.family->name;
        summary.activation = model.activationName();
        summary.site = decoder.reader().site().text();
        summary.blocks = static_cast<int>(model.blocks);
        summary.width = model.width;
        summary.ffnWidth = model.ffnWidth;
        summary.heads = model.heads;
        summary.kvHeads = model.kvHeads;
        summary.vocabulary = model.vocabulary;
        summary.maxPositions = model.maxPositions;
        summary.ffnParameters = decoder.reader().ffnParameters();
        summary.parameters = decoder.reader().modelParameters();
        summary.notes = model.notes;
        if (const std::string why = decoder.reader().whyNoPredictions(); !why.empty())
            summary.notes.push_back(why + ": it can be measured, without perplexity");
    } catch (const Error& error) {
        summary.problem = error.what();
    }
    return summary;
}

}  // namespace

ModelSummary inspectWeights(const std::filesystem::path& path) {
    return summaryOf(checkpoint::Checkpoint::open(path));
}

ModelSummary inspect(const std::filesystem::path& path) {
    const std::shared_ptr<const checkpoint::Checkpoint> files = checkpoint::Checkpoint::open(path);
    ModelSummary summary = summaryOf(files);
    try {
        summary.tokenizer = tokenizerOf(*files)->description();
    } catch (const Error& error) {
        summary.tokenizer = error.what();
        if (summary.problem.empty())
            summary.problem = error.what();
    }
    return summary;
}

}  // namespace straightedge::study
