#include "cli/console/duration.hpp"

#include "svc/core/numbers.hpp"

namespace svc::cli {
namespace {

constexpr std::int64_t century = std::int64_t{100} * 366 * 86400;

/// 0: no unit.
std::int64_t seconds_of_unit(char c) {
  switch (c) {
    case 's':
      return 1;
    case 'm':
      return 60;
    case 'h':
      return 3600;
    case 'd':
      return 86400;
    case 'w':
      return 604800;
    default:
      return 0;
  }
}

}  // namespace

std::optional<std::int64_t> seconds_spelled(std::string_view text) {
  std::int64_t unit = text.empty() ? 0 : seconds_of_unit(text.back());
  if (unit != 0) text.remove_suffix(1);
  auto const count = parse_number<std::uint32_t>(text);
  if (!count) return std::nullopt;
  auto const seconds = *count * (unit == 0 ? 1 : unit);
  return seconds <= century ? std::optional(seconds) : std::nullopt;
}

}  // namespace svc::cli
