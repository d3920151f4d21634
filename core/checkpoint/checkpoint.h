// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "tensor_view.h"

namespace straightedge::checkpoint {

class MappedFile;

enum class Format { HuggingFace, Gguf };

// Which file a number came from. Two files with the same identity hold the same weights for all we know
// without reading them whole.
struct FileIdentity {
    std::filesystem::path
        path;  // the file first opened: the GGUF, the one file of weights, or the index of shards
    std::uint64_t bytes = 0;      // of all weight files together
    std::int64_t modified = 0;    // newest modification time, seconds since the epoch
    std::string headerHash = {};  // SHA-256, hex, over the headers of all weight files in order
};

// A checkpoint on disk: named tensors over mapped files and the model's description. Nothing is read but
// headers; the views stay valid as long as the checkpoint lives. Safe for concurrent readers.
class Checkpoint {
  public:
    // `path`: a GGUF file; a Hugging Face folder; its config.json, an index of its shards or any one file of
    // its weights (.safetensors, .bin). Throws Error for anything missing, truncated, inconsistent or not
    // known, before any tensor is looked at.
    static std::unique_ptr<Checkpoint> open(const std::filesystem::path& path);
    virtual ~Checkpoint();

    virtual Format format() const = 0;

    // The folder (Hugging Face) or the file (GGUF) that stands for the model.
    virtual const std::filesystem::path& location() const = 0;

    // Hugging Face: config.json. GGUF: the metadata as one flat object, "general.architecture" and so on;
    // arrays as arrays.
    virtual const nlohmann::json& metadata() const = 0;

    virtual FileIdentity identity() const = 0;

    // In the order of the files.
    const std::vector<TensorView>& tensors() const { return m_tensors; }
    // nullptr where there is none of that name.
    const TensorView* find(std::string_view name) const;
    // Throws Error naming the tensor, the checkpoint and the nearest names when it is missing, or when
    // `shape` differs.
    const TensorView& tensor(std::string_view name, const std::vector<std::int64_t>& shape) const;

    // Lets the system take back the memory behind a tensor that is done with, so that a sweep through a large
    // file does not keep all of it resident. The view stays valid; looking again reads the file again.
    void forget(const TensorView& tensor) const;

  protected:
    // One file of weights; its first `headerBytes` are hashed for the identity.
    struct WeightFile {
        std::shared_ptr<const MappedFile> file;
        std::size_t headerBytes = 0;
    };

    Checkpoint();
    void addFile(WeightFile file) { m_files.push_back(std::move(file)); }
    // Sorts an index by name; throws on a duplicate.
    void setTensors(std::vector<TensorView> tensors);
    // Of the files added so far.
    FileIdentity identityAs(const std::filesystem::path& path) const;

  private:
    std::vector<WeightFile> m_files;
    std::vector<TensorView> m_tensors;
    std::vector<std::size_t> m_byName;
};

}  // namespace straightedge::checkpoint
