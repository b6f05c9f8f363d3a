// Conversions between the bytes of a state and the values of the real code.
#include "model/monitors/rows.hpp"

#include "model/monitors/values.hpp"

#include <algorithm>

namespace svc::model::monitors {
namespace {

using namespace alerting;

written_alert as_written(alert_row const& row) {
  std::optional<suppression> agent;
  if (row.suppressed != 0) agent = static_cast<suppression>(row.suppressed - 1);
  return {{.id = as_id(row.target)}, row.number, agent};
}

std::vector<written_alert> written_of(database const& rows, alert_type type, u8 about) {
  std::vector<written_alert> out;
  for (auto const& row : rows.alerts) {
    bool const begins = type == alert_type::monitor_failure || row.number == 0;
    if (row.used != 0 && row.type == static_cast<u8>(type) && row.about == about && begins) {
      out.push_back(as_written(row));
    }
  }
  return out;
}

monitor_state as_monitor(database const& rows, u8 now, world const& where) {
  auto const& m = rows.monitor;
  monitor_state out{.live = m.live != 0, .check_version = m.version};
  add_holds(rows, where, now, out);
  out.interval = std::chrono::seconds(tick_seconds);
  out.aggregation = where.strategy;
  for (u8 p = 1; p <= provider_count; ++p) {
    if ((m.providers >> (p - 1) & 1) != 0) out.alerts.providers.push_back({.id = as_id(p)});
  }
  out.alerts.on_error = where.notifies_errors;
  if (where.reminder != 0) out.alerts.reminder = std::chrono::minutes(where.reminder * tick_seconds / 60);
  out.muted_until = maybe_moment(m.muted_until);
  out.status = static_cast<verdict>(m.verdict);
  out.since = moment(m.since);
  out.last_ended_at = maybe_moment(m.last_ended);
  if (auto const* open = monitors::open_outage(rows)) {
    out.outage = alerting::open_outage{as_id(open->id),
                                       moment(open->started - 1),
                                       open->acknowledged != 0,
                                       written_of(rows, alert_type::monitor_failure, open->id),
                                       maybe_moment(open->notified_at).value_or(timestamp{}),
                                       0};
    for (auto const& each : out.outage->failures)
      out.outage->reminders = std::max(out.outage->reminders, each.number);
    out.outage->detected_at = maybe_moment(open->detected).value_or(timestamp{});
    out.outage->hold = {open->held != 0, maybe_moment(open->hold_ended)};
    if (open->caused_by != 0) out.outage->caused_by = as_id(open->caused_by);
  }
  if (m.period != 0) {
    auto const type = out.status == verdict::error ? alert_type::monitor_error : alert_type::monitor_degraded;
    out.period = open_period{as_id(m.period), written_of(rows, type, m.period)};
  }
  return out;
}

std::vector<location_result> as_results(database const& rows, world const& where) {
  std::vector<location_result> out;
  for (u8 l = 0; l < where.locations; ++l) {
    auto const& row = rows.checks[l];
    out.push_back({.code = l == 0 ? "a" : "b", .check_version = row.version, .state = as_location(row.state)});
  }
  return out;
}

void insert(database& database, alert_row row) {
  row.used = row.touched = 1;
  row.first = row.suppressed;
  auto const free = std::ranges::find(database.alerts, 0, &alert_row::used);
  if (free != database.alerts.end()) *free = row;
}

alert_row as_row(alert const& a) {
  return {static_cast<u8>(a.type),
          number_of(a.about),
          static_cast<u8>(a.number),
          number_of(a.id),
          suppressed_by(a.suppressed),
          0,
          0,
          0};
}

outage_row* open_row(database& database) {
  return const_cast<outage_row*>(monitors::open_outage(database));
}

/// Changes a decision as if a rule were off.
void mutate(decision& made, monitor_state const& m, timestamp now, rules const& rules) {
  auto const is_end = [](alert const& a) { return a.type == alert_type::monitor_recovery; };
  if (made.closed && !rules.recovery_to_notified) {
    std::erase_if(made.alerts, is_end);
    for (auto const& p : m.alerts.providers) {
      made.alerts.push_back({alert_type::monitor_recovery, made.closed->id, 0, p.id});
    }
  }
  if (made.closed && !rules.recovery_only_to_notified) {
    for (auto const& each : m.outage->failures) {
      if (each.suppressed)
        made.alerts.push_back({alert_type::monitor_recovery, made.closed->id, 0, each.provider.id});
    }
  }
  if (!rules.recovery_despite_mute && m.muted_until && now < *m.muted_until) {
    for (auto& each : made.alerts) {
      if (is_end(each)) each.suppressed = suppression::muted;
    }
  }
  if (!rules.mute_releases) made.release.clear();
  if (!rules.release_keeps_key) {
    for (auto const& each : std::exchange(made.release, {})) made.alerts.push_back(each);
  }
  if (!rules.reminder_counts_on) {
    for (auto& each : made.alerts) each.number = std::min<std::uint32_t>(each.number, 1);
  }
}

/// A look is not due before its tick has begun.
u8 tick_of_look(std::optional<timestamp> time) {
  constexpr std::int64_t tick = std::int64_t{tick_seconds} * 1'000'000;
  return time ? static_cast<u8>((time->micros + tick - 1) / tick + 1) : u8{0};
}

void write_monitor(monitor_row& m, decision const& made, u8 now, world const& where) {
  if (made.changed) m.since = now;
  if (made.changed && where.limited) m.changes = {m.changes[1], static_cast<u8>(now + 1)};
  m.limit_recorded = made.limit_recorded ? 1 : 0;
  m.left_out = made.failure_left_out ? 1 : 0;
  if (where.due) m.look_at = tick_of_look(made.look_again);
  if (made.requests_check) m.asked = 1;
}

void write(database& database, decision const& made, u8 now, u8 id, world const& where) {
  auto& m = database.monitor;
  m.verdict = static_cast<u8>(made.becomes);
  if (made.period_ended) m.period = 0;
  if (made.period_begun) m.period = id;
  if (auto* open = open_row(database); made.closed && open != nullptr) {
    open->ended = m.last_ended = tick_after(made.closed->ended_at);
    open->touched = 1;
  }
  if (made.opened) {
    auto const free = std::ranges::find(database.outages, 0, &outage_row::id);
    if (free != database.outages.end()) {
      auto const detected = where.due ? static_cast<u8>(now + 1) : u8{0};
      *free = {id, tick_after(made.opened->started_at), 0, 0, 0, 1, detected, 0, 0, 0};
    }
  }
  write_hold(database, made);
  for (auto const& each : made.alerts) {
    insert(database, as_row(each));
    if (auto* open = open_row(database); each.type == alert_type::monitor_failure && open != nullptr) {
      open->notified_at = static_cast<u8>(now + 1);
      open->touched = 1;
    }
  }
  for (auto const& each : made.release) {
    auto const key = as_row(each);
    for (auto& row : database.alerts) {
      if (row.used == 0 || row.type != key.type || row.about != key.about || row.number != key.number ||
          row.target != key.target) {
        continue;
      }
      row.suppressed = 0;
      row.touched = 1;
    }
    if (auto* open = open_row(database)) {
      open->notified_at = static_cast<u8>(now + 1);
      open->touched = 1;
    }
  }
}

/// Returns how an edit ends what is open; nothing if the edit does not restart the monitor.
std::optional<end_reason> end_of(edit edit) {
  switch (edit) {
    case edit::pause:
      return end_reason::paused;
    case edit::resume:
      return end_reason::resumed;
    case edit::change:
      return end_reason::edited;
    case edit::remove:
      return end_reason::deleted;
    default:
      return std::nullopt;
  }
}

}  // namespace

location_state as_location(kept const& k) {
  location_state out{static_cast<location_status>(k.says), k.fails, k.oks, k.errors};
  out.failing_since = maybe_moment(k.failing);
  out.good_since = maybe_moment(k.good);
  out.conclusive_at = maybe_moment(k.conclusion);
  out.seen_at = maybe_moment(k.seen);
  if (k.fails > 0) out.failure = checks::failure(checks::code::connect_refused, "");
  if (k.errors > 0) out.error = checks::failure(checks::code::internal, "");
  return out;
}

kept next_state(kept const& record, u8 outcome, u8 began, world const& where, bool outage_open) {
  observed_result now{.began = moment(began)};
  now.says = outcome == '+'   ? checks::conclusion::good
             : outcome == '-' ? checks::conclusion::bad
                              : checks::conclusion::none;
  auto const next = next_location_state(as_location(record), now, {where.failure, where.recovery}, outage_open);
  // Counts beyond the thresholds make no difference.
  auto const count = [](std::uint32_t n) { return static_cast<u8>(std::min<std::uint32_t>(n, 3)); };
  return {static_cast<u8>(next.says),
          count(next.fails),
          count(next.oks),
          count(next.errors),
          tick_after(next.failing_since),
          tick_after(next.good_since),
          tick_after(next.conclusive_at),
          tick_after(next.seen_at)};
}

outage_row const* open_outage(database const& database) {
  auto const found =
      std::ranges::find_if(database.outages, [](outage_row const& o) { return o.id != 0 && o.ended == 0; });
  return found == database.outages.end() ? nullptr : &*found;
}

decision decide_on(database const& rows, u8 now, u8 id, world const& where, rules const& rules) {
  auto m = as_monitor(rows, now, where);
  mutate_inputs(m, now, rules);
  auto results = as_results(rows, where);
  if (!rules.decision_skips_paused) m.live = true;
  if (!rules.decision_finds_open && m.status != verdict::down) m.outage.reset();
  if (!rules.decision_skips_old_results) {
    for (auto& each : results) each.check_version = m.check_version;
  }
  auto out = decide(m, results, moment(now), as_id(id));
  mutate(out, m, moment(now), rules);
  mutate_outcome(out, m, rows, now, rules);
  return out;
}

void run_decision(database& database, u8 now, u8& ids, world const& where, rules const& rules) {
  auto const made = decide_on(database, now, static_cast<u8>(ids + 1), where, rules);
  if (made.opened || made.period_begun) ++ids;
  write_monitor(database.monitor, made, now, where);
  write(database, made, now, ids, where);
}

void set(database& database, edit edit, u8 now, world const& where, rules const& rules) {
  auto& m = database.monitor;
  if (edit == edit::pause || edit == edit::remove) m.live = 0;
  if (edit == edit::resume) m.live = 1;
  if (edit == edit::mute) m.muted_until = static_cast<u8>(now + 3);
  if (edit == edit::unmute) m.muted_until = 0;
  if (edit == edit::take_provider) m.providers = 0b10;
  if (edit == edit::acknowledge) {
    if (auto* open = open_row(database)) open->acknowledged = open->touched = 1;
  }
  if (end_of(edit) && rules.edit_changes_version) ++m.version;
  set_holds(database, edit, now, where, rules);
}

void end_what_is_open(database& database, edit edit, u8 now, world const& where, rules const& rules) {
  auto const reason = end_of(edit);
  if (!reason) return;
  auto const m = as_monitor(database, now, where);
  auto made = interrupt(m, *reason, moment(now));
  mutate(made, m, moment(now), rules);
  mutate_outcome(made, m, database, now, rules);
  write_monitor(database.monitor, made, now, where);
  write(database, made, now, 0, where);
  database.monitor.since = now;
  database.monitor.asked = 0;
  if (where.due) database.monitor.look_at = static_cast<u8>(now + 1);
}

}  // namespace svc::model::monitors
