#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace svc {

/// Returns the line (from 1) of the first character that TOML 1.0 allows nowhere: a control character, or bytes that
/// are not UTF-8. Returns 0 if there is none. toml++ 3.3 must not see such characters, because it asserts on some of
/// them.
std::size_t line_of_foreign_character(std::string_view text);

/// A TOML file in a form that toml++ 3.3 can read safely: ASCII. For some other characters toml++ cannot decide if
/// they are white space, and its behaviour is then undefined. So each byte beyond ASCII is replaced by two
/// hexadecimal digits after a word that the file does not contain. In each position TOML either allows both the
/// character and the word, or neither. Immutable.
class ascii_toml {
 public:
  explicit ascii_toml(std::string_view text);

  /// Returns the text, which has the same lines as the file.
  std::string const& text() const { return text_; }
  /// Returns a key or a value of `text()` in the file's own characters.
  std::string restored(std::string_view part) const;
  /// Returns toml++'s message about an error at a line and column (from 1) of `text()`, in the file's own letters.
  /// Instead of "saw '~'" at the start of a replaced letter, the message names that letter.
  std::string described(std::string_view error, std::size_t line, std::size_t column) const;

 private:
  std::string letter_at(std::size_t line, std::size_t column) const;

  std::string word_;
  std::string text_;
};

/// Returns what an operator must correct on that line of a file, from toml++'s description of its error. Quotes the
/// line's key, never its value. Pure.
std::string toml_mistake(std::string_view description, std::string_view line);

/// The spelling of a value; a source without types (the environment) has `untyped`.
enum class value_type : std::uint8_t { untyped, text, list, integer, boolean, other };

/// One value of a configuration before its key is looked up.
struct raw_value {
  std::string name;
  std::string text;  ///< the text; the texts of a list, separated by commas
  value_type type = value_type::untyped;
  std::size_t line = 0;  ///< line in the file, from 1
};

/// Returns the values of a TOML file by dotted name; tables in an array are `name[0].member`. A problem names the
/// file and never quotes a value.
std::vector<raw_value> read_toml(std::string const& path, std::vector<std::string>& problems);
/// Returns the same for a text that was read from `path` already.
std::vector<raw_value> read_toml_text(std::string const& path, std::string_view text,
                                      std::vector<std::string>& problems);

}  // namespace svc
