#include "svc/domain/monitoring/alerting/quiet_time.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace svc::alerting {

bool is_quiet(std::span<quiet_time const> all, timestamp time) {
  return std::ranges::any_of(all, [&](quiet_time const& each) { return each.contains(time); });
}

std::chrono::seconds length_outside(std::span<quiet_time const> all, timestamp start, std::chrono::seconds length) {
  constexpr std::int64_t second = 1'000'000;
  auto const end = start.micros + length.count() * second;
  std::vector<quiet_time> inside;
  std::ranges::copy_if(all, std::back_inserter(inside), [&](quiet_time const& each) {
    return each.excludes && each.ends_at > start && each.starts_at.micros < end;
  });
  if (inside.empty()) return length;
  std::ranges::sort(inside, {}, &quiet_time::starts_at);
  std::int64_t outside = 0, reached = start.micros;
  for (auto const& each : inside) {
    outside += std::max<std::int64_t>(0, each.starts_at.micros - reached);
    reached = std::max(reached, each.ends_at.micros);
  }
  outside += std::max<std::int64_t>(0, end - reached);
  return std::chrono::seconds(outside / second);
}

}  // namespace svc::alerting
