#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace svc {

// Numbers and durations as settings of all programs spell them.

/// Decimal, with an optional minus; nothing for anything else.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// A count and its unit (ms, s, m, h), in milliseconds. A bare number is refused: nobody could tell its unit.
std::optional<std::int64_t> parse_milliseconds(std::string_view text);

/// The other way, in the largest unit that loses nothing.
std::string duration_text(std::int64_t ms);

}  // namespace svc
