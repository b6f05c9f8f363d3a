#include "svc/domain/monitoring/alerting/decide.hpp"

#include "domain/monitoring/alerting/aggregate.hpp"
#include "domain/monitoring/alerting/hold.hpp"
#include "domain/monitoring/alerting/write_alerts.hpp"

#include <algorithm>
#include <chrono>

namespace svc::alerting {
namespace {

constexpr int silent_intervals = 3;

timestamp silent_at(monitor_state const& monitor, aggregated_results const& results) {
  return std::max(results.conclusive_at.value_or(monitor.since), monitor.since) + monitor.interval * silent_intervals;
}

timestamp confirmed_by(monitor_state const& monitor, timestamp suspect_since) {
  return suspect_since + (monitor.attempts_take + attempts_slack);
}

/// Returns until when the old verdict stays if too few online locations vote to contradict it.
timestamp suspect_until(monitor_state const& monitor, timestamp suspect_since) {
  return suspect_since + monitor.interval * silent_intervals;
}

/// Returns true if the votes are reliable enough for the verdict `down`.
bool may_be_down(monitor_state const& monitor, aggregated_results const& results, timestamp now) {
  bool const inside =
      results.confirmed || !results.suspect_since || now >= confirmed_by(monitor, *results.suspect_since);
  return inside && results.online_conclusive * 2 >= results.online;
}

verdict next_verdict(monitor_state const& monitor, aggregated_results const& results, timestamp now) {
  if (results.voting() == 0) return now >= silent_at(monitor, results) ? verdict::error : monitor.status;
  if (is_met(monitor, results.ups.size(), results.voting())) {
    return results.degraded > 0 && results.degraded * 2 >= results.ups.size() ? verdict::degraded : verdict::up;
  }
  if (monitor.status == verdict::down || may_be_down(monitor, results, now)) return verdict::down;
  return results.suspect_since && now >= suspect_until(monitor, *results.suspect_since) ? verdict::error
                                                                                        : monitor.status;
}

location_result const* first_down(aggregated_results const& results) {
  auto const since = [](location_result const* v) { return v->state.failing_since.value_or(timestamp{}); };
  auto const found = std::ranges::min_element(results.downs, {}, since);
  return found == results.downs.end() ? nullptr : *found;
}

/// Clamps a time to `now`. The clock of the location that made the check may be ahead.
timestamp not_after(timestamp now, std::optional<timestamp> seen) {
  return std::min(seen.value_or(now), now);
}

outage_begin begin_of_outage(monitor_state const& monitor, aggregated_results const& results, timestamp now,
                             uuid id) {
  outage_begin out{.id = id, .started_at = now, .detected_at = now};
  if (auto const* first = first_down(results)) {
    out.started_at = not_after(now, first->state.failing_since);
    if (first->state.failure) out.cause = *first->state.failure;
    out.location = first->code;
  }
  out.started_at = std::max(out.started_at, monitor.last_ended_at.value_or(out.started_at));
  for (auto const* each : results.downs) out.locations.push_back(each->code);
  return out;
}

checks::failure reason_of_error(aggregated_results const& results) {
  if (results.online == 0) return checks::failure(checks::code::no_location);
  // Without a reported error, no result arrived at all: the checks were missed.
  return results.error != nullptr ? *results.error->state.error : checks::failure(checks::code::executor_lost);
}

bool has_period(verdict v) {
  return v == verdict::degraded || v == verdict::error;
}

void change(monitor_state const& monitor, aggregated_results const& results, timestamp now, uuid fresh,
            hold const& held, decision& out) {
  auto const verdict = out.becomes;
  out.changed = true;
  if (monitor.period) end_period(monitor, monitor.status, out);
  if ((verdict == verdict::up || verdict == verdict::degraded) && monitor.outage) {
    auto const ended_at = std::max(not_after(now, good_since(monitor, results, now)), monitor.outage->started_at);
    end_outage(monitor, {monitor.outage->id, ended_at, end_reason::recovered}, out);
    out.failure_left_out = false;
    out.hold = {};
    out.caused_by.reset();
  }
  if (out.opened) write_failures(monitor, fresh, held, now, out);
  if (has_period(verdict)) begin_period(monitor, verdict, fresh, now, out);
}

/// Returns the time of the next decision if no new vote arrives before.
std::optional<timestamp> next_look(monitor_state const& monitor, aggregated_results const& results, hold const& held,
                                   timestamp now, decision const& d) {
  std::optional<timestamp> out;
  auto const consider = [&](std::optional<timestamp> time) {
    if (time && *time > now && (!out || *time < *out)) out = time;
  };
  if (d.becomes != verdict::error) consider(silent_at(monitor, results));
  consider(results.expires);
  if (d.suspect_since) {
    consider(confirmed_by(monitor, *d.suspect_since));
    consider(suspect_until(monitor, *d.suspect_since));
  }
  if (d.becomes == verdict::down) {
    consider(monitor.muted_until);
    consider(d.changed ? monitor.limited_after_change : monitor.limited_until);
    consider(next_reminder(monitor, now, d));
    consider(held.look);
  }
  return out;
}

}  // namespace

decision decide(monitor_state const& monitor, std::span<location_result const> results, timestamp now, uuid fresh) {
  decision out{.becomes = monitor.status};
  out.limit_recorded = monitor.limit_recorded && monitor.is_limited(now);
  out.failure_left_out = monitor.failure_left_out;
  if (monitor.outage) out.hold = monitor.outage->hold, out.caused_by = monitor.outage->caused_by;
  if (!monitor.live) return out;
  auto const seen = aggregate(monitor, results, now);
  out.becomes = next_verdict(monitor, seen, now);
  if (out.becomes != verdict::down) out.suspect_since = seen.suspect_since;
  if (out.becomes == verdict::error) out.reason = reason_of_error(seen);
  if (auto const* first = first_down(seen); first != nullptr && out.becomes == verdict::down) {
    out.reason = first->state.failure;
  }
  bool const opens = out.becomes == verdict::down && out.becomes != monitor.status && !monitor.outage;
  if (opens) out.opened = begin_of_outage(monitor, seen, now, fresh);
  hold held;
  if (out.becomes == verdict::down && (monitor.outage || opens)) held = find_hold(monitor, seen, now, out);
  if (out.becomes != monitor.status) change(monitor, seen, now, fresh, held, out);
  if (out.becomes == verdict::down && monitor.outage) {
    release_failures(monitor, held, now, out);
    if (out.release.empty() && !held.holds) write_reminder(monitor, now, out);
  }
  out.look_again = next_look(monitor, seen, held, now, out);
  return out;
}

bool must_decide(verdict status, location_state const& before, location_state const& after) {
  if (after.says != before.says || after.degraded != before.degraded) return true;
  switch (status) {
    case verdict::up:
      return after.says == location_status::down || after.degraded;
    case verdict::degraded:
      return after.says == location_status::down || !after.degraded;
    case verdict::down:
      return after.says == location_status::up;
    default:
      return after.says != location_status::none;
  }
}

decision interrupt(monitor_state const& monitor, end_reason reason, timestamp now) {
  decision out{.becomes = verdict::pending, .changed = monitor.status != verdict::pending};
  out.limit_recorded = monitor.limit_recorded && monitor.is_limited(now);
  if (monitor.period) end_period(monitor, monitor.status, out);
  if (monitor.outage)
    end_outage(monitor, {monitor.outage->id, std::max(now, monitor.outage->started_at), reason}, out);
  return out;
}

}  // namespace svc::alerting
