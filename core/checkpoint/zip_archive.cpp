// SPDX-License-Identifier: GPL-3.0-or-later
// The layout is that of PKWARE's APPNOTE.TXT: every entry has a header of its own before its data, and the
// directory at the end of the file says where they are.
#include "zip_archive.h"

#include <algorithm>
#include <string_view>

#include "checked.h"
#include "error.h"
#include "parse_json.h"

namespace straightedge::checkpoint {

namespace {

using Bytes = std::span<const std::byte>;

constexpr std::uint32_t localSignature = 0x04034B50;
constexpr std::uint32_t entrySignature = 0x02014B50;
constexpr std::uint32_t endSignature = 0x06054B50;
constexpr std::uint32_t end64Signature = 0x06064B50;
constexpr std::uint32_t locatorSignature = 0x07064B50;
constexpr std::size_t endBytes = 22;
constexpr std::size_t longestComment = 0xFFFF;
constexpr std::uint16_t in64 = 0xFFFF;  // a number that is too large for its field stands in a ZIP64 record
constexpr std::uint32_t in64Long = 0xFFFFFFFF;

template <typename T>
T at(Bytes record, std::size_t offset) {
    return loadLittleEndian<T>(record.data() + offset);
}

struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t bytes = 0;
    std::uint64_t entries = 0;
};

Directory findDirectory(Bytes bytes, const std::string& where) {
    for (std::size_t tail = endBytes; tail <= std::min(bytes.size(), endBytes + longestComment); ++tail) {
        const std::size_t start = bytes.size() - tail;
        const auto end = bytes.subspan(start);
        if (at<std::uint32_t>(end, 0) != endSignature || endBytes + at<std::uint16_t>(end, 20) != tail)
            continue;
        if (at<std::uint16_t>(end, 4) != 0 && at<std::uint16_t>(end, 4) != in64)
            throw Error({.what = "ZIP archives in several parts are not supported", .where = where});
        Directory directory{.offset = at<std::uint32_t>(end, 16),
                            .bytes = at<std::uint32_t>(end, 12),
                            .entries = at<std::uint16_t>(end, 10)};
        if (directory.offset != in64Long && directory.bytes != in64Long && directory.entries != in64)
            return directory;
        constexpr std::size_t locatorBytes = 20;
        if (start < locatorBytes)
            break;
        const auto locator = bytes.subspan(start - locatorBytes, locatorBytes);
        if (at<std::uint32_t>(locator, 0) != locatorSignature)
            break;
        const auto end64 =
            sliceOf(bytes, at<std::uint64_t>(locator, 8), 56, "the end of the ZIP archive", where);
        if (at<std::uint32_t>(end64, 0) != end64Signature)
            break;
        return {.offset = at<std::uint64_t>(end64, 48),
                .bytes = at<std::uint64_t>(end64, 40),
                .entries = at<std::uint64_t>(end64, 32)};
    }
    throw Error({.what = "the ZIP archive has no directory",
                 .where = where,
                 .advice = "the file is cut short or damaged; download or copy it again"});
}

struct Place {
    std::uint64_t offset = 0;  // of the entry's own header
    std::uint64_t packed = 0, bytes = 0;
};

// Sizes and offset, from the ZIP64 record among the extra fields where they do not fit.
Place placeOf(Bytes entry, Bytes extra) {
    std::uint64_t size = at<std::uint32_t>(entry, 24);
    std::uint64_t stored = at<std::uint32_t>(entry, 20);
    std::uint64_t offset = at<std::uint32_t>(entry, 42);
    while (extra.size() >= 4) {
        const auto id = at<std::uint16_t>(extra, 0);
        const std::size_t length = at<std::uint16_t>(extra, 2);
        extra = extra.subspan(4);
        if (length > extra.size())
            break;
        auto record = extra.first(length);
        extra = extra.subspan(length);
        if (id != 1)
            continue;
        for (std::uint64_t* number : {&size, &stored, &offset})
            if (*number == in64Long && record.size() >= 8) {
                *number = at<std::uint64_t>(record, 0);
                record = record.subspan(8);
            }
    }
    return {offset, stored, size};
}

}  // namespace

std::map<std::string, ZipEntry, std::less<>> readZip(Bytes archive, const std::string& where) {
    const Directory directory = findDirectory(archive, where);
    Bytes rest =
        sliceOf(archive, directory.offset, directory.bytes, "the directory of the ZIP archive", where);
    std::map<std::string, ZipEntry, std::less<>> entries;
    constexpr std::size_t entryBytes = 46;
    for (std::uint64_t i = 0; i < directory.entries; ++i) {
        const auto fail = [&](const char* what) {
            throw Error(
                {.what = what, .where = where + ": entry " + std::to_string(i) + " of the ZIP archive"});
        };
        if (rest.size() < entryBytes || at<std::uint32_t>(rest, 0) != entrySignature)
            fail("the directory of the ZIP archive is malformed");
        const std::size_t nameBytes = at<std::uint16_t>(rest, 28);
        const std::size_t extraBytes = at<std::uint16_t>(rest, 30);
        const std::size_t commentBytes = at<std::uint16_t>(rest, 32);
        if (rest.size() - entryBytes < nameBytes + extraBytes + commentBytes)
            fail("the directory of the ZIP archive is malformed");
        const auto text = rest.subspan(entryBytes, nameBytes);
        const std::string name(reinterpret_cast<const char*>(text.data()), text.size());
        const std::string piece = "entry " + inQuotes(name), entryWhere = where + ": " + piece;
        if ((at<std::uint16_t>(rest, 8) & 1U) != 0)
            throw Error({.what = "the entry is encrypted", .where = entryWhere});
        const Place place = placeOf(rest, rest.subspan(entryBytes + nameBytes, extraBytes));

        constexpr std::size_t headerBytes = 30;
        const auto header = sliceOf(archive, place.offset, headerBytes, piece, where);
        if (at<std::uint32_t>(header, 0) != localSignature)
            throw Error({.what = "the entry is not where the directory says", .where = entryWhere});
        const std::uint64_t start = place.offset + headerBytes + at<std::uint16_t>(header, 26) +
                                    at<std::uint16_t>(header, 28);  // inside the file but for 128 KiB
        const ZipEntry entry{.packed = sliceOf(archive, start, place.packed, piece, where),
                             .bytes = place.bytes,
                             .method = at<std::uint16_t>(rest, 10),
                             .checksum = at<std::uint32_t>(rest, 16)};
        if (!entries.emplace(name, entry).second)
            throw Error({.what = "the entry is there twice", .where = entryWhere});
        rest = rest.subspan(entryBytes + nameBytes + extraBytes + commentBytes);
    }
    return entries;
}

}  // namespace straightedge::checkpoint
