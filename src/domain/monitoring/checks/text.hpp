#pragma once

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::checks {

/// The longest beginning of at most `most` bytes that ends between characters.
constexpr std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  auto const continues = [&](std::size_t index) {
    return (static_cast<unsigned char>(text[index]) & 0xC0U) == 0x80U;
  };
  auto end = most;
  // A character has at most three bytes that continue it; what has more is no text, and is cut anywhere.
  for (int back = 0; back < 3 && end > 0 && continues(end); ++back) --end;
  return text.substr(0, end > 0 && !continues(end) ? end : most);
}

/// Ends with `…` where something was cut; at most `most` bytes, of at least three.
inline std::string cut(std::string_view text, std::size_t most) {
  constexpr std::string_view ellipsis = "…";
  if (text.size() <= most) return std::string(text);
  return std::string(beginning(text, most - ellipsis.size())).append(ellipsis);
}

/// C0, DEL and C1, of a whole character.
constexpr bool is_control(std::string_view character) {
  auto const lead = static_cast<unsigned char>(character.front());
  return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

/// Which control characters become U+FFFD: U+0000 alone, which PostgreSQL takes in no text, or all.
enum class unwanted_characters : std::uint8_t { null, controls };

/// Valid UTF-8: a byte that is none, and an unwanted character, becomes U+FFFD.
inline std::string harmless(std::string_view text, unwanted_characters which) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string out;
  while (!text.empty()) {
    auto const size = utf8_sequence(text);
    auto const word = text.substr(0, std::max<std::size_t>(size, 1));
    bool const bad = size == 0 || (which == unwanted_characters::null ? word.front() == '\0' : is_control(word));
    out += bad ? replacement : word;
    text.remove_prefix(word.size());
  }
  return out;
}

/// A piece of a configuration, as messages show it.
inline std::string shown(std::string_view text) {
  return cut(text, 60);
}

}  // namespace svc::checks
