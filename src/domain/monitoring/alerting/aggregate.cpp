#include "domain/monitoring/alerting/aggregate.hpp"

#include <algorithm>
#include <chrono>

namespace svc::alerting {
namespace {

using namespace std::chrono_literals;

std::chrono::microseconds freshness(monitor_state const& monitor) {
  constexpr std::chrono::microseconds least = 3min;
  return std::max(least, std::chrono::microseconds(monitor.interval) * 5 / 2);
}

template <class Time>
void keep_least(std::optional<timestamp>& least, Time const& time) {
  if (!least || time < *least) least = time;
}

template <class Time>
void keep_most(std::optional<timestamp>& most, Time const& time) {
  if (!most || time > *most) most = time;
}

void add_result(aggregated_results& weight, location_result const& result, std::chrono::microseconds fresh_for,
                timestamp now) {
  auto const& s = result.state;
  if (s.conclusive_at) keep_most(weight.conclusive_at, *s.conclusive_at);
  if (s.error && (weight.error == nullptr || weight.error->state.seen_at < s.seen_at)) weight.error = &result;
  if (!s.conclusive_at || now - *s.conclusive_at >= fresh_for) return;
  if (s.fails > 0 && s.failing_since) keep_least(weight.suspect_since, *s.failing_since);
  if (s.says == location_status::none) return;
  (s.says == location_status::up ? weight.ups : weight.downs).push_back(&result);
  weight.degraded += s.says == location_status::up && s.degraded ? 1 : 0;
  weight.online_conclusive += result.online ? 1 : 0;
  keep_least(weight.expires, *s.conclusive_at + fresh_for);
}

}  // namespace

aggregated_results aggregate(monitor_state const& monitor, std::span<location_result const> results, timestamp now) {
  aggregated_results out;
  auto const fresh_for = freshness(monitor);
  for (auto const& each : results) {
    out.online += each.online ? 1 : 0;
    // A result from before an edit says nothing about the current configuration.
    if (each.check_version == monitor.check_version) add_result(out, each, fresh_for, now);
  }
  out.confirmed = std::ranges::all_of(results, [&](location_result const& each) {
    return !each.online || !out.suspect_since ||
           (each.check_version == monitor.check_version && each.state.seen_at >= out.suspect_since);
  });
  return out;
}

bool is_met(monitor_state const& monitor, std::size_t ups, std::size_t voting) {
  switch (monitor.aggregation) {
    case strategy::all:
      return ups == voting;
    case strategy::any:
      return ups > 0;
    case strategy::majority:
      return ups * 100 >= monitor.threshold * voting;
  }
  return false;
}

timestamp good_since(monitor_state const& monitor, aggregated_results const& results, timestamp now) {
  std::vector<timestamp> times;
  for (auto const* each : results.ups) times.push_back(each->state.good_since.value_or(now));
  std::ranges::sort(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (is_met(monitor, i + 1, results.voting())) return times[i];
  }
  return now;
}

}  // namespace svc::alerting
