#include "model/monitors/rows.hpp"
#include "model/monitors/values.hpp"

#include <algorithm>

namespace svc::model::monitors {

using namespace alerting;

namespace {

/// Returns the end of the time in which this many changes reach the limit, if the oldest of them is `change`.
std::optional<timestamp> limit_from(u8 change) {
  return change == 0 ? std::nullopt : std::optional(moment(change - 1 + limit_ticks));
}

parent_state as_parent(parent_row const& row) {
  parent_state out{.id = as_id(parent_id), .down = row.down != 0};
  if (row.outage != 0) out.outage = as_id(row.outage);
  out.last_ended_at = maybe_moment(row.last_ended);
  out.conclusive = row.down == 0;
  out.conclusive_at = maybe_moment(row.seen);
  out.failing = row.failing != 0 && row.down == 0;
  out.attempts_take = std::chrono::seconds(parent_ticks * tick_seconds) - attempts_slack;
  return out;
}

/// Returns true if the failure waits for the end of a window or of a parent's outage.
bool is_held_by(written_alert const& failure) {
  return failure.suppressed == suppression::maintenance || failure.suppressed == suppression::dependency;
}

/// Suppresses the failures of the open outage that were sent.
void take_back(database& database) {
  auto const* open = monitors::open_outage(database);
  for (auto& row : database.alerts) {
    bool const is_failure = row.used != 0 && row.type == static_cast<u8>(alert_type::monitor_failure);
    if (open == nullptr || !is_failure || row.about != open->id) continue;
    row.suppressed = suppressed_by(suppression::maintenance);
    row.touched = 1;
  }
}

}  // namespace

bool is_held(database const& database, u8 now) {
  auto const& window = database.window;
  bool const covered = window.end != 0 && window.start <= now + 1 && now + 1 < window.end;
  return covered || (database.parent.there != 0 && database.parent.down != 0);
}

void check_parent(database& database, u8 outcome, u8 now, bool sees_child, world const& where, rules const& rules) {
  auto& p = database.parent;
  auto const tick = static_cast<u8>(now + 1);
  p.seen = tick;
  p.failing = outcome == '-' ? static_cast<u8>(std::min(p.failing + 1, where.parent_failure + 0)) : u8{0};
  if (p.down == 0 && p.failing >= where.parent_failure) {
    p.down = 1;
    p.outage = static_cast<u8>(parent_id + tick);
  } else if (p.down != 0 && outcome == '+') {
    p.down = p.outage = 0;
    p.last_ended = tick;
  }
  if (rules.parent_brings_decision && sees_child) database.monitor.look_at = tick;
}

void add_holds(database const& rows, world const& where, u8 now, monitor_state& out) {
  auto const& m = rows.monitor;
  if (where.due) out.attempts_take = std::chrono::seconds(recheck_ticks * tick_seconds) - attempts_slack;
  auto const& window = rows.window;
  if (window.end != 0 && window.start <= now + 1)
    out.maintenance.push_back({moment(window.start - 1), moment(window.end - 1)});
  if (rows.parent.there != 0) out.parents.push_back(as_parent(rows.parent));
  out.limit_recorded = m.limit_recorded != 0;
  out.failure_left_out = m.left_out != 0;
  if (!where.limited) return;
  out.limited_until = limit_from(m.changes[0]);
  out.limited_after_change = limit_from(m.changes[1]);
}

void mutate_inputs(monitor_state& m, u8 now, rules const& rules) {
  auto const is_suppressed = [](written_alert const& each) { return each.suppressed.has_value(); };
  bool const sent = m.outage && std::ranges::none_of(m.outage->failures, is_suppressed);
  if (!rules.window_holds || (!rules.hold_pauses_reminders && sent)) m.maintenance.clear();
  if (!rules.parent_holds || (!rules.hold_pauses_reminders && sent)) m.parents.clear();
  if (!rules.parent_is_awaited) {
    for (auto& each : m.parents) each.conclusive = false;
  }
  if (!rules.release_checks_again) {
    if (m.outage) m.outage->hold = {};
    std::erase_if(m.maintenance, [&](quiet_time const& each) { return !each.contains(moment(now)); });
    for (auto& each : m.parents) each.last_ended_at.reset();
  }
  if (!rules.limit_holds) m.limited_until.reset(), m.limited_after_change.reset();
}

void mutate_outcome(decision& made, monitor_state const& m, database const& rows, u8 tick, rules const& rules) {
  auto const now = moment(tick);
  bool const held = is_held(rows, tick);
  for (auto& each : made.alerts) {
    if (each.type != alert_type::monitor_recovery) continue;
    if (!rules.recovery_despite_hold && held) each.suppressed = suppression::maintenance;
    if (!rules.limit_spares_ends && m.is_limited(now)) each.suppressed = suppression::too_many_changes;
  }
  if (m.outage && !made.closed) {
    for (auto const& each : m.outage->failures) {
      auto const is_it = [&](alert const& a) { return a.id == each.provider.id; };
      if (!rules.hold_releases && is_held_by(each)) std::erase_if(made.release, is_it);
      if (!rules.all_reasons_hold && each.suppressed == suppression::muted && !m.is_muted(now) &&
          made.release.empty())
        made.release.push_back({alert_type::monitor_failure, m.outage->id, each.number, each.provider.id});
    }
  }
  if (made.period_ended && !rules.period_stays_suppressed) {
    for (auto const& each : m.period->begins)
      if (each.suppressed) made.alerts.push_back({alert_type::monitor_error, m.period->id, 1, each.provider.id});
  }
  if (!rules.hold_looks_at_end && made.hold.active) made.look_again.reset();
  if (!rules.parent_is_cause) made.caused_by.reset();
  if (!rules.parent_is_looked_at && !m.parents.empty() && made.becomes == verdict::down) made.look_again.reset();
}

void write_hold(database& database, decision const& made) {
  auto* open = const_cast<outage_row*>(monitors::open_outage(database));
  if (open == nullptr) return;
  outage_row const before = *open;
  open->held = made.hold.active ? 1 : 0;
  open->hold_ended = tick_after(made.hold.ended_at);
  open->caused_by = made.caused_by ? number_of(*made.caused_by) : u8{0};
  if (before.held != open->held || before.hold_ended != open->hold_ended || before.caused_by != open->caused_by)
    open->touched = 1;
}

void set_holds(database& database, edit edit, u8 now, world const& where, rules const& rules) {
  auto const tick = static_cast<u8>(now + 1);
  bool const is_window = edit == edit::open_window || edit == edit::end_window;
  if (edit == edit::open_window) database.window = {tick, static_cast<u8>(tick + 2)};
  if (edit == edit::end_window && database.window.end > tick) database.window.end = tick;
  if (edit == edit::drop_parent) database.parent.there = 0;
  if (edit == edit::open_window && !rules.window_keeps_sent) take_back(database);
  bool const is_mute = edit == edit::mute || edit == edit::unmute;
  bool const brings_decision = is_window ? rules.window_writes_look : is_mute || edit == edit::drop_parent;
  if (where.due && brings_decision && database.monitor.verdict != static_cast<u8>(verdict::up))
    database.monitor.look_at = tick;
}

}  // namespace svc::model::monitors
