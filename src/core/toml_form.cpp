#include "core/toml_form.hpp"

#include "svc/core/bytes.hpp"
#include "svc/core/utf8.hpp"

#include <algorithm>

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

/// No end of it is its beginning, so that it is found nowhere but where it was put.
std::string word_foreign_to(std::string_view text) {
  for (int i = 0;; ++i) {
    auto word = "~byte-" + std::to_string(i) + ":";
    if (text.find(word) == std::string_view::npos) return word;
  }
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
  for (auto at = part.find(word_); at != std::string_view::npos; at = part.find(word_)) {
    out.append(part.substr(0, at));
    part.remove_prefix(at + word_.size());
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

/// Nothing at a place of ASCII, or at none.
std::string ascii_toml::letter_at(std::size_t line, std::size_t column) const {
  std::string_view rest = text_;
  for (; line > 1 && !rest.empty(); --line) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
  rest.remove_prefix(std::min(column - 1, rest.size()));
  if (!rest.starts_with(word_)) return {};
  auto const whole = restored(rest.substr(0, rest.find('\n')));
  return whole.substr(0, utf8_sequence(whole));
}

}  // namespace svc
