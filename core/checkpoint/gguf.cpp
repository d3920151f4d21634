// SPDX-License-Identifier: GPL-3.0-or-later
#include "gguf.h"

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <optional>

#include "checked.h"
#include "error.h"
#include "mapped_file.h"
#include "parse_json.h"

namespace straightedge::checkpoint {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::uint64_t defaultAlignment = 32;
constexpr std::uint32_t maxDimensions = 4;
constexpr int maxArrayDepth = 4;
constexpr std::uint64_t maxMetadataValues = 8'000'000;  // real files stay below a million

// As numbered in the file.
enum class ValueType : std::uint32_t { U8, I8, U16, I16, U32, I32, F32, Bool, String, Array, U64, I64, F64 };

std::optional<DType> dtypeOfGgml(std::uint32_t id) {
    static const std::map<std::uint32_t, DType> known = {
        {0, DType::F32},    {1, DType::F16},    {2, DType::Q4_0},  {3, DType::Q4_1},    {6, DType::Q5_0},
        {7, DType::Q5_1},   {8, DType::Q8_0},   {10, DType::Q2_K}, {11, DType::Q3_K},   {12, DType::Q4_K},
        {13, DType::Q5_K},  {14, DType::Q6_K},  {24, DType::I8},   {25, DType::I16},    {26, DType::I32},
        {27, DType::I64},   {28, DType::F64},   {30, DType::BF16}, {20, DType::IQ4_NL}, {23, DType::IQ4_XS},
        {34, DType::TQ1_0}, {35, DType::TQ2_0}, {39, DType::MXFP4}};
    const auto found = known.find(id);
    return found == known.end() ? std::nullopt : std::optional(found->second);
}

// The types we do not read, so that the refusal can name them.
std::string ggmlTypeName(std::uint32_t id) {
    static const std::map<std::uint32_t, const char*> others = {
        {4, "Q4_2"},        {5, "Q4_3"},        {9, "Q8_1"},      {15, "Q8_K"},     {16, "IQ2_XXS"},
        {17, "IQ2_XS"},     {18, "IQ3_XXS"},    {19, "IQ1_S"},    {21, "IQ3_S"},    {22, "IQ2_S"},
        {29, "IQ1_M"},      {31, "Q4_0_4_4"},   {32, "Q4_0_4_8"}, {33, "Q4_0_8_8"}, {36, "IQ4_NL_4_4"},
        {37, "IQ4_NL_4_8"}, {38, "IQ4_NL_8_8"}, {40, "NVFP4"},    {41, "Q1_0"}};
    const auto found = others.find(id);
    return found == others.end() ? "number " + std::to_string(id) : found->second;
}

// Reads the header from front to back, never past the end of the file.
class Cursor {
  public:
    explicit Cursor(const MappedFile& file) : m_file(file) {}

    std::uint64_t position() const { return m_position; }
    std::uint64_t left() const { return m_file.size() - m_position; }

    std::span<const std::byte> take(std::uint64_t bytes, const std::string& piece) {
        const auto part = m_file.slice(m_position, bytes, piece);
        m_position += bytes;
        return part;
    }

    template <typename T>
    T number(const std::string& piece) {
        return loadLittleEndian<T>(take(sizeof(T), piece).data());
    }

    std::string string(const std::string& piece) {
        const auto text = take(number<std::uint64_t>(piece), piece);
        return {reinterpret_cast<const char*>(text.data()), text.size()};
    }

  private:
    const MappedFile& m_file;
    std::uint64_t m_position = 0;
};

class MetadataReader {
  public:
    MetadataReader(Cursor& cursor, const std::string& file) : m_cursor(cursor), m_where(file) {}

    json read(std::uint64_t count) {
        json metadata = json::object();
        for (std::uint64_t i = 0; i < count; ++i) {
            std::string key = m_cursor.string("the name of metadata entry " + std::to_string(i));
            m_piece = "the value of metadata entry " + inQuotes(key);
            json value = readValue(readType(), 0);
            if (!metadata.emplace(key, std::move(value)).second)
                throw Error(
                    {.what = "metadata entry " + inQuotes(key) + " is there twice", .where = m_where});
        }
        return metadata;
    }

