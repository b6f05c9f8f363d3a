#include "core/toml_form.hpp"

#include <algorithm>

namespace svc {
namespace {

bool is_control(char c) {
  auto const code = static_cast<unsigned char>(c);
  return (code < 0x20 && c != '\t' && c != '\n' && c != '\r') || code == 0x7f;
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

/// Behind the string that begins with `quotes`; at the end of its line if it must end there and does not; at a
/// character beyond ASCII that follows a backslash, be there white space between: toml++ asks whether such a one is
/// white space, too, and of some it cannot tell.
std::size_t skip_string(std::string_view text, std::size_t at, std::string_view quotes) {
  bool const escapes = quotes.front() == '"';
  bool const many_lines = quotes.size() == 3;
  while (at < text.size()) {
    if (text.substr(at).starts_with(quotes)) return at + quotes.size();
    if (text[at] == '\n' && !many_lines) return at;
    if (escapes && text[at] == '\\') {
      auto const next = std::min(text.find_first_not_of(" \t\r\n", at + 1), text.size());
      if (next < text.size() && !is_ascii(text[next])) return next;
      at = std::max(next, at + 2);
    } else {
      ++at;
    }
  }
  return text.size();
}

/// A string stands where a value or a part of a key begins. Quotes inside something else are no TOML, and toml++
/// looks through what they hold for the end of that something.
bool may_begin_string(std::string_view text, std::size_t at) {
  return at == 0 || std::string_view(" \t\r\n=,[{.").find(text[at - 1]) != std::string_view::npos;
}

/// Behind the string or comment that begins here, or `at` if none does.
std::size_t skip_free_text(std::string_view text, std::size_t at) {
  if (text[at] == '#') return std::min(text.find('\n', at), text.size());
  if (!may_begin_string(text, at)) return at;
  for (std::string_view const quotes : {"\"\"\"", "'''", "\"", "'"}) {
    if (text.substr(at).starts_with(quotes)) return skip_string(text, at + quotes.size(), quotes);
  }
  return at;
}

}  // namespace

std::size_t line_of_foreign_character(std::string_view text) {
  auto const line_at = [text](std::size_t at) {
    auto const before = text.substr(0, at);
    return static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
  };
  auto const control = std::find_if(text.begin(), text.end(), is_control);
  if (control != text.end()) return line_at(static_cast<std::size_t>(control - text.begin()));
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::size_t at = text.starts_with(byte_order_mark) ? byte_order_mark.size() : 0;
  while (at < text.size()) {
    auto const behind = skip_free_text(text, at);
    if (behind == at && !is_ascii(text[at])) return line_at(at);
    at = behind == at ? at + 1 : behind;
  }
  return 0;
}

}  // namespace svc
