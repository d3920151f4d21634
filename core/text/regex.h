// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace straightedge::text {

// An Oniguruma pattern, the engine of the `tokenizers` package. Immutable; searches may run in several
// threads.
class Regex {
  public:
    // Throws Error when the pattern is not one.
    explicit Regex(const std::string& pattern);
    ~Regex();
    Regex(Regex&&) noexcept;
    Regex& operator=(Regex&&) noexcept;

    // A walk over the matches of one text, with the package's rule for empty ones: none right behind the last
    // match.
    class Matches {
      public:
        // `text` must outlive the walk.
        Matches(const Regex& regex, std::string_view text);
        ~Matches();
        Matches(const Matches&) = delete;
        Matches& operator=(const Matches&) = delete;

        std::optional<std::pair<std::size_t, std::size_t>> next();  // [start, end) in bytes

      private:
        struct Region;
        const Regex& m_regex;
        std::string m_buffer;     // holds the text where it had to be changed
        std::string_view m_text;  // code points that are too new for the engine stand in as older ones
        std::unique_ptr<Region> m_region;
        std::size_t m_from = 0;
        std::optional<std::size_t> m_lastEnd;
    };

  private:
    struct Compiled;
    std::unique_ptr<Compiled> m_compiled;
    std::string m_pattern;  // for messages
};

}  // namespace straightedge::text
