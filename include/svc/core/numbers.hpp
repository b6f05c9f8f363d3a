#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
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

/// A duration as settings spell it: a count and its unit (ms, s, m, h), in milliseconds. A bare number is refused:
/// its unit would be anyone's guess.
std::optional<std::int64_t> parse_milliseconds(std::string_view text);

/// The reverse, in the largest unit that loses nothing.
std::string duration_text(std::int64_t ms);

/// A duration as options of commands spell it: a count and its unit (s, m, h, d, w), in seconds. A bare number is
/// seconds. Nothing for more than a century.
std::optional<std::int64_t> parse_seconds(std::string_view text);

/// The reverse, in the largest of the units s, m, h and d that loses nothing.
std::string seconds_text(std::int64_t seconds);

}  // namespace svc
