#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

/// Returns the decimal integer that the whole text spells: digits, with a minus before them if `T` is signed.
/// Returns `std::nullopt` for an empty text, any other character (also a plus or a space), and a number that
/// `T` cannot hold.
template <std::integral T>
std::optional<T> parse_number(std::string_view text) {
  T value{};
  auto const* const end = text.data() + text.size();
  auto const [stop, failed] = std::from_chars(text.data(), end, value);
  if (failed != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Parses a duration of the settings, a count and its unit (ms, s, m, h), into milliseconds. Refuses a bare
/// number, because its unit would be a guess.
std::optional<std::int64_t> parse_milliseconds(std::string_view text);

/// Does the reverse, in the largest unit that loses nothing.
std::string duration_text(std::int64_t ms);

/// Parses a duration of a command's option, a count and its unit (s, m, h, d, w), into seconds. A bare number
/// is seconds. Returns `std::nullopt` for more than a century.
std::optional<std::int64_t> parse_seconds(std::string_view text);

/// Does the reverse, in the largest of the units s, m, h and d that loses nothing.
std::string seconds_text(std::int64_t seconds);

}  // namespace svc
