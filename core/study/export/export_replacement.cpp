// SPDX-License-Identifier: GPL-3.0-or-later
#include "export_replacement.h"

#include <algorithm>
#include <string>

#include "checkpoint/mapped_file.h"
#include "checkpoint/safetensors.h"
#include "checkpoint/safetensors_writer.h"
#include "error.h"
#include "export.h"
#include "number_text.h"
#include "study/store/run_files.h"

namespace straightedge::study {

namespace {

constexpr const char* pythonModule =
    R"(# Puts the replacements beside this file into the Hugging Face model they were fitted on:
#     model = AutoModelForCausalLM.from_pretrained(...); put_in(model)
from pathlib import Path

import torch
from safetensors.torch import load_file


class Replacement(torch.nn.Module):
    def __init__(self, tensors):
        super().__init__()
        for name, tensor in tensors.items():
            self.register_buffer(name, tensor)

    def forward(self, x):
        y = torch.nn.functional.linear(x, self.weight, self.bias)
        if hasattr(self, "direction"):  # a switched fit: massive rows get a constant
            y = torch.where((x @ self.direction > self.threshold)[..., None], self.constant, y)
        return y


def put_in(model, folder=Path(__file__).parent):
    blocks = next(m for m in model.modules() if isinstance(m, torch.nn.ModuleList) and hasattr(m[0], "mlp"))
    for file in Path(folder).glob("block-*.safetensors"):
        blocks[int(file.stem.split("-")[1])].mlp = Replacement(load_file(file))
    return model
)";

std::string cell(std::optional<double> value, int decimals) {
    return value ? fixed(*value, decimals) : "not measured";
}

const ReplacementResult& rowOf(const Run& run, int block, ReplacementKind kind) {
    const auto found = std::ranges::find(run.blocks, block, &BlockResult::block);
    if (found == run.blocks.end())
        throw Error({.what = "block " + std::to_string(block) + " was not measured by this run"});
    const auto row = std::ranges::find(found->replacements, kind, &ReplacementResult::kind);
    if (row == found->replacements.end())
        throw Error({.what = "block " + std::to_string(block) + " has no " + std::string(info(kind).name) +
                             " replacement",
                     .advice = "measure it again with that fit asked for"});
    return *row;
}

std::string readme(const Run& run, std::span<const int> blocks, ReplacementKind kind) {
    const RunHeader& header = run.header;
    std::string text =
        "# FFN replacements for " + header.model + "\n\n" + std::string(info(kind).explanation) +
        "\nFitted by Straightedge " + header.programVersion + " on " + std::to_string(header.rowsTrain) +
        " rows of " + header.corpus + ", windows of " + std::to_string(header.settings.seqLen) +
        " tokens.\n\nSite: " + header.site +
        ".\n\n| block | parameters | R2 held out | dPPL | standard error |\n|---|---|---|---|---|\n";
    for (const int block : blocks) {
        const ReplacementResult& row = rowOf(run, block, kind);
        text += "| " + std::to_string(block) + " | " + std::to_string(row.parameters) + " | " +
                cell(row.r2, 4) + " | " + cell(row.dppl, 3) + " | " + cell(row.dpplSe, 3) + " |\n";
    }
    return text +
           "\ndPPL is the cost of each block swapped alone; together they cost more. A high R2 does not "
           "promise a small one.\n"
           "\n`put_in.py` puts the blocks into the Hugging Face model (it needs torch, safetensors and "
           "transformers).\n";
}

}  // namespace

void exportReplacements(const std::filesystem::path& runFolder, const Run& run, std::span<const int> blocks,
                        ReplacementKind kind, const std::filesystem::path& out) {
    for (const int block : blocks)
        rowOf(run, block, kind);
    std::error_code failure;
    std::filesystem::create_directories(out, failure);
    if (failure)
        throw Error({.what = "folder cannot be made",
                     .where = checkpoint::pathText(out),
                     .found = failure.message()});
    const std::string prefix = std::string(info(kind).name) + ".";
    for (const int block : blocks) {
        const checkpoint::MappedFile file(mapsFile(runFolder, block));
        std::vector<checkpoint::TensorView> tensors;
        for (checkpoint::TensorView tensor : checkpoint::readSafetensors(file).tensors)
            if (tensor.name.starts_with(prefix)) {
                tensor.name = tensor.name.substr(prefix.size());
                tensors.push_back(std::move(tensor));
            }
        if (tensors.empty())
            throw Error({.what = "the fitted map is missing",
                         .where = file.name(),
                         .expected = prefix + "weight",
                         .advice = "measure the model again"});
        writeSafetensors(mapsFile(out, block), tensors);
    }
    writeFile(out / "put_in.py", pythonModule);
    writeFile(out / "README.md", readme(run, blocks, kind));
}

}  // namespace straightedge::study
