#pragma once

#include <charconv>
#include <concepts>
#include <optional>
#include <string_view>

namespace svc {

/// The decimal integer that the whole text spells: digits, with a minus before them if `T` is signed. Nothing for an
/// empty text, for any other character (a plus or a space too), and for a number that `T` cannot hold.
template <std::integral T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  auto const* const end = text.data() + text.size();
  auto const [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc{} || stop != end) return std::nullopt;
  return value;
}

}  // namespace svc
