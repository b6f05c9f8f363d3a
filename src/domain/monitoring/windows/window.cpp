#include "svc/domain/monitoring/windows/window.hpp"

#include <algorithm>
#include <array>

namespace svc::windows {
namespace {

constexpr std::array<std::string_view, 3> state_names{"scheduled", "active", "finished"};

}  // namespace

std::string_view name_of(window_state state) {
  return state_names.at(static_cast<std::size_t>(state));
}

std::optional<window_state> parse_state(std::string_view text) {
  auto const found = std::ranges::find(state_names, text);
  if (found == state_names.end()) return std::nullopt;
  return static_cast<window_state>(found - state_names.begin());
}

}  // namespace svc::windows
