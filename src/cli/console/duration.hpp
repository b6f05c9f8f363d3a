#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace svc::cli {

/// Seconds that a count and its unit spell: `45s`, `30m`, `12h`, `90d`, `2w`; a bare number is seconds, the unit of
/// the API. Nothing for anything else, and for more than a century.
std::optional<std::int64_t> seconds_spelled(std::string_view text);

}  // namespace svc::cli
