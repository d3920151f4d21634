// SPDX-License-Identifier: GPL-3.0-or-later
#include "safetensors.h"

#include <algorithm>
#include <map>

#include "checked.h"
#include "error.h"
#include "parse_json.h"

namespace straightedge::checkpoint {

using nlohmann::json;

namespace {

constexpr std::uint64_t lengthBytes = 8;

DType dtypeOf(const json& entry, const std::string& where) {
    static const std::map<std::string, DType, std::less<>> known = {
        {"F64", DType::F64}, {"F32", DType::F32},  {"F16", DType::F16}, {"BF16", DType::BF16},
        {"I64", DType::I64}, {"I32", DType::I32},  {"I16", DType::I16}, {"I8", DType::I8},
        {"U8", DType::U8},   {"BOOL", DType::Bool}};
    const auto dtype = entry.find("dtype");
    if (dtype == entry.end() || !dtype->is_string())
        throw Error({.what = "the header gives no dtype", .where = where});
    const auto& name = dtype->get_ref<const std::string&>();
    const auto found = known.find(name);
    if (found == known.end())
        throw Error({.what = "dtype " + inQuotes(name) + " is not supported",
                     .where = where,
                     .expected = "F64, F32, F16, BF16, I64, I32, I16, I8, U8 or BOOL"});
    return found->second;
}

// A list of whole numbers that fit in 63 bits.
std::vector<std::int64_t> sizesOf(const json& entry, const char* key, const std::string& where) {
    const auto list = entry.find(key);
    if (list == entry.end() || !list->is_array())
        throw Error({.what = std::string("the header gives no ") + key, .where = where});
    std::vector<std::int64_t> sizes;
    for (const json& size : *list) {
        if (!size.is_number_unsigned() || size.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
            throw Error({.what = std::string(key) + " is not a list of whole numbers",
                         .where = where,
                         .found = list->dump(-1, ' ', true, json::error_handler_t::replace).substr(0, 120)});
        sizes.push_back(size.get<std::int64_t>());
    }
    return sizes;
}

TensorView readEntry(const std::string& name, const json& entry, std::span<const std::byte> data,
                     const std::string& file) {
    const std::string where = file + ": tensor " + inQuotes(name);
    if (!entry.is_object())
        throw Error(
            {.what = "the header's entry is not an object", .where = where, .found = entry.type_name()});
    TensorView tensor{.name = name,
                      .dtype = dtypeOf(entry, where),
                      .shape = sizesOf(entry, "shape", where),
                      .data = {},
                      .file = file};
    const std::uint64_t bytes = checkedBytes(tensor.dtype, tensor.shape, where);

    const std::vector<std::int64_t> offsets = sizesOf(entry, "data_offsets", where);
    if (offsets.size() != 2)
        throw Error({.what = "data_offsets must be a begin and an end",
                     .where = where,
                     .found = std::to_string(offsets.size()) + " numbers"});
    const auto begin = static_cast<std::uint64_t>(offsets[0]);
    const auto end = static_cast<std::uint64_t>(offsets[1]);
    if (begin > end)
        throw Error(
            {.what = "data_offsets end before they begin", .where = where, .found = shapeText(offsets)});
    if (end > data.size())
        throw Error({.what = "the tensor reaches beyond the end of the file",
                     .where = where,
                     .expected = "data up to byte " + std::to_string(end),
                     .found = std::to_string(data.size()) + " bytes of data",
                     .advice = "the file is cut short or damaged; download or copy it again"});
    if (end - begin != bytes)
        throw Error({.what = "data_offsets do not fit the shape and dtype",
                     .where = where,
                     .expected = std::to_string(bytes) + " bytes for " +
                                 std::string(dtypeName(tensor.dtype)) + " " + shapeText(tensor.shape),
                     .found = std::to_string(end - begin)});
    tensor.data = data.subspan(begin, bytes);
    return tensor;
}

// The format promises that the tensors cover the data without overlap, hole or remainder.
void checkCover(const std::vector<TensorView>& tensors, std::span<const std::byte> data,
                const std::string& file) {
    const std::byte* covered = data.data();
    for (const TensorView& tensor : tensors) {
        const std::string where = file + ": tensor " + inQuotes(tensor.name);
        if (tensor.data.data() < covered)
            throw Error({.what = "the tensor overlaps another", .where = where});
        if (tensor.data.data() > covered)
            throw Error({.what = "bytes before the tensor belong to none", .where = where});
        covered += tensor.data.size();
    }
    if (const auto rest = data.data() + data.size() - covered; rest != 0)
        throw Error({.what = "bytes after the last tensor belong to none",
                     .where = file,
                     .found = std::to_string(rest) + " bytes"});
}

}  // namespace

SafetensorsHeader readSafetensors(const MappedFile& file) {
    const auto length =
        loadLittleEndian<std::uint64_t>(file.slice(0, lengthBytes, "the header's length").data());
    const auto text = file.slice(lengthBytes, length, "the header");
    const auto data = file.bytes().subspan(lengthBytes + text.size());
    const json header = parseJsonObject(text, file.name() + ": header", DuplicateKeys::Refuse);

    SafetensorsHeader result{.bytes = lengthBytes + text.size(), .tensors = {}};
    for (const auto& [name, entry] : header.items())
        if (name != "__metadata__")
            result.tensors.push_back(readEntry(name, entry, data, file.name()));
    std::ranges::sort(result.tensors, {}, [](const TensorView& tensor) {
        return std::pair(tensor.data.data(),
                         tensor.data.size());  // an empty tensor comes before its neighbour
    });
    checkCover(result.tensors, data, file.name());
    return result;
}

}  // namespace straightedge::checkpoint
