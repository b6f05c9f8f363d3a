#include "model/monitors/rows.hpp"
#include "model/monitors/steps.hpp"

#include <algorithm>

namespace svc::model::monitors {
namespace {

using alerting::alert_type;
using alerting::verdict;

verdict verdict_of(database const& rows) {
  return static_cast<verdict>(rows.monitor.verdict);
}

int count_alerts(database const& rows, alert_type type, u8 about, u8 target, bool suppressed) {
  return static_cast<int>(std::ranges::count_if(rows.alerts, [&](alert_row const& a) {
    return a.used != 0 && a.type == static_cast<u8>(type) && a.about == about && a.target == target &&
           (a.suppressed != 0) == suppressed;
  }));
}

u8 newest_failing(database const& rows) {
  auto const& seen = rows.checks[0].state;
  return seen.fails > 0 ? seen.conclusion : u8{0};
}

/// Returns true if the parent may still be found down, so that its child waits.
bool is_awaited(database const& rows, outage_row const& open, u8 now) {
  auto const& p = rows.parent;
  if (p.there == 0 || p.down != 0) return false;
  return (p.seen < open.started || p.failing != 0) && now + 1 < open.detected + parent_ticks;
}

bool is_limited(database const& rows, u8 now, world const& where) {
  auto const oldest = rows.monitor.changes[0];
  return where.limited && oldest != 0 && now + 1 < oldest + limit_ticks;
}

/// Returns true if the newest failing check started inside a window, or below a parent, that has ended since.
bool fails_inside(database const& rows) {
  auto const failing = newest_failing(rows);
  bool const in_window = rows.window.end != 0 && rows.window.start <= failing && failing < rows.window.end;
  return in_window || (rows.parent.there != 0 && rows.parent.last_ended > failing);
}

/// Returns true if a failing check must follow the end of a hold before the failure is sent. `hold_over`: the end of
/// a hold that the last decision has found.
bool needs_check(database const& before, database const& rows, u8 now, u8 hold_over) {
  auto const* open = open_outage(before);
  if (open == nullptr) return fails_inside(rows);
  auto const over = open->held != 0 ? hold_over : open->hold_ended;
  return newest_failing(rows) < over && now + 1 < over + recheck_ticks;
}

/// Returns true if the decision has requested a check after a hold, and its result is still missing.
bool waits_for_check(database const& rows, outage_row const& open, u8 now) {
  return open.hold_ended != 0 && newest_failing(rows) <= open.hold_ended && now + 1 < open.hold_ended + recheck_ticks;
}

/// The invariants of what one decision sends.
char const* evaluate_sent(database const& before, database const& rows, u8 now, u8 hold_over, world const& where) {
  auto const* open = open_outage(rows);
  for (auto const& a : rows.alerts) {
    bool const is_period = a.type == static_cast<u8>(alert_type::monitor_error) && a.number == 0;
    bool const is_failure = a.type == static_cast<u8>(alert_type::monitor_failure);
    if (a.used == 0 || a.touched == 0 || a.suppressed != 0 || (!is_failure && !is_period)) continue;
    if (is_held(rows, now)) return silent;
    if (a.number > 0 || is_period || open == nullptr) continue;
    if (is_limited(before, now, where)) return limited;
    if (is_awaited(rows, *open, now) || needs_check(before, rows, now, hold_over)) return silent;
  }
  return nullptr;
}

/// A failure that a parent suppresses, and that nobody knows of, has a cause if the parent is down soon enough.
char const* evaluate_cause(database const& rows, outage_row const& open, u8 now) {
  if (rows.parent.there == 0 || rows.parent.down == 0 || now + 1 >= open.detected + parent_ticks) return nullptr;
  for (u8 p = 1; p <= provider_count; ++p) {
    if (count_alerts(rows, alert_type::monitor_failure, open.id, p, false) > 0) return nullptr;
  }
  return open.caused_by == 0 ? cause : nullptr;
}

char const* evaluate_kept(database const& rows) {
  for (auto const& a : rows.alerts) {
    if (a.used == 0) continue;
    if (a.first == 0 && a.suppressed != 0) return kept_sent;
    bool const is_failure = a.type == static_cast<u8>(alert_type::monitor_failure);
    if (!is_failure && a.first != 0 && a.suppressed == 0) return for_good;
    bool const ends_period = a.type == static_cast<u8>(alert_type::monitor_error) && a.number == 1;
    if (ends_period && count_alerts(rows, alert_type::monitor_error, a.about, a.target, true) > 0) return for_good;
  }
  return nullptr;
}

bool has_twins(database const& rows) {
  auto const same = [](alert_row const& a, alert_row const& b) {
    return a.used != 0 && a.used == b.used && a.type == b.type && a.about == b.about && a.number == b.number &&
           a.target == b.target;
  };
  for (std::size_t i = 0; i < rows.alerts.size(); ++i) {
    for (std::size_t j = i + 1; j < rows.alerts.size(); ++j) {
      if (same(rows.alerts[i], rows.alerts[j])) return true;
    }
  }
  return false;
}

char const* evaluate_outages(database const& rows) {
  auto const open =
      std::ranges::count_if(rows.outages, [](outage_row const& o) { return o.id != 0 && o.ended == 0; });
  if (open > 1) return one_open;
  auto const v = verdict_of(rows);
  if (open == 1 && (rows.monitor.live == 0 || (v != verdict::down && v != verdict::error))) return fitting;
  if (open == 0 && v == verdict::down) return fitting;
  return has_twins(rows) ? one_alert : nullptr;
}

char const* evaluate_notified(database const& rows) {
  for (auto const& o : rows.outages) {
    for (u8 p = 1; p <= provider_count && o.id != 0; ++p) {
      auto const failures = count_alerts(rows, alert_type::monitor_failure, o.id, p, false);
      auto const ends = count_alerts(rows, alert_type::monitor_recovery, o.id, p, false) +
                        count_alerts(rows, alert_type::monitor_recovery, o.id, p, true);
      auto const sent = count_alerts(rows, alert_type::monitor_recovery, o.id, p, false);
      int const due = o.ended != 0 && failures > 0 ? 1 : 0;
      if (ends != due || sent != due) return reported_end;
    }
  }
  return nullptr;
}

/// Returns the event that a suppressed or released alert shows.
std::uint32_t event_of(alert_row const& a) {
  auto const is_by = [&](alerting::suppression reason) { return a.first == static_cast<u8>(reason) + 1; };
  if (a.first == 0) return 0;
  std::uint32_t out = 0;
  if (is_by(alerting::suppression::muted)) out |= muted;
  if (is_by(alerting::suppression::maintenance)) out |= event::held;
  if (is_by(alerting::suppression::dependency)) out |= silenced;
  if (a.suppressed == 0 && !is_by(alerting::suppression::muted)) out |= event::released;
  return out;
}

}  // namespace

std::uint32_t events_in(state const& s) {
  std::uint32_t out = s.rows.monitor.version > 2 ? edited_twice : 0U;
  for (auto const& a : s.rows.alerts) {
    if (a.used == 0) continue;
    auto const type = static_cast<alert_type>(a.type);
    out |= event_of(a);
    if (type == alert_type::monitor_recovery) out |= recovered;
    if (type == alert_type::monitor_error) out |= error_reported;
    if (type == alert_type::monitor_failure && a.suppressed == 0) out |= a.number > 0 ? reminded : reported;
  }
  if (s.rows.outages[1].id != 0) out |= second_outage;
  if (s.rows.monitor.left_out != 0) out |= left_out;
  if (std::ranges::any_of(s.rows.outages, [](outage_row const& o) { return o.caused_by != 0; })) out |= caused;
  return out;
}

char const* evaluate(state const& s, world const& where) {
  auto const& rows = s.rows;
  if (auto const* broken = evaluate_outages(rows)) return broken;
  if (auto const* broken = evaluate_notified(rows)) return broken;
  if (auto const* broken = evaluate_kept(rows)) return broken;
  for (u8 l = 0; l < where.locations; ++l) {
    bool const known = s.truth_version[l] != 0;
    if (known && (s.truth_version[l] != rows.checks[l].version || s.truth[l] != rows.checks[l].state)) return no_lost;
  }
  auto const v = verdict_of(rows);
  if (rows.monitor.live == 0 && v != verdict::pending) return untouched;
  if (v != verdict::pending && v != verdict::error && s.seen_version != rows.monitor.version) return no_old;
  return nullptr;
}

/// Providers are only taken away.
char const* evaluate_decision(database const& before, database const& rows, u8 now, u8 hold_over,
                              world const& where) {
  if (auto const* broken = evaluate_sent(before, rows, now, hold_over, where)) return broken;
  auto const* open = open_outage(rows);
  if (open == nullptr || verdict_of(rows) != verdict::down) return nullptr;
  if (auto const* broken = evaluate_cause(rows, *open, now)) return broken;
  bool const held = is_held(rows, now) || is_awaited(rows, *open, now) || waits_for_check(rows, *open, now);
  bool const waits = rows.monitor.muted_until > now + 1 || is_limited(before, now, where) || held;
  for (u8 p = 1; p <= provider_count; ++p) {
    if ((rows.monitor.providers >> (p - 1) & 1) == 0) continue;
    auto const reported = count_alerts(rows, alert_type::monitor_failure, open->id, p, false);
    auto const waiting = count_alerts(rows, alert_type::monitor_failure, open->id, p, true);
    bool const recorded = waiting > 0 || rows.monitor.left_out != 0;
    if (reported == 0 && (!recorded || !waits)) return notified_begin;
  }
  return nullptr;
}

char const* evaluate_quiet(state const& s, world const& where) {
  // With several locations the clock by itself may decide what the last result could not.
  if (where.locations > 1) return nullptr;
  auto const made = decide_on(s.rows, s.now, 90, where, {});
  bool const by_clock = made.becomes == verdict::error;
  if (made.changed && !by_clock) return decided;
  // A change of the parent that a decision has missed is found in the next tick.
  auto const& m = s.rows.monitor;
  bool const is_due = m.live == 0 || m.asked != 0 || (m.look_at != 0 && m.look_at <= s.now + 1);
  if (!where.due || is_due || s.parent_unseen > s.now) return nullptr;
  bool const acts = made.changed || made.requests_check || !made.alerts.empty() || !made.release.empty();
  return acts ? woken : nullptr;
}

}  // namespace svc::model::monitors