  private:
    ValueType readType() {
        const auto type = m_cursor.number<std::uint32_t>(m_piece);
        if (type > static_cast<std::uint32_t>(ValueType::F64))
            throw Error(
                {.what = m_piece + " has an unknown type", .where = m_where, .found = std::to_string(type)});
        return static_cast<ValueType>(type);
    }

    json readValue(ValueType type, int depth) {
        if (++m_values > maxMetadataValues)
            throw Error({.what = "the metadata hold too many values",
                         .where = m_where,
                         .expected = "at most " + std::to_string(maxMetadataValues)});
        switch (type) {
            case ValueType::U8:
                return m_cursor.number<std::uint8_t>(m_piece);
            case ValueType::I8:
                return m_cursor.number<std::int8_t>(m_piece);
            case ValueType::U16:
                return m_cursor.number<std::uint16_t>(m_piece);
            case ValueType::I16:
                return m_cursor.number<std::int16_t>(m_piece);
            case ValueType::U32:
                return m_cursor.number<std::uint32_t>(m_piece);
            case ValueType::I32:
                return m_cursor.number<std::int32_t>(m_piece);
            case ValueType::F32:
                return m_cursor.number<float>(m_piece);
            case ValueType::Bool:
                return readBool();
            case ValueType::String:
                return m_cursor.string(m_piece);
            case ValueType::Array:
                return readArray(depth + 1);
            case ValueType::U64:
                return m_cursor.number<std::uint64_t>(m_piece);
            case ValueType::I64:
                return m_cursor.number<std::int64_t>(m_piece);
            case ValueType::F64:
                return m_cursor.number<double>(m_piece);
        }
        return {};
    }

    bool readBool() {
        const auto value = m_cursor.number<std::uint8_t>(m_piece);
        if (value > 1)
            throw Error({.what = m_piece + " is neither true nor false",
                         .where = m_where,
                         .found = std::to_string(value)});
        return value == 1;
    }

    json readArray(int depth) {
        if (depth > maxArrayDepth)
            throw Error({.what = m_piece + " is nested too deeply", .where = m_where});
        const ValueType type = readType();
        const auto count = m_cursor.number<std::uint64_t>(m_piece);
        if (count > m_cursor.left())  // every value takes a byte at least
            throw Error({.what = m_piece + " is longer than the file",
                         .where = m_where,
                         .found = std::to_string(count) + " values, " + std::to_string(m_cursor.left()) +
                                  " bytes left",
                         .advice = "the file is cut short or damaged; download or copy it again"});
        json::array_t values;
        for (std::uint64_t i = 0; i < count; ++i)
            values.push_back(readValue(type, depth));
        return values;
    }

