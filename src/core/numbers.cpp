#include "svc/core/numbers.hpp"

#include <limits>
#include <utility>

namespace svc {
namespace {

constexpr std::pair<std::string_view, std::int64_t> units[] = {
    {"ms", 1}, {"s", 1000}, {"m", 60'000}, {"h", 3'600'000}};

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

}  // namespace svc
