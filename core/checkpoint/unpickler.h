// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "tensor_view.h"

namespace straightedge::checkpoint {

// Reads the pickles that torch.save writes for state dicts: dictionaries, lists, tuples, numbers, texts and
// tensors. A pickle is a program for a stack machine that may call any Python function; this machine knows
// the instructions and the handful of functions that make up a tensor, refuses every other by its name, and
// runs nothing of the file.
class Unpickler {
  public:
    using Ref = std::uint32_t;  // a value, by its place in the order of making; valid as long as the reader

    enum class Kind { None, Bool, Integer, Float, Text, Global, Tuple, List, Dictionary, Storage, Tensor };

    // What a persistent id stands for.
    struct Storage {
        DType dtype = DType::F32;
        std::string key;  // its name in the archive
        std::int64_t elements = 0;
    };
    struct Tensor {
        Ref storage = 0;
        std::int64_t offset = 0;  // elements
        std::vector<std::int64_t> shape;
        std::vector<std::int64_t> strides;  // elements
    };
    struct Value {
        Kind kind = Kind::None;
        // Text and Global: the text. Tuple and List: the items. Dictionary: keys and values in turn.
        std::variant<std::monostate, bool, std::int64_t, double, std::string, std::vector<Ref>, Storage,
                     Tensor>
            content = {};
    };

    // `where` names the file in messages.
    Unpickler(std::span<const std::byte> bytes, std::string where);

    // The next pickle. Throws Error for anything that is not as described.
    Ref read();
    std::size_t position() const { return m_position; }  // behind what has been read

    const Value& value(Ref ref) const { return m_values[ref]; }
    // The content of a value that must be of that kind; `what` names it in the message.
    std::int64_t integer(Ref ref, const char* what) const;
    const std::string& text(Ref ref, const char* what) const;
    const std::vector<Ref>& items(Ref ref, Kind kind, const char* what) const;

    [[noreturn]] void fail(const std::string& what, const std::string& found = {}) const;

  private:
    bool step();  // false at the end of the pickle
    std::span<const std::byte> take(std::size_t bytes);
    template <typename T>
    T number();
    std::string line();

    void push(Kind kind, decltype(Value::content) content = {});
    Ref pop();
    std::vector<Ref> popToMark();
    void tuple(std::size_t count);
    void put(std::uint32_t place);
    void get(std::uint32_t place);
    void append(std::vector<Ref> more, Kind to);
    void global();
    void longInteger();
    void persistentId();
    void reduce();
    void build();
    Tensor makeTensor(const std::vector<Ref>& arguments) const;
    std::vector<std::int64_t> sizes(Ref ref, const char* what) const;

    std::span<const std::byte> m_bytes;
    std::string m_where;
    std::size_t m_position = 0;
    std::vector<Value> m_values;
    std::vector<Ref> m_stack;
    std::vector<std::size_t> m_marks;  // heights of the stack
    std::unordered_map<std::uint32_t, Ref> m_memo;
};

}  // namespace straightedge::checkpoint
