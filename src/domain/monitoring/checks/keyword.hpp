#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::checks {

/// A text that is looked for literally and whatever its case: simple case folding of Unicode, in UTF-8. Immutable.
class keyword {
 public:
  /// `std::nullopt` if the text is empty or no UTF-8.
  static std::optional<keyword> make(std::string_view text);

  /// True if the keyword stands somewhere in the body. A byte that is no UTF-8 equals nothing. Reads each byte once
  /// and allocates nothing, whatever body and keyword are (Knuth, Morris and Pratt).
  bool found_in(std::string_view body) const;

 private:
  explicit keyword(std::vector<char32_t> folded);

  std::vector<char32_t> folded_;
  /// Length of the longest proper prefix of the keyword that is also a suffix of its first `i + 1` characters.
  std::vector<std::uint32_t> border_;
};

/// The character that stands for all that differ from it in case alone.
char32_t folded(char32_t character);

}  // namespace svc::checks
