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

}  // namespace

std::uint32_t events_in(state const& s) {
  std::uint32_t out = s.rows.monitor.version > 2 ? edited_twice : 0U;
  for (auto const& a : s.rows.alerts) {
    if (a.used == 0) continue;
    auto const type = static_cast<alert_type>(a.type);
    if (a.suppressed != 0) out |= muted;
    if (type == alert_type::monitor_recovery) out |= recovered;
    if (type == alert_type::monitor_error) out |= error_reported;
    if (type == alert_type::monitor_failure && a.suppressed == 0) out |= a.number > 0 ? reminded : reported;
  }
  if (s.rows.outages[1].id != 0) out |= second_outage;
  return out;
}

char const* evaluate(state const& s, world const& where) {
  auto const& rows = s.rows;
  if (auto const* broken = evaluate_outages(rows)) return broken;
  if (auto const* broken = evaluate_notified(rows)) return broken;
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
char const* evaluate_decision(database const& rows, u8 now) {
  auto const* open = open_outage(rows);
  if (open == nullptr || verdict_of(rows) != verdict::down) return nullptr;
  bool const muted = rows.monitor.muted_until > now + 1;
  for (u8 p = 1; p <= provider_count; ++p) {
    if ((rows.monitor.providers >> (p - 1) & 1) == 0) continue;
    auto const reported = count_alerts(rows, alert_type::monitor_failure, open->id, p, false);
    auto const waiting = count_alerts(rows, alert_type::monitor_failure, open->id, p, true);
    if (reported == 0 && (waiting == 0 || !muted)) return notified_begin;
  }
  return nullptr;
}

char const* evaluate_quiet(state const& s, world const& where) {
  // With several locations the clock by itself may decide what the last result could not.
  if (where.locations > 1) return nullptr;
  auto const made = decide_on(s.rows, s.now, 100, where, {});
  bool const by_clock = made.becomes == verdict::error;
  if (made.changed && !by_clock) return decided;
  return nullptr;
}

}  // namespace svc::model::monitors
