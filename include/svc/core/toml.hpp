#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// The line (from 1) of the first character that TOML 1.0 allows nowhere: a control character, or bytes that are not
/// UTF-8. 0 if there is none. toml++ 3.3 must not see them: it asserts on some of them.
std::size_t line_of_foreign_character(std::string_view text);

/// A TOML file in a form that toml++ 3.3 can read safely: ASCII. Of some other characters it cannot tell whether they
/// are white space, and its behaviour is then undefined. So each byte beyond ASCII is replaced by a word that the
/// file does not contain and two hexadecimal digits; where such a character is not allowed, the word is not allowed
/// either. Immutable.
class ascii_toml {
 public:
  explicit ascii_toml(std::string_view text);

  /// Has the same lines as the file.
  std::string const& text() const { return text_; }
  /// A key or a value of `text()`, as the file has it.
  std::string restored(std::string_view part) const;
  /// What toml++ says of an error at a line and column (from 1) of `text()`, in the file's own letters: "saw '~'" at
  /// the beginning of a replaced letter names that letter instead.
  std::string described(std::string_view error, std::size_t line, std::size_t column) const;

 private:
  std::string letter_at(std::size_t line, std::size_t column) const;

  std::string word_;
  std::string text_;
};

/// How a value was spelled; a source without types (the environment) gives `untyped`.
enum class value_type : std::uint8_t { untyped, text, list, integer, boolean, other };

/// One value of a configuration before anything knows what its key means.
struct raw_value {
  std::string name;
  std::string text;  ///< of a list: its texts, separated by commas
  value_type type = value_type::untyped;
  std::size_t line = 0;  ///< of the file, from 1
};

/// Values of a TOML file by dotted name; tables in an array are `name[0].member`. A problem names the file and never
/// quotes a value.
std::vector<raw_value> read_toml(std::string const& path, std::vector<std::string>& problems);
/// The same of a text that was read from `path` already.
std::vector<raw_value> read_toml_text(std::string const& path, std::string_view text,
                                      std::vector<std::string>& problems);

}  // namespace svc
