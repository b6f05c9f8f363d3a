#include "domain/monitoring/alerting/hold.hpp"

#include <algorithm>
#include <chrono>

namespace svc::alerting {
namespace {

using namespace std::chrono_literals;

// The transaction that changes a parent makes its children decide. These looks find what it missed.
constexpr std::chrono::seconds look_while_waiting = 5s, look_while_down = 60s;

/// The outage that is open after the decision.
struct current_outage {
  timestamp started_at{}, detected_at{};
};

current_outage outage_of(monitor_state const& monitor, decision const& out) {
  if (out.opened) return {out.opened->started_at, out.opened->detected_at};
  return {monitor.outage->started_at, monitor.outage->detected_at};
}

parent_state const* down_parent(monitor_state const& monitor) {
  auto const found = std::ranges::find_if(monitor.parents, &parent_state::down);
  return found == monitor.parents.end() ? nullptr : &*found;
}

/// Returns the time at which the outage waits no longer for results of parents.
timestamp end_of_wait(monitor_state const& monitor, timestamp detected_at) {
  std::chrono::seconds longest{0};
  for (auto const& each : monitor.parents) {
    if (each.conclusive || each.down) longest = std::max(longest, each.attempts_take);
  }
  return detected_at + (longest + attempts_slack);
}

/// Returns true if this parent may be found down soon.
bool is_awaited(parent_state const& parent, timestamp started_at) {
  bool const newer = parent.conclusive_at && *parent.conclusive_at >= started_at;
  return parent.conclusive && (!newer || parent.failing);
}

std::optional<timestamp> earlier(std::optional<timestamp> time, timestamp other) {
  return time ? std::min(*time, other) : other;
}

/// Returns the start of the newest failing check.
std::optional<timestamp> failing_at(aggregated_results const& results) {
  std::optional<timestamp> out;
  for (auto const* each : results.downs) {
    auto const& state = each->state;
    if (state.fails > 0 && state.conclusive_at)
      out = std::max(out.value_or(*state.conclusive_at), *state.conclusive_at);
  }
  return out;
}

/// Returns the reason if the failing check started under a hold that has ended since. Such a check says nothing
/// about the time after the hold.
std::optional<suppression> ended_since(monitor_state const& monitor, aggregated_results const& results) {
  auto const failing = failing_at(results);
  if (!failing) return std::nullopt;
  if (monitor.is_in_maintenance(*failing)) return suppression::maintenance;
  bool const parent_was_down = std::ranges::any_of(monitor.parents, [&](parent_state const& each) {
    return each.last_ended_at && *each.last_ended_at > *failing;
  });
  return parent_was_down ? std::optional(suppression::dependency) : std::nullopt;
}

/// Returns true if a failure of the open outage may still be sent.
bool awaits_release(monitor_state const& monitor) {
  return monitor.failure_left_out || std::ranges::any_of(monitor.outage->failures, is_held_back);
}

/// Returns true if the failures are sent now, or recorded in an outage that opens, unless something holds them back.
/// Then a hold may have started and ended since the newest check, and no decision has seen it.
bool may_miss_hold(monitor_state const& monitor, hold_state const& before, timestamp now, decision const& out) {
  if (out.opened) return true;
  bool const followed = before.active || before.ended_at;
  return !followed && !monitor.is_muted(now) && !monitor.is_limited(now) && awaits_release(monitor);
}

timestamp end_of_check(monitor_state const& monitor, timestamp requested_at) {
  return requested_at + (monitor.attempts_take + attempts_slack);
}

/// Continues after the end of a hold: requests a check, or waits for its result.
void follow_end(monitor_state const& monitor, aggregated_results const& results, timestamp now, hold& held,
                decision& out) {
  auto const before = monitor.outage ? monitor.outage->hold : hold_state{};
  if (!monitor.checkable) return;
  bool const waits = before.ended_at && !before.active;
  bool const confirmed = waits && failing_at(results) >= before.ended_at;
  // The check that confirms may itself have started in a second window that no decision has seen.
  if (confirmed || may_miss_hold(monitor, before, now, out)) held.reason = ended_since(monitor, results);
  if (held.reason || (before.active && awaits_release(monitor))) {
    out.hold.ended_at = now;
    out.requests_check = true;
  } else if (waits && !confirmed && now < end_of_check(monitor, *before.ended_at)) {
    out.hold.ended_at = before.ended_at;
  }
  if (!out.hold.ended_at) return;
  held.holds = true;
  held.look = end_of_check(monitor, *out.hold.ended_at);
}

/// Holds the failures back in maintenance and while a parent is down.
void hold_actively(monitor_state const& monitor, parent_state const* parent, timestamp now, hold& held,
                   decision& out) {
  out.hold.active = held.holds = true;
  held.reason = monitor.is_in_maintenance(now) ? suppression::maintenance : suppression::dependency;
  for (auto const& each : monitor.maintenance) {
    if (each.contains(now)) held.look = earlier(held.look, each.ends_at);
  }
  if (parent != nullptr) held.look = earlier(held.look, now + look_while_down);
}

bool is_notified(monitor_state const& monitor) {
  return monitor.outage &&
         std::ranges::any_of(monitor.outage->failures, [](written_alert const& each) { return !each.suppressed; });
}

}  // namespace

bool is_held_back(written_alert const& failure) {
  return failure.suppressed && !failure.provider.disabled && failure.suppressed != suppression::provider_disabled &&
         failure.suppressed != suppression::other;
}

std::optional<suppression> hold_of_period(monitor_state const& monitor, timestamp now) {
  if (monitor.is_in_maintenance(now)) return suppression::maintenance;
  return down_parent(monitor) != nullptr ? std::optional(suppression::dependency) : std::nullopt;
}

hold find_hold(monitor_state const& monitor, aggregated_results const& results, timestamp now, decision& out) {
  hold held;
  auto const outage = outage_of(monitor, out);
  auto const wait_ends = end_of_wait(monitor, outage.detected_at);
  auto const* parent = down_parent(monitor);
  out.hold = {};
  if (parent != nullptr && !out.caused_by && now < wait_ends && !is_notified(monitor)) out.caused_by = parent->outage;
  if (parent != nullptr || monitor.is_in_maintenance(now)) {
    hold_actively(monitor, parent, now, held, out);
  } else {
    follow_end(monitor, results, now, held, out);
  }
  if (parent != nullptr || now >= wait_ends) return held;
  for (auto const& each : monitor.parents) {
    if (!is_awaited(each, outage.started_at)) continue;
    // While no failure may be sent anyway, a child that changes all the time must not have its parents checked as
    // often.
    if (out.opened && !monitor.is_limited(now)) out.requests_parents.push_back(each.id);
    held.holds = true;
    if (!held.reason) held.reason = suppression::dependency;
    held.look = earlier(held.look, std::min(wait_ends, now + look_while_waiting));
  }
  return held;
}

}  // namespace svc::alerting
