#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace svc::checks {

/// A text for a literal search that ignores case: simple case folding of Unicode, in UTF-8. Immutable.
class keyword {
 public:
  /// Returns `std::nullopt` if the text is empty or not UTF-8.
  static std::optional<keyword> make(std::string_view text);

  /// Returns true if the body contains the keyword. A byte that is no UTF-8 equals nothing. Reads each byte
  /// once and allocates nothing, whatever body and keyword are (Knuth, Morris and Pratt).
  bool found_in(std::string_view body) const;

 private:
  explicit keyword(std::vector<char32_t> folded);

  std::vector<char32_t> folded_;
  /// Length of the longest proper prefix of the keyword that is also a suffix of its first `i + 1` characters.
  std::vector<std::uint32_t> border_;
};

/// Returns the character that represents all characters which differ from it only in case.
char32_t folded(char32_t character);

}  // namespace svc::checks
