#include "svc/core/numbers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace svc {
namespace {

using named_unit = std::pair<std::string_view, std::int64_t>;

constexpr named_unit units[] = {{"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};
/// In seconds.
constexpr named_unit long_units[] = {{"s", 1}, {"m", 60}, {"h", 3600}, {"d", 86'400}, {"w", 604'800}};
constexpr std::int64_t century = std::int64_t{100} * 366 * 86'400;

}  // namespace

std::optional<std::int64_t> parse_milliseconds(std::string_view text) {
  auto const digits = text.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string_view::npos) return std::nullopt;
  auto const count = parse_number<std::int64_t>(text.substr(0, digits));
  for (auto const& [name, size] : units)
    if (count && name == text.substr(digits) && *count <= std::numeric_limits<std::int64_t>::max() / size)
      return *count * size;
  return std::nullopt;
}

std::string duration_text(std::int64_t ms) {
  auto best = units[0];
  for (auto const& unit : units)
    if (ms != 0 && ms % unit.second == 0) best = unit;
  return std::to_string(ms / best.second) + std::string(best.first);
}

std::optional<std::int64_t> parse_seconds(std::string_view text) {
  auto const digits = std::min(text.find_first_not_of("0123456789"), text.size());
  auto const count = parse_number<std::uint32_t>(text.substr(0, digits));
  auto const unit = text.substr(digits);
  if (count && unit.empty()) return *count <= century ? std::optional<std::int64_t>(*count) : std::nullopt;
  for (auto const& [name, size] : long_units)
    if (count && name == unit && *count * size <= century) return *count * size;
  return std::nullopt;
}

std::string seconds_text(std::int64_t seconds) {
  auto best = long_units[0];
  for (auto const& unit : long_units)
    if (seconds != 0 && seconds % unit.second == 0 && unit.first != "w") best = unit;
  return std::to_string(seconds / best.second) + std::string(best.first);
}

}  // namespace svc