    Cursor& m_cursor;
    const std::string& m_where;
    std::string m_piece;         // what is being read, for messages
    std::uint64_t m_values = 0;  // read so far, of all entries
};

struct TensorInfo {
    TensorView view;
    std::uint64_t offset = 0;  // from the start of the data
    std::uint64_t bytes = 0;
};

TensorInfo readTensorInfo(Cursor& cursor, std::uint64_t index, const std::string& file) {
    TensorInfo info;
    info.view.file = file;
    info.view.name = cursor.string("the name of tensor " + std::to_string(index));
    const std::string piece = "the description of tensor " + inQuotes(info.view.name);
    const std::string where = file + ": tensor " + inQuotes(info.view.name);

    const auto dimensions = cursor.number<std::uint32_t>(piece);
    if (dimensions > maxDimensions)
        throw Error({.what = "the tensor has too many dimensions",
                     .where = where,
                     .expected = "at most " + std::to_string(maxDimensions),
                     .found = std::to_string(dimensions)});
    for (std::uint32_t i = 0; i < dimensions; ++i) {
        const auto size = cursor.number<std::uint64_t>(piece);
        if (size > std::uint64_t{INT64_MAX})
            throw Error(
                {.what = "the shape is impossibly large", .where = where, .found = std::to_string(size)});
        info.view.shape.push_back(static_cast<std::int64_t>(size));
    }
    std::ranges::reverse(info.view.shape);  // the file's order is innermost first

    const auto type = cursor.number<std::uint32_t>(piece);
    const std::optional<DType> dtype = dtypeOfGgml(type);
    if (!dtype)
        throw Error({.what = "GGML type " + ggmlTypeName(type) + " is not supported",
                     .where = where,
                     .expected =
                         "F32, F16, BF16, F64, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, IQ4_NL, IQ4_XS, "
                         "TQ1_0, TQ2_0 or MXFP4",
                     .advice = "use a file in another quantization of the model"});
    info.view.dtype = *dtype;
    info.bytes = checkedBytes(*dtype, info.view.shape, where);
    info.offset = cursor.number<std::uint64_t>(piece);
    return info;
}

// Places the views in the data, which begins at `dataStart` of the file.
std::vector<TensorView> placeTensors(std::vector<TensorInfo> infos, const MappedFile& file,
                                     std::uint64_t dataStart, std::uint64_t alignment) {
    std::ranges::sort(infos, {}, [](const TensorInfo& info) { return std::pair(info.offset, info.bytes); });
    std::vector<TensorView> tensors;
    std::uint64_t covered = 0;
    for (TensorInfo& info : infos) {
        const std::string where = file.name() + ": tensor " + inQuotes(info.view.name);
        if (info.offset % alignment != 0)
            throw Error({.what = "the tensor is not aligned",
                         .where = where,
                         .expected = "an offset that is a multiple of " + std::to_string(alignment),
                         .found = std::to_string(info.offset)});
        if (info.offset < covered)
            throw Error({.what = "the tensor overlaps another", .where = where});
        if (info.offset > file.size())  // before the sum, which could overflow
            file.slice(info.offset, info.bytes, "tensor " + inQuotes(info.view.name));
        info.view.data =
            file.slice(dataStart + info.offset, info.bytes, "tensor " + inQuotes(info.view.name));
        covered = info.offset + info.bytes;
        tensors.push_back(std::move(info.view));
    }
    return tensors;
}

void checkMagic(Cursor& cursor, const std::string& file) {
    const auto magic = cursor.take(4, "the magic number");
    if (std::string_view(reinterpret_cast<const char*>(magic.data()), magic.size()) != "GGUF")
        throw Error(
            {.what = "this is not a GGUF file", .where = file, .expected = "the letters GGUF at the start"});
    const auto version = cursor.number<std::uint32_t>("the version");
    if (version == 2 || version == 3)
        return;
    const bool bigEndian = version != 0 && (version & 0xFFFF) == 0;
    throw Error({.what = bigEndian ? "big-endian GGUF files are not supported"
                                   : "this version of GGUF is not supported",
                 .where = file,
                 .expected = bigEndian ? "a little-endian file" : "version 2 or 3",
                 .found = bigEndian ? "" : "version " + std::to_string(version),
                 .advice = "use a file made by a current converter for this kind of machine"});
}

std::uint64_t alignmentOf(const json& metadata, const std::string& file) {
    const auto entry = metadata.find("general.alignment");
    if (entry == metadata.end())
        return defaultAlignment;
    // A bounded value keeps the rounding up of offsets free of overflow.
    const bool small = entry->is_number_unsigned() && entry->get<std::uint64_t>() <= UINT32_MAX;
    if (!small || !std::has_single_bit(entry->get<std::uint64_t>()))
        throw Error({.what = "general.alignment is not a power of two",
                     .where = file,
                     .found = entry->is_number() ? entry->dump() : entry->type_name()});
    return entry->get<std::uint64_t>();
}

// One file: a whole model, or one of several that it is split into.
struct Part {
    std::shared_ptr<const MappedFile> file;
    std::uint64_t headerBytes = 0;
    json metadata = {};
    std::vector<TensorView> tensors = {};

