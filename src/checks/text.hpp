#pragma once

#include "svc/core/utf8.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace svc::checks {

/// The longest beginning of at most `most` bytes that ends between characters.
constexpr std::string_view beginning(std::string_view text, std::size_t most) {
  if (text.size() <= most) return text;
  auto const continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U; };
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

/// A piece of a configuration, as messages show it.
inline std::string shown(std::string_view text) {
  return cut(text, 60);
}

}  // namespace svc::checks
