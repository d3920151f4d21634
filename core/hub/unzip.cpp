// SPDX-License-Identifier: GPL-3.0-or-later
#include "unzip.h"

#include <zlib.h>

#include "checkpoint/parse_json.h"
#include "checkpoint/zip_archive.h"
#include "error.h"

namespace straightedge::hub {

namespace {

// Raw deflate of a known length.
bool inflateTo(std::string& out, std::span<const std::byte> packed) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed.data()));
    stream.avail_in = static_cast<uInt>(packed.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    const int result = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return result == Z_STREAM_END && stream.total_out == out.size();
}

}  // namespace

std::string unzip(std::string_view bytes, std::string_view name, std::uint64_t mostBytes,
                  const std::string& where) {
    using checkpoint::ZipEntry;
    const auto refuse = [&](const std::string& what) {
        throw Error({.what = what, .where = where, .advice = "fetch it again"});
    };
    const auto entries = checkpoint::readZip(std::as_bytes(std::span(bytes)), where);
    const auto found = entries.find(name);
    if (found == entries.end())
        refuse("the ZIP file has no entry " + checkpoint::inQuotes(name));
    const ZipEntry& entry = found->second;
    if (entry.method != ZipEntry::stored && entry.method != ZipEntry::deflated)
        refuse("the ZIP file is packed in a way that is not known");
    if (entry.bytes > mostBytes)
        refuse("the text is longer than it may be");
    std::string text(entry.bytes, '\0');
    if (entry.method == ZipEntry::deflated ? !inflateTo(text, entry.packed)
                                           : entry.packed.size() != entry.bytes)
        refuse("the ZIP file is damaged");
    if (entry.method == ZipEntry::stored)
        text.assign(reinterpret_cast<const char*>(entry.packed.data()), entry.packed.size());
    if (crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()) != entry.checksum)
        refuse("the ZIP file is damaged: the checksum is wrong");
    return text;
}

}  // namespace straightedge::hub
