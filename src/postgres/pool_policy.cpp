#include "postgres/pool_policy.hpp"

#include <algorithm>

namespace svc::postgres {

namespace {

int open(pool_view const& now) {
  return now.idle + now.busy;
}

}  // namespace

admission on_request(pool_view const& now, bool has_room) {
  if (now.stopped) return admission::refuse;
  // A new caller does not overtake waiting ones.
  if (now.idle > 0 && now.eligible == 0 && has_room) return admission::hand_out;
  if (now.waiting >= now.max_waiting || gives_up_waiters(now)) return admission::refuse;
  return admission::wait;
}

int project_share(int size) {
  return std::max(1, size / 2);
}

int organisation_share(int size) {
  return std::max(1, size * 3 / 4);
}

int room_of_project(int size, holdings const& held) {
  int const share = std::min(project_share(size) - held.project, organisation_share(size) - held.organisation);
  // For the largest n with project + n <= size - (all + n).
  int const beside_others = (size - held.all - held.project) / 2;
  int const first = held.project == 0 ? 1 : 0;
  return std::max(0, std::min(share, std::max(beside_others, first)));
}

int room_of_common(int size, int held, bool tenants_wait) {
  return std::max(0, (tenants_wait ? project_share(size) : size) - held);
}

int count_set_aside(int size, int abandoned) {
  return std::min(abandoned, size / 2);
}

bool many_abandoned(int size, int abandoned) {
  return abandoned >= project_share(size);
}

int sessions_to_spare(int size, int open, int abandoned, bool read_only) {
  int const within = size - open - count_set_aside(size, abandoned);
  if (read_only) return std::max(within, 0);
  int const bounded = std::min(within, size + size / 2 - open - abandoned);
  return std::max(bounded, open == 0 ? 1 : 0);
}

int connections_to_open(pool_view const& now) {
  if (now.stopped || now.cooling) return 0;
  auto const waiting = static_cast<int>(std::min<std::size_t>(now.eligible, static_cast<std::size_t>(now.size)));
  int const wanted = open(now) == 0 || !now.healthy ? std::max(waiting, 1) : waiting;
  int const limit = now.healthy ? wanted : std::min(wanted, 1);
  int const spare = sessions_to_spare(now.size, open(now) + now.opening, now.abandoned, now.read_only);
  return std::max(0, std::min(limit - now.opening, spare));
}

int connections_to_shed(pool_view const& now, int unused) {
  return std::clamp((unused + 1) / 2, 0, std::max(0, std::min(now.idle, open(now) - 1)));
}

bool gives_up_waiters(pool_view const& now) {
  return now.stopped || (open(now) == 0 && now.opening == 0 && now.cooling);
}

}  // namespace svc::postgres
