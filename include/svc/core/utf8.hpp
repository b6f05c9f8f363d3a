#pragma once

#include <cstddef>
#include <string_view>

namespace svc {

/// Returns the length of the well-formed UTF-8 sequence at the start of the text (Unicode table 3-7: shortest
/// form, no surrogates, at most U+10FFFF). Returns 0 if there is none.
constexpr std::size_t utf8_sequence(std::string_view text) {
  auto const byte = [text](std::size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U; };
  auto const tail = [byte](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  auto const lead = byte(0);
  if (lead < 0x80) return text.empty() ? 0 : 1;
  if (lead < 0xC2) return 0;
  if (lead < 0xE0) return tail(1) ? 2 : 0;
  if (lead < 0xF0) {
    auto const low = lead == 0xE0 ? 0xA0U : 0x80U;
    auto const high = lead == 0xED ? 0x9FU : 0xBFU;
    return byte(1) >= low && byte(1) <= high && tail(2) ? 3 : 0;
  }
  if (lead > 0xF4) return 0;
  auto const low = lead == 0xF0 ? 0x90U : 0x80U;
  auto const high = lead == 0xF4 ? 0x8FU : 0xBFU;
  return byte(1) >= low && byte(1) <= high && tail(2) && tail(3) ? 4 : 0;
}

constexpr bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    auto const size = utf8_sequence(text);
    if (size == 0) return false;
    text.remove_prefix(size);
  }
  return true;
}

/// Returns the number of code points of valid UTF-8.
constexpr std::size_t code_points(std::string_view text) {
  std::size_t count = 0;
  for (char const c : text) count += (static_cast<unsigned char>(c) & 0xC0U) != 0x80U;
  return count;
}

}  // namespace svc
