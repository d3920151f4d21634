// SPDX-License-Identifier: GPL-3.0-or-later
#include "checkpoint.h"

#include <QCryptographicHash>
#include <algorithm>
#include <array>
#include <fstream>
#include <numeric>

#include "error.h"
#include "gguf.h"
#include "hf_folder.h"
#include "mapped_file.h"
#include "parse_json.h"

namespace straightedge::checkpoint {

namespace fs = std::filesystem;

namespace {

// Absolute, so that the folder has a name; a symbolic link of the file itself is kept, for the hub's cache
// stores files under the names of their hashes.
fs::path resolved(const fs::path& path) {
    std::error_code failure;
    const fs::file_status status = fs::status(path, failure);
    if (!fs::exists(status))
        throw Error({.what = "there is no such file or folder", .where = pathText(path)});
    if (fs::is_directory(status))
        return fs::canonical(path);
    return fs::canonical(fs::absolute(path).parent_path()) / path.filename();
}

bool startsAsGguf(const fs::path& path) {
    std::array<char, 4> magic{};
    std::ifstream(path, std::ios::binary).read(magic.data(), magic.size());
    return std::string_view(magic.data(), magic.size()) == "GGUF";
}

std::size_t editDistance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = std::exchange(row[0], i + 1);
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t change = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = std::exchange(row[j + 1], std::min({change, row[j] + 1, row[j + 1] + 1}));
        }
    }
    return row.back();
}

// Up to three names, the nearest first.
std::string nearestNames(std::string_view name, const std::vector<TensorView>& tensors) {
    constexpr std::size_t longest = 200;  // the distance takes quadratic time, and names come from the file
    if (name.size() > longest)
        return {};
    std::vector<std::pair<std::size_t, std::string_view>> candidates;
    for (const TensorView& tensor : tensors)
        if (tensor.name.size() <= longest)
            candidates.emplace_back(editDistance(name, tensor.name), tensor.name);
    const std::size_t count = std::min<std::size_t>(3, candidates.size());
    std::ranges::partial_sort(candidates, candidates.begin() + static_cast<std::ptrdiff_t>(count));
    std::string text;
    for (std::size_t i = 0; i < count; ++i)
        text += (i > 0 ? ", " : "") + inQuotes(candidates[i].second);
    return text;
}

}  // namespace

Checkpoint::Checkpoint() = default;
Checkpoint::~Checkpoint() = default;

std::unique_ptr<Checkpoint> Checkpoint::open(const fs::path& given) {
    const fs::path path = resolved(given);
    if (fs::is_directory(path))
        return openHfFolder(path, {});
    const std::string name = pathText(path.filename());
    if (name == "config.json")
        return openHfFolder(path.parent_path(), {});
    constexpr std::array weights{".safetensors", ".safetensors.index.json", ".bin", ".bin.index.json", ".pt",
                                 ".pth"};
    if (std::ranges::any_of(weights, [&](const char* ending) { return name.ends_with(ending); }))
        return openHfFolder(path.parent_path(), path);
    if (name.ends_with(".gguf") || (fs::is_regular_file(path) && startsAsGguf(path)))
        return openGguf(path);
    throw Error({.what = "this is not a checkpoint that can be read",
                 .where = pathText(path),
                 .expected = "a GGUF file, a Hugging Face folder, its config.json or its weights"});
}

const TensorView* Checkpoint::find(std::string_view name) const {
    const auto nameOf = [this](std::size_t i) -> std::string_view { return m_tensors[i].name; };
    const auto found = std::ranges::lower_bound(m_byName, name, {}, nameOf);
    return found != m_byName.end() && nameOf(*found) == name ? &m_tensors[*found] : nullptr;
}

const TensorView& Checkpoint::tensor(std::string_view name, const std::vector<std::int64_t>& shape) const {
    const TensorView* found = find(name);
    if (found == nullptr) {
        const std::string nearest = nearestNames(name, m_tensors);
        throw Error(
            {.what = "tensor " + inQuotes(name) + " is missing",
             .where = pathText(location()),
             .found = nearest.empty() ? std::to_string(m_tensors.size()) + " other tensors"
                                      : "as the nearest names " + nearest,
             .advice = "the checkpoint is incomplete, or not of the family that its description names"});
    }
    if (found->shape != shape)
        throw Error({.what = "tensor " + inQuotes(name) + " has the wrong shape",
                     .where = found->file,
                     .expected = shapeText(shape),
                     .found = shapeText(found->shape),
                     .advice = "the weights do not belong to this description of the model"});
    return *found;
}

void Checkpoint::forget(const TensorView& tensor) const {
    for (const WeightFile& weights : m_files)
        weights.file->forget(tensor.data);  // only the file that holds it listens
}

void Checkpoint::setTensors(std::vector<TensorView> tensors) {
    m_tensors = std::move(tensors);
    m_byName.resize(m_tensors.size());
    std::iota(m_byName.begin(), m_byName.end(), std::size_t{0});
    const auto nameOf = [this](std::size_t i) -> std::string_view { return m_tensors[i].name; };
    std::ranges::sort(m_byName, {}, nameOf);
    const auto twice = std::ranges::adjacent_find(m_byName, {}, nameOf);
    if (twice != m_byName.end())
        throw Error({.what = "tensor " + inQuotes(nameOf(*twice)) + " is there twice",
                     .where = m_tensors[*twice].file});
}

FileIdentity Checkpoint::identityAs(const fs::path& path) const {
    FileIdentity identity{.path = path};
    QCryptographicHash hash(QCryptographicHash::Sha256);
    for (const auto& [file, headerBytes] : m_files) {
        identity.bytes += file->size();
        identity.modified = std::max(identity.modified, file->modified());
        const auto header = file->bytes().first(headerBytes);
        hash.addData(QByteArrayView(header.data(), static_cast<qsizetype>(header.size())));
    }
    identity.headerHash = hash.result().toHex().toStdString();
    return identity;
}

}  // namespace straightedge::checkpoint
