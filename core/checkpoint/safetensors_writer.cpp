// SPDX-License-Identifier: GPL-3.0-or-later
#include "safetensors_writer.h"

#include <QFile>
#include <QSaveFile>
#include <bit>
#include <nlohmann/json.hpp>

#include "error.h"
#include "mapped_file.h"

namespace straightedge::checkpoint {

namespace {

std::string headerName(DType dtype) {
    switch (dtype) {
        case DType::F32: return "F32";
        case DType::F16: return "F16";
        case DType::BF16: return "BF16";
        case DType::F64: return "F64";
        case DType::I64: return "I64";
        case DType::I32: return "I32";
        case DType::I16: return "I16";
        case DType::I8: return "I8";
        case DType::U8: return "U8";
        case DType::Bool: return "BOOL";
        default:
            throw Error({.what = "safetensors has no name for this dtype", .found = std::string(dtypeName(dtype))});
    }
}

}  // namespace

void writeSafetensors(const std::filesystem::path& path, std::span<const TensorView> tensors,
                      const std::map<std::string, std::string>& metadata) {
    static_assert(std::endian::native == std::endian::little);
    nlohmann::ordered_json header = nlohmann::ordered_json::object();
    if (!metadata.empty())
        header["__metadata__"] = metadata;
    std::uint64_t offset = 0;
    for (const TensorView& tensor : tensors) {
        const std::uint64_t end = offset + tensor.data.size();
        header[tensor.name] = {{"dtype", headerName(tensor.dtype)}, {"shape", tensor.shape}, {"data_offsets", {offset, end}}};
        offset = end;
    }
    std::string text = header.dump();
    text.resize((text.size() + 7) / 8 * 8, ' ');  // readers map the data where it lies: keep it aligned

    QSaveFile file(QFile::decodeName(path.c_str()));
    const auto write = [&](const void* data, std::size_t size) {
        return file.write(static_cast<const char*>(data), static_cast<qint64>(size)) == static_cast<qint64>(size);
    };
    const std::uint64_t length = text.size();
    bool written = file.open(QIODevice::WriteOnly) && write(&length, sizeof length) && write(text.data(), text.size());
    for (std::size_t i = 0; written && i < tensors.size(); ++i)
        written = write(tensors[i].data.data(), tensors[i].data.size());
    if (!written || !file.commit())
        throw Error({.what = "file cannot be written",
                     .where = pathText(path),
                     .found = file.errorString().toStdString(),
                     .advice = "check that there is room on the disk and that the folder may be written"});
}

}  // namespace straightedge::checkpoint
