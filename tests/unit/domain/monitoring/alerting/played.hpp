#pragma once

#include "svc/domain/monitoring/alerting/decide.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace svc::alerting {

inline constexpr timestamp at_second(std::int64_t s) {
  return {s * 1'000'000};
}

inline uuid id_of(std::uint8_t number) {
  uuid out;
  out.bytes[15] = number;
  return out;
}

/// A monitor whose decisions are applied as the database would: what was decided is what the next decision finds.
/// Times are seconds; ids of outages and periods count from 100.
struct played {
  monitor_state monitor{};
  std::vector<location_result> results{{.code = "local"}};
  std::uint8_t next_id = 100;
  decision last{};
  std::vector<alert> rows{};         ///< every alert that was written, in order
  std::vector<timestamp> changes{};  ///< the newest of the verdict

  explicit played(std::vector<provider> providers = {{.id = id_of(1)}}) {
    monitor.interval = std::chrono::seconds(60);
    monitor.alerts.providers = std::move(providers);
  }

  /// A result: + s - e as in vote_test.cpp, of a check that took no time.
  decision const& result(char subject, std::int64_t second, std::size_t location = 0) {
    store_result(subject, second, location);
    return look(second);
  }
  void store_result(char subject, std::int64_t second, std::size_t location = 0) {
    observed_result now{.began = at_second(second)};
    if (subject == '-') now.says = checks::conclusion::bad;
    if (subject == 'e') now.says = checks::conclusion::none;
    if (subject == '-')
      now.failure = checks::failure(checks::code::connect_refused, "refused at " + std::to_string(second));
    if (subject == 'e') now.failure = checks::failure(checks::code::resolver_unreachable);
    now.degraded = subject == 's';
    auto& value = results[location];
    if (value.check_version != monitor.check_version) value.state = {};
    value.check_version = monitor.check_version;
    value.state = next_location_state(value.state, now, limits, monitor.outage.has_value());
  }
  decision const& look(std::int64_t second) {
    return apply(decide(monitor, results, at_second(second), id_of(next_id)), second);
  }
  decision const& edit(end_reason reason, std::int64_t second) {
    auto const made = interrupt(monitor, reason, at_second(second));
    ++monitor.check_version;
    monitor.since = at_second(second);
    monitor.live = reason != end_reason::paused && reason != end_reason::deleted;
    return apply(made, second);
  }

  thresholds limits{};

 private:
  decision const& apply(decision made, std::int64_t second) {
    last = std::move(made);
    if (last.changed) monitor.since = at_second(second);
    monitor.status = last.becomes;
    if (last.changed) note_change(at_second(second));
    monitor.limit_recorded = last.limit_recorded;
    monitor.failure_left_out = last.failure_left_out;
    if (last.closed) {
      monitor.last_ended_at = last.closed->ended_at;
      monitor.outage.reset();
    }
    if (last.period_ended) monitor.period.reset();
    if (last.opened) {
      monitor.outage = open_outage{
          .id = last.opened->id, .started_at = last.opened->started_at, .detected_at = last.opened->detected_at};
    }
    if (monitor.outage) monitor.outage->hold = last.hold, monitor.outage->caused_by = last.caused_by;
    if (last.period_begun) monitor.period = open_period{.id = *last.period_begun};
    if (last.opened || last.period_begun) ++next_id;
    for (auto const& each : last.alerts) write(each, second);
    for (auto const& each : last.release) release(each, second);
    return last;
  }
  void note_change(timestamp time) {
    changes.push_back(time);
    if (changes.size() > most_changes) changes.erase(changes.begin());
    if (changes.size() == most_changes) monitor.limited_until = changes.front() + changes_window;
    if (changes.size() >= most_changes - 1)
      monitor.limited_after_change = changes[changes.size() + 1 - most_changes] + changes_window;
  }
  void write(alert const& each, std::int64_t second) {
    rows.push_back(each);
    written_alert const row{provider_of(each.id), each.number, each.suppressed};
    if (monitor.outage && each.about == monitor.outage->id && each.type == alert_type::monitor_failure) {
      if (row.number == 0) monitor.outage->failures.push_back(row);
      monitor.outage->reminders = std::max(monitor.outage->reminders, row.number);
      monitor.outage->notified_at = at_second(second);
    }
    if (monitor.period && each.about == monitor.period->id) monitor.period->begins.push_back(row);
  }
  void release(alert const& each, std::int64_t second) {
    for (auto& row : monitor.outage->failures) {
      if (row.provider.id == each.id && row.number == each.number) row.suppressed.reset();
    }
    monitor.outage->notified_at = at_second(second);
  }
  provider provider_of(uuid id) const {
    for (auto const& each : monitor.alerts.providers) {
      if (each.id == id) return each;
    }
    return {.id = id};
  }
};

/// Such as `failure 100/0 to 1 muted`.
inline std::string text_of(alert const& a) {
  static constexpr char const* types[] = {"failure", "recovery", "degraded", "error"};
  std::string out = types[static_cast<std::size_t>(a.type)];
  out += ' ' + std::to_string(a.about.bytes[15]) + '/' + std::to_string(a.number) + " to " +
         std::to_string(a.id.bytes[15]);
  static constexpr char const* reasons[] = {" muted", " disabled", " limited", " maintenance", " dependency"};
  if (a.suppressed) out += reasons[static_cast<std::size_t>(*a.suppressed)];
  return out;
}

inline std::string text_of(std::vector<alert> const& alerts) {
  std::string out;
  for (auto const& each : alerts) out += (out.empty() ? "" : ", ") + text_of(each);
  return out;
}

}  // namespace svc::alerting
