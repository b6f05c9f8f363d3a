#include "svc/core/harmless_text.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>

namespace svc {
namespace {

constexpr std::string_view ellipsis = "…", replacement = "\uFFFD";

/// Returns the first character, or the first byte if it begins no well-formed character.
std::string_view first_character(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(utf8_sequence(text), 1));
}

bool is_line_end(std::string_view character) {
  return character == "\n" || character == "\u2028" || character == "\u2029" || character == "\u0085";
}

bool is_control_character(std::string_view character) {
  if (character.size() == 1) return static_cast<unsigned char>(character[0]) < 0x20 || character[0] == 0x7F;
  return character.size() == 2 && character[0] == '\xC2' && static_cast<unsigned char>(character[1]) < 0xA0;
}

/// U+061C, U+200E, U+200F, U+202A to U+202E, U+2066 to U+2069.
bool reorders(std::string_view character) {
  return character == "\u061C" || character == "\u200E" || character == "\u200F" ||
         (character >= "\u202A" && character <= "\u202E") || (character >= "\u2066" && character <= "\u2069");
}

std::string harmless(std::string_view text, char line_end) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto const character = first_character(text);
    text.remove_prefix(character.size());
    if (utf8_sequence(character) == 0)
      out += replacement;
    else if (character == "\r")
      out += text.starts_with('\n') ? "" : std::string(1, line_end);
    else if (is_line_end(character))
      out += line_end;
    else if (is_control_character(character))
      out += ' ';
    else if (!reorders(character))
      out += character;
  }
  return out;
}

std::string well_formed(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const character = first_character(text);
    out += utf8_sequence(character) == 0 ? replacement : character;
    text.remove_prefix(character.size());
  }
  return out;
}

/// Returns true for a character that links, addresses and marks of mail programs need, also in its wide forms.
bool marks_link(std::string_view character) {
  constexpr std::array<std::string_view, 14> marks{"/", ":", "@",  "<",      ">",      "\\",     "[",
                                                   "]", "#", "\"", "\uFF0F", "\uFF1A", "\uFF20", "\uFF03"};
  return std::ranges::find(marks, character) != marks.end();
}

/// Returns true for a full stop and for what browsers take for one in a host's name (UTS 46).
bool is_full_stop(std::string_view character) {
  return character == "." || character == "\u3002" || character == "\uFF0E" || character == "\uFF61";
}

}  // namespace

std::string one_line(std::string_view text) {
  return harmless(text, ' ');
}

std::string several_lines(std::string_view text) {
  return harmless(text, '\n');
}

std::string cut(std::string_view text, std::size_t most) {
  if (!is_utf8(text)) return cut(well_formed(text), most);
  if (text.size() <= most) return std::string(text);
  std::size_t end = 0;
  for (auto size = first_character(text).size(); end + size <= most - ellipsis.size();
       size = first_character(text.substr(end)).size())
    end += size;
  return std::string(text.substr(0, end)).append(ellipsis);
}

std::string without_links(std::string_view name, std::size_t most) {
  std::string out;
  auto const text = one_line(name);
  for (std::string_view left = text; !left.empty();) {
    auto const character = first_character(left);
    left.remove_prefix(character.size());
    bool const blank = character == " " || marks_link(character);
    if (blank) {
      if (!out.empty() && out.back() != ' ') out += ' ';
    } else if (is_full_stop(character)) {
      out += ". ";  // no name of a host continues after a blank
    } else {
      out += character;
    }
  }
  while (out.ends_with(' ')) out.pop_back();
  return cut(out, most);
}

}  // namespace svc
