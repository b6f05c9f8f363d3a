#include "svc/domain/monitoring/alerting/decide.hpp"

#include "domain/monitoring/alerting/weigh.hpp"
#include "domain/monitoring/alerting/write_alerts.hpp"

#include <algorithm>
#include <chrono>

namespace svc::alerting {
namespace {

using namespace std::chrono_literals;

constexpr int silent_intervals = 3;

timestamp silent_at(monitor_state const& monitor, weighed const& votes) {
  return std::max(votes.evidence_at.value_or(monitor.since), monitor.since) + monitor.interval * silent_intervals;
}

timestamp confirmed_by(monitor_state const& monitor, timestamp suspect_since) {
  return suspect_since + monitor.attempts_take + 10s;
}

/// Returns until when the old verdict stays if too few online locations vote to contradict it.
timestamp doubted_until(monitor_state const& monitor, timestamp suspect_since) {
  return suspect_since + monitor.interval * silent_intervals;
}

/// Returns true if the votes are reliable enough for the verdict `down`.
bool may_be_down(monitor_state const& monitor, weighed const& votes, timestamp now) {
  bool const inside = votes.confirmed || !votes.suspect_since || now >= confirmed_by(monitor, *votes.suspect_since);
  return inside && votes.online_voting * 2 >= votes.online;
}

verdict next_verdict(monitor_state const& monitor, weighed const& votes, timestamp now) {
  if (votes.voting() == 0) return now >= silent_at(monitor, votes) ? verdict::error : monitor.stands;
  if (is_met(monitor, votes.ups.size(), votes.voting())) {
    return votes.degraded > 0 && votes.degraded * 2 >= votes.ups.size() ? verdict::degraded : verdict::up;
  }
  if (monitor.stands == verdict::down || may_be_down(monitor, votes, now)) return verdict::down;
  return votes.suspect_since && now >= doubted_until(monitor, *votes.suspect_since) ? verdict::error : monitor.stands;
}

location_vote const* first_down(weighed const& votes) {
  auto const since = [](location_vote const* v) { return v->state.failing_since.value_or(timestamp{}); };
  auto const found = std::ranges::min_element(votes.downs, {}, since);
  return found == votes.downs.end() ? nullptr : *found;
}

/// Clamps a time to `now`. The clock of the location that made the check may be ahead.
timestamp not_after(timestamp now, std::optional<timestamp> seen) {
  return std::min(seen.value_or(now), now);
}

outage_begin begin_of_outage(monitor_state const& monitor, weighed const& votes, timestamp now, uuid id) {
  outage_begin out{.id = id, .started_at = now, .detected_at = now};
  if (auto const* first = first_down(votes)) {
    out.started_at = not_after(now, first->state.failing_since);
    if (first->state.failure) out.cause = *first->state.failure;
    out.location = first->code;
  }
  out.started_at = std::max(out.started_at, monitor.last_ended_at.value_or(out.started_at));
  for (auto const* each : votes.downs) out.locations.push_back(each->code);
  return out;
}

checks::failure reason_of_error(weighed const& votes) {
  if (votes.online == 0) return checks::failure(checks::code::no_location);
  // Without a reported error, no result arrived at all: the checks were missed.
  return votes.error != nullptr ? *votes.error->state.error : checks::failure(checks::code::executor_lost);
}

bool has_period(verdict v) {
  return v == verdict::degraded || v == verdict::error;
}

void change(monitor_state const& monitor, weighed const& votes, timestamp now, uuid fresh, decision& out) {
  auto const verdict = out.becomes;
  out.changed = true;
  if (monitor.period) end_period(monitor, monitor.stands, out);
  if ((verdict == verdict::up || verdict == verdict::degraded) && monitor.outage) {
    auto const ended_at = std::max(not_after(now, good_since(monitor, votes, now)), monitor.outage->started_at);
    end_outage(monitor, {monitor.outage->id, ended_at, end_reason::recovered}, out);
    out.failure_left_out = false;
  }
  if (verdict == verdict::down && !monitor.outage) {
    out.opened = begin_of_outage(monitor, votes, now, fresh);
    write_failures(monitor, fresh, now, out);
  }
  if (has_period(verdict)) begin_period(monitor, verdict, fresh, now, out);
}

/// Returns the time of the next decision if no new vote arrives before.
std::optional<timestamp> next_look(monitor_state const& monitor, weighed const& votes, timestamp now,
                                   decision const& d) {
  std::optional<timestamp> out;
  auto const consider = [&](std::optional<timestamp> time) {
    if (time && *time > now && (!out || *time < *out)) out = time;
  };
  if (d.becomes != verdict::error) consider(silent_at(monitor, votes));
  consider(votes.expires);
  if (d.suspect_since) {
    consider(confirmed_by(monitor, *d.suspect_since));
    consider(doubted_until(monitor, *d.suspect_since));
  }
  if (d.becomes == verdict::down) {
    consider(monitor.muted_until);
    consider(d.changed ? monitor.limited_after_change : monitor.limited_until);
    consider(next_reminder(monitor, now, d));
  }
  return out;
}

}  // namespace

decision decide(monitor_state const& monitor, std::span<location_vote const> votes, timestamp now, uuid fresh) {
  decision out{.becomes = monitor.stands};
  out.limit_recorded = monitor.limit_recorded && monitor.is_limited(now);
  out.failure_left_out = monitor.failure_left_out;
  if (!monitor.live) return out;
  auto const seen = weigh(monitor, votes, now);
  out.becomes = next_verdict(monitor, seen, now);
  if (out.becomes != verdict::down) out.suspect_since = seen.suspect_since;
  if (out.becomes == verdict::error) out.reason = reason_of_error(seen);
  if (auto const* first = first_down(seen); first != nullptr && out.becomes == verdict::down) {
    out.reason = first->state.failure;
  }
  if (out.becomes != monitor.stands) change(monitor, seen, now, fresh, out);
  if (out.becomes == verdict::down && monitor.outage) {
    release_failures(monitor, now, out);
    if (out.release.empty()) write_reminder(monitor, now, out);
  }
  out.look_again = next_look(monitor, seen, now, out);
  return out;
}

bool must_decide(verdict stands, location_state const& before, location_state const& after) {
  if (after.says != before.says || after.degraded != before.degraded) return true;
  switch (stands) {
    case verdict::up:
      return after.says == vote::down || after.degraded;
    case verdict::degraded:
      return after.says == vote::down || !after.degraded;
    case verdict::down:
      return after.says == vote::up;
    default:
      return after.says != vote::none;
  }
}

decision interrupt(monitor_state const& monitor, end_reason reason, timestamp now) {
  decision out{.becomes = verdict::pending, .changed = monitor.stands != verdict::pending};
  out.limit_recorded = monitor.limit_recorded && monitor.is_limited(now);
  if (monitor.period) end_period(monitor, monitor.stands, out);
  if (monitor.outage)
    end_outage(monitor, {monitor.outage->id, std::max(now, monitor.outage->started_at), reason}, out);
  return out;
}

}  // namespace svc::alerting
