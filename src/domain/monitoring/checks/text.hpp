#pragma once

#include "svc/core/utf8.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace svc::checks {

/// Returns the longest start of at most `most` bytes that ends between characters.
constexpr std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  auto const continues = [&](std::size_t index) {
    return (static_cast<unsigned char>(text[index]) & 0xC0U) == 0x80U;
  };
  auto end = most;
  // A character has at most three continuation bytes. Bytes with more are no text and are cut anywhere.
  for (int back = 0; back < 3 && end > 0 && continues(end); ++back) --end;
  return text.substr(0, end > 0 && !continues(end) ? end : most);
}

/// Returns at most `most` bytes (at least three), which end with `…` if the text was cut.
inline std::string cut(std::string_view text, std::size_t most) {
  constexpr std::string_view ellipsis = "…";
  if (text.size() <= most) return std::string(text);
  return std::string(beginning(text, most - ellipsis.size())).append(ellipsis);
}

/// Returns true for C0, DEL and C1. Requires a whole character.
constexpr bool is_control(std::string_view character) {
  auto const lead = static_cast<unsigned char>(character.front());
  return lead < 0x20 || lead == 0x7F || (lead == 0xC2 && static_cast<unsigned char>(character[1]) < 0xA0);
}

/// The characters that become U+FFFD: only U+0000, which PostgreSQL refuses in a text, or all control
/// characters.
enum class unwanted_characters : std::uint8_t { null, controls };

/// Returns valid UTF-8: each invalid byte and each unwanted character becomes U+FFFD.
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

/// Returns a piece of a configuration in the form of messages.
inline std::string shown(std::string_view text) {
  return cut(text, 60);
}

}  // namespace svc::checks
