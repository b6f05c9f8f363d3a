#include "monitoring/notifications/text.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace svc::notifications {

namespace {

constexpr std::string_view ellipsis = "…", replacement = "\uFFFD";

/// The first character, or nothing well-formed: one byte.
std::string_view first_of(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(utf8_sequence(text), 1));
}

bool is_line_end(std::string_view character) {
  return character == "\n" || character == "\u2028" || character == "\u2029" || character == "\u0085";
}

bool is_control(std::string_view character) {
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
    auto const character = first_of(text);
    text.remove_prefix(character.size());
    if (utf8_sequence(character) == 0)
      out += replacement;
    else if (character == "\r")
      out += text.starts_with('\n') ? "" : std::string(1, line_end);
    else if (is_line_end(character))
      out += line_end;
    else if (is_control(character))
      out += ' ';
    else if (!reorders(character))
      out += character;
  }
  return out;
}

std::string well_formed(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    auto const character = first_of(text);
    out += utf8_sequence(character) == 0 ? replacement : character;
    text.remove_prefix(character.size());
  }
  return out;
}

std::string part(std::int64_t count, std::string_view unit) {
  return std::to_string(count).append(" ").append(unit);
}

}  // namespace

std::string one_line(std::string_view text) {
  return harmless(text, ' ');
}

std::string several_lines(std::string_view text) {
  return harmless(text, '\n');
}

std::size_t units_of(std::string_view text) {
  std::size_t count = 0;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    count += (byte & 0xC0U) == 0x80U ? 0U : byte >= 0xF0 ? 2U : 1U;
  }
  return count;
}

std::string cut(std::string_view text, std::size_t most) {
  if (!is_utf8(text)) return cut(well_formed(text), most);
  if (text.size() <= most) return std::string(text);
  std::size_t end = 0;
  for (auto size = first_of(text).size(); end + size <= most - ellipsis.size();
       size = first_of(text.substr(end)).size())
    end += size;
  return std::string(text.substr(0, end)).append(ellipsis);
}

void as_is(std::string& out, std::string_view character) {
  out += character;
}

void escape_slack(std::string& out, std::string_view character) {
  if (character == "&")
    out += "&amp;";
  else if (character == "<")
    out += "&lt;";
  else if (character == ">")
    out += "&gt;";
  else
    out += character;
}

void escape_html(std::string& out, std::string_view character) {
  if (character == "\"")
    out += "&quot;";
  else if (character == "'")
    out += "&#39;";
  else
    escape_slack(out, character);
}

void escape_discord(std::string& out, std::string_view character) {
  constexpr std::string_view marks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  if (character.size() == 1 && marks.find(character[0]) != std::string_view::npos) out += '\\';
  out += character;
}

std::string escaped(std::string_view text, escape escape) {
  std::string out;
  while (!text.empty()) {
    auto const character = first_of(text);
    escape(out, character);
    text.remove_prefix(character.size());
  }
  return out;
}

std::string fitted(std::string_view text, std::size_t most_units, escape escape) {
  std::string out;
  std::size_t used = 0, room_for_ellipsis = 0;
  while (!text.empty()) {
    auto const before = out.size();
    auto const character = first_of(text);
    escape(out, character);
    used += units_of(std::string_view(out).substr(before));
    if (used > most_units) {
      out.resize(room_for_ellipsis);
      return most_units == 0 ? out : out.append(ellipsis);
    }
    if (used < most_units) room_for_ellipsis = out.size();
    text.remove_prefix(character.size());
  }
  return out;
}

std::string readable(timestamp time) {
  auto text = to_rfc3339(time).substr(0, 19);
  text[10] = ' ';
  return text + " UTC";
}

std::string readable(std::chrono::microseconds length) {
  auto const all = std::max<std::int64_t>(std::chrono::duration_cast<std::chrono::seconds>(length).count(), 0);
  struct unit {
    std::int64_t seconds, smaller;
    std::string_view name, smaller_name;
  };
  constexpr std::array<unit, 3> units{{{86'400, 3600, "d", "h"}, {3600, 60, "h", "min"}, {60, 1, "min", "s"}}};
  for (auto const& scale : units) {
    if (all < scale.seconds) continue;
    auto const rest = all % scale.seconds / scale.smaller;
    return part(all / scale.seconds, scale.name) + (rest == 0 ? "" : " " + part(rest, scale.smaller_name));
  }
  return part(all, "s");
}

}  // namespace svc::notifications
