#include "monitoring/notifications/text.hpp"

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

namespace svc::notifications {

namespace {

constexpr std::string_view ellipsis = "…";

/// Returns the first character, or the first byte if it begins no well-formed character.
std::string_view first_of(std::string_view text) {
  return text.substr(0, std::max<std::size_t>(utf8_sequence(text), 1));
}

std::string part(std::int64_t count, std::string_view unit) {
  return std::to_string(count).append(" ").append(unit);
}

}  // namespace

std::size_t units_of(std::string_view text) {
  std::size_t count = 0;
  for (char const c : text) {
    auto const byte = static_cast<unsigned char>(c);
    count += (byte & 0xC0U) == 0x80U ? 0U : byte >= 0xF0 ? 2U : 1U;
  }
  return count;
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
