// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <exception>
#include <stdexcept>
#include <string>

namespace straightedge {

// The one type of error: what happened, where, what was expected and found, and what to do about it.
// Thrown anywhere below main, caught at the boundary of a job, shown whole.
class Error : public std::runtime_error {
  public:
    struct Parts {
        std::string what;           // "tensor is missing"; no full stop
        std::string where = {};     // the file, tensor or block
        std::string expected = {};  // empty: nothing to say
        std::string found = {};
        std::string advice = {};  // what the reader can do
    };

    explicit Error(Parts parts);

    const Parts& parts() const { return m_parts; }

    // The same error, placed in `where` when it does not say so yet.
    Error in(const std::string& where) const;

  private:
    Parts m_parts;
};

// Thrown where a stop was asked for, so that the way back is short. Not a failure.
class Cancelled : public std::exception {
  public:
    const char* what() const noexcept override { return "cancelled"; }
};

}  // namespace straightedge