    // 0 where the file does not say.
    std::uint64_t number(const char* key) const {
        const auto entry = metadata.find(key);
        const bool isNumber = entry != metadata.end() && entry->is_number_integer();
        return isNumber && (entry->is_number_unsigned() || entry->get<std::int64_t>() > 0)
                   ? entry->get<std::uint64_t>()
                   : 0;
    }
    bool isSplit() const { return number("split.count") > 1; }
};

Part readPart(const fs::path& path) {
    Part part{.file = std::make_shared<const MappedFile>(path)};
    const MappedFile& file = *part.file;
    Cursor cursor(file);
    checkMagic(cursor, file.name());
    const auto tensorCount = cursor.number<std::uint64_t>("the number of tensors");
    const auto metadataCount = cursor.number<std::uint64_t>("the number of metadata entries");
    part.metadata = MetadataReader(cursor, file.name()).read(metadataCount);
    const std::uint64_t alignment = alignmentOf(part.metadata, file.name());

    std::vector<TensorInfo> infos;  // grows with what the file really holds, whatever the count claims
    for (std::uint64_t i = 0; i < tensorCount; ++i)
        infos.push_back(readTensorInfo(cursor, i, file.name()));
    part.headerBytes = cursor.position();
    const std::uint64_t dataStart = (part.headerBytes + alignment - 1) / alignment * alignment;
    part.tensors = placeTensors(std::move(infos), file, dataStart, alignment);
    return part;
}

// "-00002-of-00003.gguf", as llama.cpp's gguf-split names them; the first is number 0 in the file.
std::string endingOf(std::uint64_t number, std::uint64_t count) {
    const auto five = [](std::uint64_t n) {
        const std::string digits = std::to_string(n);
        return std::string(digits.size() < 5 ? 5 - digits.size() : 0, '0') + digits;
    };
    return "-" + five(number + 1) + "-of-" + five(count) + ".gguf";
}

// All the files that the model of `any` is split into, in order. They lie side by side.
std::vector<Part> readParts(const fs::path& path, const Part& any) {
    const std::uint64_t count = any.number("split.count");
    const std::string name = pathText(path.filename());
    const std::string ending = endingOf(any.number("split.no"), count);
    if (!name.ends_with(ending))
        throw Error(
            {.what = "this is one of several GGUF files, but its name does not tell those of the others",
             .where = any.file->name(),
             .expected = "a name that ends in " + ending,
             .advice = "give the files their names back, or join them with llama.cpp's `llama-gguf-split "
                       "--merge`"});
    const std::string base = name.substr(0, name.size() - ending.size());
    std::vector<Part> parts;
    std::uint64_t tensors = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::string sibling = base + endingOf(i, count);
        const fs::path place = path.parent_path() / fs::path(std::u8string(sibling.begin(), sibling.end()));
        if (std::error_code ignored; !fs::exists(place, ignored))
            throw Error({.what = "one of the files that the model is split into is missing",
                         .where = pathText(place),
                         .expected = std::to_string(count) + " files side by side",
                         .advice = "download the missing file into this folder"});
        const Part& part = parts.emplace_back(readPart(place));
        if (part.number("split.count") != count || part.number("split.no") != i)
            throw Error({.what = "the file is not the part that its name says",
                         .where = part.file->name(),
                         .expected = "part " + std::to_string(i) + " of " + std::to_string(count),
                         .found = "part " + std::to_string(part.number("split.no")) + " of " +
                                  std::to_string(part.number("split.count"))});
        tensors += part.tensors.size();
    }
    if (const auto expected = parts.front().number("split.tensors.count");
        expected != 0 && expected != tensors)
        throw Error({.what = "the files that the model is split into do not hold all its tensors",
                     .where = parts.front().file->name(),
                     .expected = std::to_string(expected) + " tensors",
                     .found = std::to_string(tensors)});
    return parts;
}

class GgufFile : public Checkpoint {
  public:
    GgufFile(fs::path path, std::vector<Part> parts) : m_path(std::move(path)) {
        m_metadata = std::move(parts.front().metadata);  // the others hold none of the model's
        std::vector<TensorView> tensors;
        for (Part& part : parts) {
            std::ranges::move(part.tensors, std::back_inserter(tensors));
            addFile({.file = std::move(part.file), .headerBytes = part.headerBytes});
        }
        setTensors(std::move(tensors));
    }

    Format format() const override { return Format::Gguf; }
    const fs::path& location() const override { return m_path; }
    const json& metadata() const override { return m_metadata; }
    FileIdentity identity() const override { return identityAs(m_path); }

  private:
    fs::path m_path;  // the first, where there are several
    json m_metadata;
};

}  // namespace

std::unique_ptr<Checkpoint> openGguf(const fs::path& path) {
    Part part = readPart(path);
    if (part.isSplit()) {
        auto parts = readParts(path, part);
        const std::string& first = parts.front().file->name();
        return std::make_unique<GgufFile>(fs::path(std::u8string(first.begin(), first.end())),
                                          std::move(parts));
    }
    std::vector<Part> parts;
    parts.push_back(std::move(part));
    return std::make_unique<GgufFile>(path, std::move(parts));
}

}  // namespace straightedge::checkpoint
