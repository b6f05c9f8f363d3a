#include "outgoing/dns/health.hpp"

#include <algorithm>
#include <utility>

namespace svc::outgoing {

namespace {

constexpr std::chrono::seconds memory{30};

}  // namespace

void server_health::put(latest& into, std::string_view name, steady::time_point now) {
  if (into[0] && into[0]->name != name) into[1] = std::exchange(into[0], std::nullopt);
  into[0] = noted{std::string(name), now};
}

bool server_health::has_other(latest const& in, std::string_view name, steady::time_point now) {
  return std::ranges::any_of(
      in, [&](std::optional<noted> const& one) { return one && one->name != name && now - one->at <= memory; });
}

void server_health::note(std::string_view name, bool answered, steady::time_point now) {
  put(answered ? answered_ : failed_, name, now);
}

server_health::opinion server_health::of_others(std::string_view name, steady::time_point now) const {
  if (has_other(answered_, name, now)) return opinion::good;
  return has_other(failed_, name, now) ? opinion::ill : opinion::unknown;
}

}  // namespace svc::outgoing
