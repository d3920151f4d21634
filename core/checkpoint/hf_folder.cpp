// SPDX-License-Identifier: GPL-3.0-or-later
#include "hf_folder.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>

#include "error.h"
#include "mapped_file.h"
#include "parse_json.h"
#include "safetensors.h"
#include "torch_file.h"

namespace straightedge::checkpoint {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// Where weights lie, the safer format first.
struct Layout {
    const char* single;
    const char* index;  // of shards
    const char* extension;
};
constexpr std::array layouts{
    Layout{"model.safetensors", "model.safetensors.index.json", ".safetensors"},
    Layout{"pytorch_model.bin", "pytorch_model.bin.index.json", ".bin"},
};

// Tensor name to shard.
using WeightMap = std::map<std::string, std::string>;

bool isFile(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

json readConfig(const fs::path& folder) {
    const fs::path path = folder / "config.json";
    if (!isFile(path))
        throw Error(
            {.what = "config.json is missing",
             .where = pathText(folder),
             .advice =
                 "choose a Hugging Face model folder with config.json beside the weights, or a GGUF file"});
    const MappedFile file(path);
    json config = parseJsonObject(file.bytes(), file.name());
    const auto quantization = config.find("quantization_config");
    if (quantization != config.end() && !quantization->is_null()) {
        std::string method = "unknown";
        if (quantization->is_object()) {
            const auto named = quantization->find("quant_method");
            if (named != quantization->end() && named->is_string())
                method = named->get<std::string>();
            else if (quantization->contains("load_in_8bit") || quantization->contains("load_in_4bit"))
                method = "bitsandbytes";  // before the method was written down
        }
        throw Error({.what = "weights quantized with " + inQuotes(method) + " are not supported",
                     .where = file.name(),
                     .expected = "weights in F32, F16 or BF16",
                     .advice = "use the model's original checkpoint, or a GGUF file of it"});
    }
    return config;
}

// Shards lie beside their index: anything else would let an index point at any file of the reader's disk.
bool isPlainFileName(const std::string& name) {
    return !name.empty() && name.find_first_of(std::string_view("/\\:\0", 4)) == std::string::npos &&
           name != "." && name.find("..") == std::string::npos;
}

WeightMap readIndex(const fs::path& path) {
    const MappedFile file(path);
    const json index = parseJsonObject(file.bytes(), file.name());
    const auto entries = index.find("weight_map");
    if (entries == index.end() || !entries->is_object())
        throw Error({.what = "the index has no weight_map", .where = file.name()});
    WeightMap weightMap;
    for (const auto& [tensor, shard] : entries->items()) {
        if (!shard.is_string())
            throw Error({.what = "the index gives no file for tensor " + inQuotes(tensor),
                         .where = file.name(),
                         .found = shard.type_name()});
        const auto& name = shard.get_ref<const std::string&>();
        if (!isPlainFileName(name))
            throw Error({.what = "the index names a shard that is not a plain file name",
                         .where = file.name(),
                         .expected = "a file beside the index",
                         .found = inQuotes(name)});
        weightMap.emplace(tensor, name);
    }
    if (weightMap.empty())
        throw Error({.what = "the index names no tensors", .where = file.name()});
    return weightMap;
}

// UTF-8 as it stands in JSON, whatever the system's own encoding.
fs::path pathOf(const std::string& utf8) {
    return fs::path(std::u8string(utf8.begin(), utf8.end()));
}

bool namesShard(const fs::path& index, const fs::path& shard) {
    const std::string name = pathText(shard.filename());
    return std::ranges::any_of(readIndex(index), [&](const auto& entry) { return entry.second == name; });
}

// "model-00001-of-00003.safetensors"
bool looksLikeShard(const fs::path& path) {
    const std::string stem = pathText(path.stem());
    return stem.find("-of-") != std::string::npos;
}

// The file to open: an index of shards or one file of weights.
fs::path findWeights(const fs::path& folder, const fs::path& given) {
    for (const Layout& layout : layouts) {
        if (given.extension() != layout.extension || given == folder / layout.single)
            continue;
        const fs::path index = folder / layout.index;
        if (isFile(index) && namesShard(index, given))
            return index;
        if (looksLikeShard(given))
            throw Error({.what = "this is one shard of several, and no index beside it names it",
                         .where = pathText(given),
                         .expected = pathText(index)});
    }
    if (!given.empty())
        return given;
    for (const Layout& layout : layouts)
        for (const char* name : {layout.single, layout.index})
            if (isFile(folder / name))
                return folder / name;
    throw Error({.what = "the folder holds no weights",
                 .where = pathText(folder),
                 .expected = "model.safetensors or pytorch_model.bin, or the index of their shards",
                 .advice = "download the weights into this folder, or choose the file of weights itself"});
}

class HfFolder : public Checkpoint {
  public:
    HfFolder(const fs::path& folder, const fs::path& given)
        : m_folder(folder), m_config(readConfig(folder)), m_weights(findWeights(folder, given)) {
        setTensors(m_weights.extension() == ".json" ? readShards() : readFile(m_weights));
    }

    Format format() const override { return Format::HuggingFace; }
    const fs::path& location() const override { return m_folder; }
    const json& metadata() const override { return m_config; }
    FileIdentity identity() const override { return identityAs(m_weights); }

  private:
    std::vector<TensorView> readFile(const fs::path& path) {
        auto file = std::make_shared<const MappedFile>(path);
        if (path.extension() == ".safetensors") {
            SafetensorsHeader header = readSafetensors(*file);
            addFile({.file = std::move(file), .headerBytes = header.bytes});
            return std::move(header.tensors);
        }
        TorchFile torch = readTorchFile(*file);
        addFile({.file = std::move(file), .headerBytes = torch.headerBytes});
        std::ranges::move(torch.copies, std::back_inserter(m_copies));  // the data stays where it is
        return std::move(torch.tensors);
    }

    // Every tensor from the shard that the index names for it; what else a shard holds is left alone.
    std::vector<TensorView> readShards() {
        const WeightMap weightMap = readIndex(m_weights);
        std::set<std::string> shards;
        for (const auto& [tensor, shard] : weightMap)
            shards.insert(shard);
        for (const std::string& shard : shards)
            if (!isFile(m_folder / pathOf(shard)))
                throw Error({.what = "shard " + inQuotes(shard) + " is missing",
                             .where = pathText(m_weights),
                             .expected = std::to_string(shards.size()) + " shards beside the index",
                             .advice = "download the missing file into this folder"});

        std::vector<TensorView> tensors;
        for (const std::string& shard : shards)
            for (TensorView& tensor : readFile(m_folder / pathOf(shard)))
                if (const auto entry = weightMap.find(tensor.name);
                    entry != weightMap.end() && entry->second == shard)
                    tensors.push_back(std::move(tensor));
        if (tensors.size() != weightMap.size())
            refuseUnheld(weightMap, tensors);
        return tensors;
    }

    [[noreturn]] void refuseUnheld(const WeightMap& weightMap, const std::vector<TensorView>& tensors) const {
        std::set<std::string_view> held;
        for (const TensorView& tensor : tensors)
            held.insert(tensor.name);
        const auto absent =
            std::ranges::find_if(weightMap, [&](const auto& entry) { return !held.contains(entry.first); });
        throw Error(
            {.what = "tensor " + inQuotes(absent->first) + " is not in the shard that the index names",
             .where = pathText(m_weights),
             .expected = "in " + inQuotes(absent->second),
             .advice = "index and shards do not belong together; download both again"});
    }

    fs::path m_folder;
    json m_config;
    fs::path m_weights;
    std::vector<std::vector<std::byte>> m_copies;  // what tensors look at that lie in no file as they are
};

}  // namespace

std::unique_ptr<Checkpoint> openHfFolder(const fs::path& folder, const fs::path& weights) {
    return std::make_unique<HfFolder>(folder, weights);
}

}  // namespace straightedge::checkpoint
