// SPDX-License-Identifier: GPL-3.0-or-later
#include "torch_file.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "checked.h"
#include "error.h"
#include "mapped_file.h"
#include "parse_json.h"
#include "unpickler.h"
#include "zip_archive.h"

namespace straightedge::checkpoint {

namespace {

using Bytes = std::span<const std::byte>;
using Kind = Unpickler::Kind;

std::string_view asText(Bytes bytes) {
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Data by name: entries of an archive, or storages by their keys.
using Storages = std::map<std::string, Bytes, std::less<>>;

class StateDictReader {
  public:
    StateDictReader(const MappedFile& file, const Unpickler& pickle) : m_file(file), m_pickle(pickle) {}

    TorchFile read(Unpickler::Ref root, const Storages& storages) {
        if (m_pickle.value(root).kind != Kind::Dictionary)
            m_pickle.fail("the file holds no dictionary of tensors");
        const auto& entries = m_pickle.items(root, Kind::Dictionary, "the state dict");
        for (std::size_t i = 0; i < entries.size(); i += 2) {
            const auto& value = m_pickle.value(entries[i + 1]);
            if (value.kind == Kind::Dictionary && m_pickle.value(entries[i]).kind == Kind::Text)
                m_pickle.fail("the file holds a dictionary inside the dictionary, not a plain state dict",
                              inQuotes(m_pickle.text(entries[i], "a name")));
            if (value.kind == Kind::Tensor)
                add(m_pickle.text(entries[i], "the name of a tensor"),
                    std::get<Unpickler::Tensor>(value.content), storages);
        }
        if (m_result.tensors.empty())
            m_pickle.fail("the file holds no tensors");
        return std::move(m_result);
    }

  private:
    void add(const std::string& name, const Unpickler::Tensor& tensor, const Storages& storages) {
        const std::string where = m_file.name() + ": tensor " + inQuotes(name);
        if (!m_names.insert(name).second)
            throw Error({.what = "the tensor is there twice", .where = where});
        const auto& storage = std::get<Unpickler::Storage>(m_pickle.value(tensor.storage).content);
        const auto data = storages.find(storage.key);
        if (data == storages.end())
            throw Error(
                {.what = "the tensor's storage is missing", .where = where, .found = inQuotes(storage.key)});
        if (storage.elements < 0 ||
            checkedBytes(storage.dtype, std::span(&storage.elements, 1), where) != data->second.size())
            throw Error({.what = "the tensor's storage has the wrong size",
                         .where = where,
                         .expected = std::to_string(storage.elements) + " elements of " +
                                     std::string(dtypeName(storage.dtype)),
                         .found = std::to_string(data->second.size()) + " bytes"});
        for (const auto* numbers : {&tensor.shape, &tensor.strides})
            if (std::ranges::any_of(*numbers, [](std::int64_t number) { return number < 0; }))
                throw Error({.what = "the tensor has a negative size or stride",
                             .where = where,
                             .found = shapeText(*numbers)});
        TensorView view{
            .name = name, .dtype = storage.dtype, .shape = tensor.shape, .data = {}, .file = m_file.name()};
        const std::uint64_t bytes = checkedBytes(view.dtype, view.shape, where);
        if (bytes > 0) {
            checkReach(tensor, storage.elements, where);
            const auto size = static_cast<std::size_t>(layoutOf(view.dtype).bytes);
            const Bytes from = data->second.subspan(static_cast<std::size_t>(tensor.offset) * size);
            view.data = isContiguous(tensor) ? from.first(bytes) : copy(tensor, from, size, bytes, where);
        }
        m_result.tensors.push_back(std::move(view));
    }

    // No index may lead out of the storage. Sizes are at least 1 here.
    static void checkReach(const Unpickler::Tensor& tensor, std::int64_t elements, const std::string& where) {
        std::int64_t left = elements - 1;  // that the largest index may still move on
        bool inside = tensor.offset >= 0 && tensor.offset <= left;
        left -= inside ? tensor.offset : 0;
        for (std::size_t i = 0; inside && i < tensor.shape.size(); ++i) {
            const std::int64_t steps = tensor.shape[i] - 1;
            inside = steps == 0 || tensor.strides[i] <= left / steps;
            left -= inside ? steps * tensor.strides[i] : 0;
        }
        if (!inside)
            throw Error({.what = "the tensor reaches beyond the end of its storage",
                         .where = where,
                         .expected = std::to_string(elements) + " elements",
                         .found = "shape " + shapeText(tensor.shape) + ", strides " +
                                  shapeText(tensor.strides) + ", offset " + std::to_string(tensor.offset)});
    }

    static bool isContiguous(const Unpickler::Tensor& tensor) {
        std::int64_t expected = 1;
        for (std::size_t i = tensor.shape.size(); i-- > 0;) {
            if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
                return false;
            expected *= tensor.shape[i];
        }
        return true;
    }

    // The elements in the order of the shape.
    Bytes copy(const Unpickler::Tensor& tensor, Bytes from, std::size_t size, std::uint64_t bytes,
               const std::string& where) {
        // All copies together never take more than the file, whatever it says.
        if (bytes > m_file.size() - m_copied)
            throw Error({.what = "the tensor repeats elements of its storage more often than a weight would",
                         .where = where,
                         .found = "strides " + shapeText(tensor.strides)});
        m_copied += bytes;
        auto& to = m_result.copies.emplace_back(bytes);
        std::vector<std::int64_t> index(tensor.shape.size());
        std::int64_t at = 0;
        for (std::size_t done = 0; done < bytes; done += size) {
            std::memcpy(to.data() + done, from.data() + static_cast<std::size_t>(at) * size, size);
            for (std::size_t i = index.size(); i-- > 0;) {
                at += tensor.strides[i];
                if (++index[i] < tensor.shape[i])
                    break;
                at -= index[i] * tensor.strides[i];
                index[i] = 0;
            }
        }
        return to;
    }

    const MappedFile& m_file;
    const Unpickler& m_pickle;
    TorchFile m_result;
    std::set<std::string_view> m_names;  // the pickle's
    std::uint64_t m_copied = 0;
};

// torch.save stores every entry as it is.
Storages storedEntries(const MappedFile& file) {
    Storages entries;
    for (const auto& [name, entry] : readZip(file.bytes(), file.name())) {
        const std::string where = file.name() + ": entry " + inQuotes(name);
        if (entry.method != ZipEntry::stored)
            throw Error({.what = "the entry is compressed, which torch.save never does", .where = where});
        if (entry.packed.size() != entry.bytes)
            throw Error({.what = "the entry's size is not what is stored of it",
                         .where = where,
                         .expected = std::to_string(entry.bytes) + " bytes",
                         .found = std::to_string(entry.packed.size())});
        entries.emplace(name, entry.packed);
    }
    return entries;
}

TorchFile readArchive(const MappedFile& file) {
    constexpr std::string_view pickleName = "/data.pkl";
    const Storages entries = storedEntries(file);
    const auto found =
        std::ranges::find_if(entries, [&](const auto& entry) { return entry.first.ends_with(pickleName); });
    if (found == entries.end())
        throw Error({.what = "the ZIP archive is not one of PyTorch's",
                     .where = file.name(),
                     .expected = "data.pkl"});
    const std::string prefix = found->first.substr(0, found->first.size() - pickleName.size() + 1);
    if (const auto order = entries.find(prefix + "byteorder");
        order != entries.end() && asText(order->second) != "little")
        throw Error({.what = "the file was written by a machine of another byte order",
                     .where = file.name(),
                     .expected = "little",
                     .found = inQuotes(asText(order->second))});
    Storages storages;
    for (const auto& [name, data] : entries)
        if (name.starts_with(prefix + "data/"))
            storages.emplace(name.substr(prefix.size() + 5), data);
    Unpickler pickle(found->second, file.name());
    const auto root = pickle.read();
    TorchFile result = StateDictReader(file, pickle).read(root, storages);
    result.headerBytes =
        static_cast<std::size_t>(found->second.data() + found->second.size() - file.bytes().data());
    return result;
}

// Before version 1.6: a magic number, a version, facts about the machine, the object, the keys of its
// storages, a pickle each; then every storage in the order of the keys, its number of elements before it.
TorchFile readPickles(const MappedFile& file) {
    constexpr std::string_view magic("\x6c\xfc\x9c\x46\xf9\x20\x6a\xa8\x50\x19", 10);
    Unpickler pickle(file.bytes(), file.name());
    if (const auto first = pickle.read();
        pickle.value(first).kind != Kind::Text || pickle.text(first, "the magic number") != magic)
        pickle.fail("this is not a file that torch.save wrote");
    if (const auto version = pickle.integer(pickle.read(), "the version"); version != 1001)
        pickle.fail("this version of PyTorch's old format is not known", std::to_string(version));
    pickle.read();
    const auto root = pickle.read();
    const auto keysRef = pickle.read();
    const std::size_t headerBytes = pickle.position();

    std::map<std::string_view, std::uint64_t> elementBytes;  // by key
    for (Unpickler::Ref ref = 0; ref < keysRef; ++ref)
        if (pickle.value(ref).kind == Kind::Storage) {
            const auto& storage = std::get<Unpickler::Storage>(pickle.value(ref).content);
            elementBytes[storage.key] = static_cast<std::uint64_t>(layoutOf(storage.dtype).bytes);
        }
    Storages storages;
    std::uint64_t at = headerBytes;
    for (const auto ref : pickle.items(keysRef, Kind::List, "the list of storages")) {
        const std::string& key = pickle.text(ref, "the key of a storage");
        const std::string piece = "storage " + inQuotes(key);
        const auto elements = loadLittleEndian<std::uint64_t>(file.slice(at, 8, piece).data());
        at += 8;
        const auto known = elementBytes.find(key);
        if (known == elementBytes.end())
            pickle.fail("the file has a storage that no tensor uses", inQuotes(key));
        const std::uint64_t size = known->second;
        if (elements > file.size() / size)
            file.slice(at, file.size(), piece);  // says that it reaches beyond the end
        storages.insert_or_assign(key, file.slice(at, elements * size, piece));
        at += elements * size;
    }
    TorchFile result = StateDictReader(file, pickle).read(root, storages);
    result.headerBytes = headerBytes;
    return result;
}

}  // namespace

TorchFile readTorchFile(const MappedFile& file) {
    const std::string_view start = asText(file.bytes().first(std::min<std::size_t>(file.size(), 4)));
    if (start == std::string_view("PK\x03\x04", 4))
        return readArchive(file);
    if (start.starts_with("\x80"))
        return readPickles(file);
    throw Error({.what = "this is not a file that torch.save wrote",
                 .where = file.name(),
                 .expected = "a ZIP archive or a pickle",
                 .advice = "the file is damaged, or not the weights; download or copy it again"});
}

}  // namespace straightedge::checkpoint
