// SPDX-License-Identifier: GPL-3.0-or-later
// The instructions are those of Python's pickletools, protocol 2. Values lie in one list and refer to one
// another by their places, so that cycles and deep nesting cost nothing; every instruction makes at most one.
#include "unpickler.h"

#include <algorithm>
#include <array>
#include <bit>
#include <ranges>
#include <string_view>
#include <utility>

#include "checked.h"
#include "error.h"
#include "parse_json.h"

namespace straightedge::checkpoint {

namespace {

// Real ones stay far below. They bound what a hostile pickle can make of few bytes.
constexpr std::size_t mostBytes = 16U << 20U;
constexpr std::size_t mostDimensions = 64;
constexpr std::size_t longestKey = 256;

constexpr std::string_view orderedDict = "collections.OrderedDict";
constexpr std::string_view rebuildTensor = "torch._utils._rebuild_tensor_v2";
constexpr std::string_view rebuildParameter = "torch._utils._rebuild_parameter";

constexpr std::array<std::pair<std::string_view, DType>, 10> storages{{{"torch.FloatStorage", DType::F32},
                                                                       {"torch.HalfStorage", DType::F16},
                                                                       {"torch.BFloat16Storage", DType::BF16},
                                                                       {"torch.DoubleStorage", DType::F64},
                                                                       {"torch.LongStorage", DType::I64},
                                                                       {"torch.IntStorage", DType::I32},
                                                                       {"torch.ShortStorage", DType::I16},
                                                                       {"torch.CharStorage", DType::I8},
                                                                       {"torch.ByteStorage", DType::U8},
                                                                       {"torch.BoolStorage", DType::Bool}}};

auto storageOf(std::string_view global) {
    return std::ranges::find(storages, global, &std::pair<std::string_view, DType>::first);
}

std::string hex(std::uint8_t byte) {
    constexpr std::string_view digits = "0123456789abcdef";
    return {'0', 'x', digits[byte >> 4U], digits[byte & 0xFU]};
}

}  // namespace

Unpickler::Unpickler(std::span<const std::byte> bytes, std::string where)
    : m_bytes(bytes.first(std::min(bytes.size(), mostBytes))), m_where(std::move(where)) {}

void Unpickler::fail(const std::string& what, const std::string& found) const {
    throw Error({.what = what,
                 .where = m_where,
                 .found = found,
                 .advice =
                     "use the model's safetensors files, or save its weights again as a plain state dict "
                     "with torch.save"});
}

Unpickler::Ref Unpickler::read() {
    m_stack.clear();
    m_marks.clear();
    m_memo.clear();
    if (number<std::uint8_t>() != 0x80)  // PROTO
        fail("this is not a pickle that torch.save writes");
    if (const auto protocol = number<std::uint8_t>(); protocol != 2)
        fail("this pickle protocol is not supported", std::to_string(protocol) + ", expected 2");
    while (step()) {
    }
    return pop();
}

bool Unpickler::step() {
    switch (const auto code = number<std::uint8_t>(); code) {
        case '.':  // STOP
            return false;
        case '(':  // MARK
            m_marks.push_back(m_stack.size());
            break;
        case 'N':
            push(Kind::None);
            break;
        case 0x88:
            push(Kind::Bool, true);
            break;
        case 0x89:
            push(Kind::Bool, false);
            break;
        case 'J':  // BININT
            push(Kind::Integer, std::int64_t{number<std::int32_t>()});
            break;
        case 'K':
            push(Kind::Integer, std::int64_t{number<std::uint8_t>()});
            break;
        case 'M':
            push(Kind::Integer, std::int64_t{number<std::uint16_t>()});
            break;
        case 0x8A:  // LONG1
            longInteger();
            break;
        case 'G': {  // BINFLOAT, the one number that is big-endian
            auto bits = number<std::uint64_t>();
            std::uint64_t turned = 0;
            for (int i = 0; i < 8; ++i, bits >>= 8U)
                turned = turned << 8U | (bits & 0xFFU);
            push(Kind::Float, std::bit_cast<double>(turned));
            break;
        }
        case 'X': {  // BINUNICODE
            const auto text = take(number<std::uint32_t>());
            push(Kind::Text, std::string(reinterpret_cast<const char*>(text.data()), text.size()));
            break;
        }
        case ')':
            push(Kind::Tuple, std::vector<Ref>());
            break;
        case 0x85:
        case 0x86:
        case 0x87:
            tuple(code - 0x84U);
            break;
        case 't':
            push(Kind::Tuple, popToMark());
            break;
        case ']':
            push(Kind::List, std::vector<Ref>());
            break;
        case '}':
            push(Kind::Dictionary, std::vector<Ref>());
            break;
        case 'a':
            append({pop()}, Kind::List);
            break;
        case 'e':
            append(popToMark(), Kind::List);
            break;
        case 's': {
            const Ref value = pop();
            append({pop(), value}, Kind::Dictionary);
            break;
        }
        case 'u':
            append(popToMark(), Kind::Dictionary);
            break;
        case 'q':
            put(number<std::uint8_t>());
            break;
        case 'r':
            put(number<std::uint32_t>());
            break;
        case 'h':
            get(number<std::uint8_t>());
            break;
        case 'j':
            get(number<std::uint32_t>());
            break;
        case 'c':
            global();
            break;
        case 'Q':
            persistentId();
            break;
        case 'R':
            reduce();
            break;
        case 'b':
            build();
            break;
        default:
            fail("the pickle has an instruction that no state dict needs", hex(code));
    }
    return true;
}

std::span<const std::byte> Unpickler::take(std::size_t bytes) {
    if (bytes > m_bytes.size() - m_position)
        fail("the pickle is cut short", std::to_string(m_bytes.size()) + " bytes");
    m_position += bytes;
    return m_bytes.subspan(m_position - bytes, bytes);
}

template <typename T>
T Unpickler::number() {
    return loadLittleEndian<T>(take(sizeof(T)).data());
}

std::string Unpickler::line() {
    const auto rest = m_bytes.subspan(m_position);
    const auto end = std::ranges::find(rest, std::byte{'\n'});
    if (end == rest.end())
        fail("the pickle is cut short");
    const auto text = take(static_cast<std::size_t>(end - rest.begin()));
    take(1);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
}

void Unpickler::push(Kind kind, decltype(Value::content) content) {
    m_stack.push_back(static_cast<Ref>(m_values.size()));
    m_values.push_back({kind, std::move(content)});
}

// Never from below the last mark.
Unpickler::Ref Unpickler::pop() {
    if (m_stack.size() <= (m_marks.empty() ? 0 : m_marks.back()))
        fail("the pickle takes a value where there is none");
    const Ref ref = m_stack.back();
    m_stack.pop_back();
    return ref;
}

std::vector<Unpickler::Ref> Unpickler::popToMark() {
    if (m_marks.empty())
        fail("the pickle takes values up to a mark where there is none");
    const auto from = m_stack.begin() + static_cast<std::ptrdiff_t>(m_marks.back());
    std::vector<Ref> values(from, m_stack.end());
    m_stack.erase(from, m_stack.end());
    m_marks.pop_back();
    return values;
}

void Unpickler::tuple(std::size_t count) {
    std::vector<Ref> values(count);
    for (Ref& value : std::views::reverse(values))
        value = pop();
    push(Kind::Tuple, std::move(values));
}

void Unpickler::put(std::uint32_t place) {
    const Ref top = pop();
    m_stack.push_back(top);
    m_memo[place] = top;
}

void Unpickler::get(std::uint32_t place) {
    const auto found = m_memo.find(place);
    if (found == m_memo.end())
        fail("the pickle recalls a value that was never kept", std::to_string(place));
    m_stack.push_back(found->second);
}

void Unpickler::append(std::vector<Ref> more, Kind to) {
    const Ref target = pop();
    m_stack.push_back(target);
    if (m_values[target].kind != to || (to == Kind::Dictionary && more.size() % 2 != 0))
        fail("the pickle adds to a value that is no list or dictionary");
    auto& items = std::get<std::vector<Ref>>(m_values[target].content);
    items.insert(items.end(), more.begin(), more.end());
}

void Unpickler::global() {
    const std::string module = line();
    const std::string name = module + "." + line();
    if (name != orderedDict && name != rebuildTensor && name != rebuildParameter &&
        storageOf(name) == storages.end())
        fail("the pickle asks for " + inQuotes(name) + ", which is no part of a tensor; it is not run");
    push(Kind::Global, name);
}

void Unpickler::longInteger() {
    const auto digits = take(number<std::uint8_t>());
    if (digits.size() > sizeof(std::int64_t)) {  // the first pickle of an old file begins with one
        push(Kind::Text, std::string(reinterpret_cast<const char*>(digits.data()), digits.size()));
        return;
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < digits.size(); ++i)
        value |= std::to_integer<std::uint64_t>(digits[i]) << 8 * i;
    if (!digits.empty() && digits.size() < 8 && std::to_integer<int>(digits.back()) >= 0x80)
        value |= ~std::uint64_t{0} << 8 * digits.size();  // negative
    push(Kind::Integer, static_cast<std::int64_t>(value));
}

// ("storage", torch.FloatStorage, "0", "cpu", elements), in old files with None behind it.
void Unpickler::persistentId() {
    const auto& id = items(pop(), Kind::Tuple, "a persistent id");
    if (id.size() < 5 || id.size() > 6 || text(id[0], "a persistent id") != "storage")
        fail("the pickle has a persistent id that is no storage");
    if (id.size() == 6 && value(id[5]).kind != Kind::None)
        fail("the pickle has a storage that is a view of another");
    const auto type = value(id[1]).kind == Kind::Global
                          ? storageOf(std::get<std::string>(value(id[1]).content))
                          : storages.end();
    if (type == storages.end())
        fail("the pickle has a storage of no known type");
    if (text(id[2], "the key of a storage").size() > longestKey)
        fail("the pickle has a storage with a key that is too long");
    push(Kind::Storage, Storage{.dtype = type->second,
                                .key = text(id[2], "the key of a storage"),
                                .elements = integer(id[4], "the size of a storage")});
}

void Unpickler::reduce() {
    const Ref argumentsRef = pop();
    const Ref callable = pop();
    if (value(callable).kind != Kind::Global)
        fail("the pickle calls what is no function; it is not run");
    const std::string name = std::get<std::string>(value(callable).content);
    const std::vector<Ref>& arguments = items(argumentsRef, Kind::Tuple, "arguments");
    if (name == orderedDict && arguments.empty())
        return push(Kind::Dictionary, std::vector<Ref>());
    if (name == rebuildTensor && (arguments.size() == 6 || arguments.size() == 7))
        return push(Kind::Tensor, makeTensor(arguments));
    if (name == rebuildParameter && arguments.size() == 3 && value(arguments[0]).kind == Kind::Tensor)
        return m_stack.push_back(arguments[0]);
    fail("the pickle calls " + inQuotes(name) + " with arguments that are not known; it is not run");
}

// Attributes of an OrderedDict (its "_metadata") say nothing about the weights.
void Unpickler::build() {
    const Ref state = pop();
    const Ref object = pop();
    if (value(object).kind != Kind::Dictionary || value(state).kind != Kind::Dictionary)
        fail("the pickle gives attributes to a value that is no dictionary");
    m_stack.push_back(object);
}

Unpickler::Tensor Unpickler::makeTensor(const std::vector<Ref>& arguments) const {
    if (value(arguments[0]).kind != Kind::Storage)
        fail("the pickle makes a tensor without a storage");
    Tensor tensor{.storage = arguments[0],
                  .offset = integer(arguments[1], "the offset of a tensor"),
                  .shape = sizes(arguments[2], "the shape of a tensor"),
                  .strides = sizes(arguments[3], "the strides of a tensor")};
    if (tensor.shape.size() != tensor.strides.size())
        fail("the pickle makes a tensor whose strides do not fit its shape",
             shapeText(tensor.shape) + " and " + shapeText(tensor.strides));
    return tensor;
}

std::vector<std::int64_t> Unpickler::sizes(Ref ref, const char* what) const {
    const auto& numbers = items(ref, Kind::Tuple, what);
    if (numbers.size() > mostDimensions)
        fail(std::string(what) + " in the pickle has too many dimensions", std::to_string(numbers.size()));
    std::vector<std::int64_t> result;
    for (const Ref number : numbers)
        result.push_back(integer(number, what));
    return result;
}

std::int64_t Unpickler::integer(Ref ref, const char* what) const {
    if (value(ref).kind != Kind::Integer)
        fail(std::string(what) + " in the pickle is no number");
    return std::get<std::int64_t>(value(ref).content);
}

const std::string& Unpickler::text(Ref ref, const char* what) const {
    if (value(ref).kind != Kind::Text)
        fail(std::string(what) + " in the pickle is no text");
    return std::get<std::string>(value(ref).content);
}

const std::vector<Unpickler::Ref>& Unpickler::items(Ref ref, Kind kind, const char* what) const {
    if (value(ref).kind != kind)
        fail(std::string(what) + " in the pickle is not of the kind that it must be");
    return std::get<std::vector<Ref>>(value(ref).content);
}

}  // namespace straightedge::checkpoint
