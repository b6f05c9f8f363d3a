#include "egress/dns/health.hpp"

#include <algorithm>
#include <utility>

namespace svc::egress {

void server_health::answered(std::string_view name, steady::time_point at) {
  if (latest_[0] && latest_[0]->name != name) latest_[1] = std::exchange(latest_[0], std::nullopt);
  latest_[0] = noted{std::string(name), at};
}

bool server_health::answered_others(std::string_view name, steady::time_point since) const {
  return std::ranges::any_of(
      latest_, [&](std::optional<noted> const& one) { return one && one->name != name && one->at >= since; });
}

}  // namespace svc::egress
