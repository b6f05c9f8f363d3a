// Only this translation unit includes toml++.

// toml++ 3.3 asserts conditions that a file can break ("[[`" as a key); with NDEBUG they become assumptions of the
// compiler. This file makes a broken condition an error of the TOML file in every build type.
#undef NDEBUG
// Only keys are known to break a condition.
#define TOML_ASSERT(expr) \
  ((expr) ? static_cast<void>(0) : throw std::logic_error("not TOML: quote keys beyond A-Z, a-z, 0-9, - and _"))
#define TOML_ENABLE_FORMATTERS 0
#include "svc/core/toml.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/file_problem.hpp"
#include "svc/core/utf8.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <tuple>

namespace svc {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

bool is_control(char c) {
  auto const code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t' && c != '\n' && c != '\r') || code == 0x7f;
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

/// Returns a word that the text does not contain. No end of the word is also its start, so a search finds the word
/// only at the positions where it was inserted.
std::string word_foreign_to(std::string_view text) {
  for (int i = 0;; ++i) {
    auto word = "~byte-" + std::to_string(i) + ":";
    if (text.find(word) == std::string_view::npos) return word;
  }
}

/// Returns true for a list of texts without commas. Commas join the texts, so a comma inside a text would split it;
/// no list of ours has such texts.
bool is_list_of_texts(toml::array const& array) {
  return std::all_of(array.begin(), array.end(), [](toml::node const& each) {
    auto const* text = each.as_string();
    return text != nullptr && !text->get().empty() && text->get().find(',') == std::string::npos;
  });
}

/// Returns one value that is neither a table nor an array of tables.
raw_value value_of(ascii_toml const& file, std::string const& name, toml::node const& node) {
  std::size_t const line = node.source().begin.line;
  if (auto const* array = node.as_array(); array && is_list_of_texts(*array)) {
    std::string joined;
    for (auto const& each : *array) joined.append(joined.empty() ? "" : ",").append(each.as_string()->get());
    return {name, file.restored(joined), value_type::list, line};
  }
  if (auto const* text = node.as_string()) return {name, file.restored(text->get()), value_type::text, line};
  if (auto const* number = node.as_integer()) return {name, std::to_string(number->get()), value_type::integer, line};
  if (auto const* flag = node.as_boolean()) return {name, flag->get() ? "true" : "false", value_type::boolean, line};
  return {name, {}, value_type::other, line};
}

void flatten(ascii_toml const& file, std::string const& name, toml::node const& node, std::vector<raw_value>& out) {
  if (auto const* table = node.as_table()) {
    for (auto const& [member, value] : *table) {
      auto const key = file.restored(member.str());
      flatten(file, name.empty() ? key : name + "." + key, value, out);
    }
  } else if (auto const* array = node.as_array(); array && array->is_array_of_tables()) {
    for (std::size_t i = 0; i < array->size(); ++i)
      flatten(file, name + "[" + std::to_string(i) + "]", (*array)[i], out);
  } else {
    out.push_back(value_of(file, name, node));
  }
}

constexpr std::size_t largest_file = 1024UL * 1024;

std::optional<std::string> read_file(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::string text;
  std::array<char, 4096> part;
  while (file.read(part.data(), part.size()) || file.gcount() > 0) {
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
    if (text.size() > largest_file) return std::nullopt;
  }
  if (file.bad()) return std::nullopt;
  return text;
}

}  // namespace

std::size_t line_of_foreign_character(std::string_view text) {
  std::size_t line = 1;
  while (!text.empty()) {
    auto const size = utf8_sequence(text);
    if (size == 0 || is_control(text.front())) return line;
    line += text.front() == '\n' ? 1 : 0;
    text.remove_prefix(size);
  }
  return 0;
}

ascii_toml::ascii_toml(std::string_view text) : word_(word_foreign_to(text)) {
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  for (char const c : text) {
    if (is_ascii(c))
      text_ += c;
    else
      text_.append(word_).append(to_hex(as_bytes(std::string_view(&c, 1))));
  }
}

std::string ascii_toml::restored(std::string_view part) const {
  std::string out;
  for (auto position = part.find(word_); position != std::string_view::npos; position = part.find(word_)) {
    out.append(part.substr(0, position));
    part.remove_prefix(position + word_.size());
    auto const digits = part.substr(0, 2);
    if (auto const byte = from_hex(digits); byte && byte->size() == 1) {
      out += static_cast<char>(byte->front());
      part.remove_prefix(digits.size());
    }
  }
  return out.append(part);
}

std::string ascii_toml::described(std::string_view error, std::size_t line, std::size_t column) const {
  constexpr std::string_view first_byte = "~'";
  auto out = restored(error);
  auto const letter = letter_at(line, column);
  if (!letter.empty() && out.ends_with(first_byte)) out.replace(out.size() - first_byte.size(), 1, letter);
  return out;
}

/// Returns the replaced letter at that position; empty without one.
std::string ascii_toml::letter_at(std::size_t line, std::size_t column) const {
  std::string_view rest = text_;
  for (; line > 1 && !rest.empty(); --line) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest.remove_prefix(std::min(column - 1, rest.size()));
  if (!rest.starts_with(word_)) return {};
  auto const whole = restored(rest.substr(0, rest.find('\n')));
  return whole.substr(0, utf8_sequence(whole));
}

std::vector<raw_value> read_toml(std::string const& path, std::vector<std::string>& problems) {
  if (auto const problem = file_problem(path)) {
    problems.push_back(path + ": " + *problem);
    return {};
  }
  auto const text = read_file(path);
  if (text) return read_toml_text(path, *text, problems);
  problems.push_back(path + ": must have at most 1 MiB");
  return {};
}

namespace {

/// Returns the line with that number (from 1) without its end.
std::string_view line_at(std::string_view text, std::size_t number) {
  for (; number > 1 && text.find('\n') != text.npos; --number) text.remove_prefix(text.find('\n') + 1);
  return text.substr(0, text.find('\n'));
}

}  // namespace

std::vector<raw_value> read_toml_text(std::string const& path, std::string_view text,
                                      std::vector<std::string>& problems) {
  std::vector<raw_value> out;
  if (auto const line = line_of_foreign_character(text); line != 0) {
    problems.push_back(path + ":" + std::to_string(line) + ": a control character, or bytes that are not UTF-8");
    return out;
  }
  ascii_toml const file(text);
  try {
    flatten(file, {}, toml::parse(file.text()), out);
    // toml++ sorts keys by name, but people read problems in the order of the file.
    std::ranges::sort(out, {}, [](raw_value const& value) { return std::tie(value.line, value.name); });
  } catch (toml::parse_error const& e) {
    // The description quotes no values, so it reveals no secret on that line.
    auto const position = e.source().begin;
    std::string const line = position ? ":" + std::to_string(position.line) : std::string();
    problems.push_back(
        path + line + ": " +
        toml_mistake(file.described(e.description(), position.line, position.column), line_at(text, position.line)));
  } catch (std::logic_error const& e) {
    problems.push_back(path + ": " + e.what());
  }
  return out;
}

}  // namespace svc
