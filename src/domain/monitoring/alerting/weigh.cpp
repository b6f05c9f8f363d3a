#include "domain/monitoring/alerting/weigh.hpp"

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

void add_vote(weighed& weight, location_vote const& vote, std::chrono::microseconds fresh_for, timestamp now) {
  auto const& s = vote.state;
  if (s.evidence_at) keep_most(weight.evidence_at, *s.evidence_at);
  if (s.error && (weight.error == nullptr || weight.error->state.seen_at < s.seen_at)) weight.error = &vote;
  if (!s.evidence_at || now - *s.evidence_at >= fresh_for) return;
  if (s.fails > 0 && s.failing_since) keep_least(weight.suspect_since, *s.failing_since);
  if (s.says == vote::none) return;
  (s.says == vote::up ? weight.ups : weight.downs).push_back(&vote);
  weight.degraded += s.says == vote::up && s.degraded ? 1 : 0;
  weight.online_voting += vote.online ? 1 : 0;
  keep_least(weight.expires, *s.evidence_at + fresh_for);
}

}  // namespace

weighed weigh(monitor_state const& monitor, std::span<location_vote const> votes, timestamp now) {
  weighed out;
  auto const fresh_for = freshness(monitor);
  for (auto const& each : votes) {
    out.online += each.online ? 1 : 0;
    // A result from before an edit says nothing about the current configuration.
    if (each.check_version == monitor.check_version) add_vote(out, each, fresh_for, now);
  }
  out.confirmed = std::ranges::all_of(votes, [&](location_vote const& each) {
    return !each.online || !out.suspect_since ||
           (each.check_version == monitor.check_version && each.state.seen_at >= out.suspect_since);
  });
  return out;
}

bool is_met(monitor_state const& monitor, std::size_t ups, std::size_t voting) {
  switch (monitor.agent) {
    case strategy::all:
      return ups == voting;
    case strategy::any:
      return ups > 0;
    case strategy::majority:
      return ups * 100 >= monitor.threshold * voting;
  }
  return false;
}

timestamp good_since(monitor_state const& monitor, weighed const& votes, timestamp now) {
  std::vector<timestamp> times;
  for (auto const* each : votes.ups) times.push_back(each->state.good_since.value_or(now));
  std::ranges::sort(times);
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (is_met(monitor, i + 1, votes.voting())) return times[i];
  }
  return now;
}

}  // namespace svc::alerting
