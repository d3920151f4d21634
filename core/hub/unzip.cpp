// SPDX-License-Identifier: GPL-3.0-or-later
// The layout is that of PKWARE's APPNOTE: 4.3.16 end of the directory, 4.3.12 directory, 4.3.7 local header.
#include "unzip.h"

#include <zlib.h>

#include "checkpoint/parse_json.h"
#include "error.h"

namespace straightedge::hub {

namespace {

constexpr std::string_view endMark("PK\5\6", 4), entryMark("PK\1\2", 4), localMark("PK\3\4", 4);
constexpr std::size_t endBytes = 22, entryBytes = 46, localBytes = 30;

class Zip {
  public:
    Zip(std::string_view bytes, const std::string& where) : m_bytes(bytes), m_where(where) {}

    [[noreturn]] void refuse(const std::string& what) const {
        throw Error({.what = what, .where = m_where, .advice = "fetch it again"});
    }
    // Little-endian, at a place that is checked.
    std::uint32_t number(std::size_t at, int bytes) const {
        const std::string_view part = slice(at, static_cast<std::size_t>(bytes));
        std::uint32_t value = 0;
        for (int i = bytes; i-- > 0;)
            value = value << 8 | static_cast<unsigned char>(part[static_cast<std::size_t>(i)]);
        return value;
    }
    std::string_view slice(std::size_t at, std::size_t length) const {
        if (at > m_bytes.size() || length > m_bytes.size() - at)
            refuse("the ZIP file is damaged");
        return m_bytes.substr(at, length);
    }
    // Where the entry of that name stands in the directory.
    std::size_t find(std::string_view name) const {
        const std::size_t end = m_bytes.rfind(endMark);
        if (end == std::string_view::npos)
            refuse("this is no ZIP file, or not all of one");
        slice(end, endBytes);
        const std::uint32_t count = number(end + 10, 2);
        std::size_t at = number(end + 16, 4);
        for (std::uint32_t i = 0; i < count; ++i) {
            if (slice(at, entryBytes).substr(0, 4) != entryMark)
                refuse("the ZIP file is damaged");
            const std::size_t length = number(at + 28, 2);
            if (slice(at + entryBytes, length) == name)
                return at;
            at += entryBytes + length + number(at + 30, 2) + number(at + 32, 2);
        }
        refuse("the ZIP file has no entry " + checkpoint::inQuotes(name));
    }
    std::string_view content(std::size_t entry) const {
        const std::size_t local = number(entry + 42, 4);
        if (slice(local, localBytes).substr(0, 4) != localMark)
            refuse("the ZIP file is damaged");
        return slice(local + localBytes + number(local + 26, 2) + number(local + 28, 2),
                     number(entry + 20, 4));
    }

  private:
    std::string_view m_bytes;
    const std::string& m_where;
};

// Raw deflate of a known length.
bool inflateTo(std::string& out, std::string_view packed) {
    z_stream stream{};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK)
        return false;
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
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
    const Zip zip(bytes, where);
    const std::size_t entry = zip.find(name);
    constexpr std::uint32_t stored = 0, deflated = 8, encrypted = 1;
    const std::uint32_t method = zip.number(entry + 10, 2);
    if ((zip.number(entry + 8, 2) & encrypted) != 0 || (method != stored && method != deflated))
        zip.refuse("the ZIP file is packed in a way that is not known");
    const std::uint32_t size = zip.number(entry + 24, 4);
    if (size > mostBytes)
        zip.refuse("the text is longer than it may be");
    const std::string_view packed = zip.content(entry);
    std::string text(size, '\0');
    if (method == stored ? packed.size() != size : !inflateTo(text, packed))
        zip.refuse("the ZIP file is damaged");
    if (method == stored)
        text = packed;
    if (crc32(0, reinterpret_cast<const Bytef*>(text.data()), size) != zip.number(entry + 16, 4))
        zip.refuse("the ZIP file is damaged: the checksum is wrong");
    return text;
}

}  // namespace straightedge::hub
