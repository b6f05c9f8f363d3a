// This file translates the messages of toml++ for operators.
#include "svc/core/toml.hpp"

#include <algorithm>

namespace svc {
namespace {

/// A mistake that people make in TOML files, and the part of the library's description that shows it. `KEY` in the
/// sentence is replaced by the key of the line.
struct known_mistake {
  std::string_view scope;   ///< what the library was parsing; empty: anything
  std::string_view reason;  ///< of the library; empty: any
  std::string_view sentence;
};

constexpr std::string_view unclosed_quote = "the quote at the end of the text is missing: KEY = \"text\"";
constexpr std::string_view not_a_value = "the value is not understood; a text needs quotes: KEY = \"text\"";
constexpr std::string_view a_section =
    "a section's name (letters, digits, -, _ and dots) must be in brackets: [section]";
constexpr std::string_view an_equals_sign =
    "an equals sign must follow the key (letters, digits, - and _): KEY = \"text\"";
constexpr std::string_view a_list =
    "a list needs commas between its texts and a bracket at its end: KEY = [\"a\", \"b\"]";
constexpr std::string_view a_key = "a key has letters, digits, - and _ only, and its value follows: KEY = \"text\"";

constexpr known_mistake known_mistakes[] = {
    {"table header", "", a_section},
    {"", "expected '='", an_equals_sign},
    {"", "expected value, saw", "the value is missing: KEY = \"text\""},
    {"", "unknown escape sequence",
     "a backslash between double quotes must be written twice; or use single quotes: KEY = 'text'"},
    {"string", "control characters", unclosed_quote},
    {"string", "end-of-file", unclosed_quote},
    {"key-value pair", "a comment or whitespace", "something follows the value: each key has a line of its own"},
    {"key-value pair", "end-of-file", "the value is missing: KEY = \"text\""},
    {"array", "", a_list},
    {"inline table", "", "a table on one line needs commas between its keys and a brace at its end: {a = 1, b = 2}"},
    {"value", "", not_a_value},
    {"boolean", "", not_a_value},
    {"floating-point", "", not_a_value},
    {"integer", "", not_a_value},
    {"date", "", not_a_value},
    {"time", "", not_a_value},
    {"key", "", a_key},
    {"root table", "", a_key},
};

constexpr std::string_view twice = "cannot redefine existing ";

/// Returns the key at the start of the line; `KEY` if the line has none.
std::string key_in(std::string_view line) {
  auto const start = line.find_first_not_of(" \t");
  if (start == line.npos) return "KEY";
  line.remove_prefix(start);
  constexpr std::string_view allowed = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";
  auto const key = line.substr(0, line.find_first_not_of(allowed));
  auto const rest = line.substr(key.size());
  bool const followed =
      rest.find_first_not_of(" \t") == rest.npos || rest.substr(rest.find_first_not_of(" \t"), 1) == "=";
  return key.empty() || !followed ? "KEY" : std::string(key);
}

std::string with_key(std::string_view sentence, std::string const& key) {
  std::string out(sentence);
  if (auto const position = out.find("KEY"); position != out.npos) out.replace(position, 3, key);
  return out;
}

/// Returns the sentence about a name that the file has twice.
std::string repeated(std::string_view reason) {
  auto const open = reason.find('\'');
  auto const close = reason.find('\'', open == reason.npos ? open : open + 1);
  if (close == reason.npos) return "a name is there twice: keep one of them";
  std::string const name(reason.substr(open + 1, close - open - 1));
  if (reason.substr(twice.size()).starts_with("table '"))
    return "the section [" + name + "] is there twice: put all of its keys below one of them";
  if (reason.substr(close).find(" as ") != reason.npos)
    return name + " is there as a key and as a section: remove one of them";
  return name + " is set twice: keep one of them";
}

}  // namespace

std::string toml_mistake(std::string_view description, std::string_view line) {
  constexpr std::string_view prefix = "Error while parsing ";
  auto const colon = description.find(": ");
  bool const usual = description.starts_with(prefix) && colon != description.npos;
  auto const scope = usual ? description.substr(prefix.size(), colon - prefix.size()) : std::string_view();
  auto const reason = usual ? description.substr(colon + 2) : description;
  if (reason.starts_with(twice)) return repeated(reason);
  auto const found = std::ranges::find_if(known_mistakes, [&](known_mistake const& each) {
    return scope.find(each.scope) != scope.npos && reason.find(each.reason) != reason.npos;
  });
  if (found == std::end(known_mistakes)) return "is no TOML: " + std::string(reason);
  auto const sentence = found->sentence;
  auto const saw = reason.rfind("saw '");
  bool const about_letter = sentence == a_key || sentence == a_section || sentence == an_equals_sign;
  // The end of the line is not a typed letter.
  bool const names_letter = about_letter && saw != reason.npos && !reason.ends_with("'\\n'");
  return with_key(sentence, key_in(line)) + (names_letter ? ", not " + std::string(reason.substr(saw + 4)) : "");
}

}  // namespace svc
