#include "postgres/pool_policy.hpp"

#include <algorithm>

namespace svc::postgres {

namespace {

int open(pool_view const& now) {
  return now.idle + now.busy;
}

}  // namespace

admission on_request(pool_view const& now) {
  if (now.stopped) return admission::refuse;
  // A new caller does not overtake waiting ones.
  if (now.idle > 0 && now.waiting == 0) return admission::hand_out;
  if (now.waiting >= now.max_waiting || gives_up_waiters(now)) return admission::refuse;
  return admission::wait;
}

int connections_to_open(pool_view const& now) {
  if (now.stopped || now.cooling) return 0;
  auto const waiting = static_cast<int>(std::min<std::size_t>(now.waiting, static_cast<std::size_t>(now.size)));
  int const wanted = open(now) == 0 || !now.healthy ? std::max(waiting, 1) : waiting;
  int const limit = now.healthy ? wanted : std::min(wanted, 1);
  return std::max(0, std::min(limit - now.opening, now.size - open(now) - now.opening));
}

int connections_to_shed(pool_view const& now, int unused) {
  return std::clamp((unused + 1) / 2, 0, std::max(0, std::min(now.idle, open(now) - 1)));
}

bool gives_up_waiters(pool_view const& now) {
  return now.stopped || (open(now) == 0 && now.opening == 0 && now.cooling);
}

}  // namespace svc::postgres
