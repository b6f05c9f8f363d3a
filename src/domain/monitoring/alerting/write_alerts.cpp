#include "domain/monitoring/alerting/write_alerts.hpp"

#include <algorithm>

namespace svc::alerting {
namespace {

std::optional<suppression> suppressed(monitor_state const& of, provider const& to, timestamp now) {
  // First what stays: it would not be told when the monitor is not muted any more either.
  if (to.disabled) return suppression::provider_disabled;
  return of.is_muted(now) ? std::optional(suppression::muted) : std::nullopt;
}

void write_to_all(monitor_state const& of, alert what, timestamp now, decision& to, bool limited = false) {
  for (auto const& each : of.alerts.providers) {
    what.to = each.id;
    what.suppressed = limited && !each.disabled ? suppression::too_many_changes : suppressed(of, each, now);
    to.alerts.push_back(what);
  }
}

/// Returns false if the alert of this start is left out, because the limit of changes is reached and recorded.
bool write_start(monitor_state const& of, alert const& what, timestamp now, decision& to) {
  bool const limited = of.is_limited(now);
  if (limited && of.limit_recorded) return false;
  write_to_all(of, what, now, to, limited);
  to.limit_recorded = limited;
  return true;
}

/// Those who were told, each once.
std::vector<provider> told(std::vector<written_alert> const& written) {
  std::vector<provider> out;
  for (auto const& each : written) {
    if (!each.suppressed && std::ranges::find(out, each.to.id, &provider::id) == out.end()) out.push_back(each.to);
  }
  return out;
}

/// The end of something is told also when the monitor is muted: who knows of its begin waits for it.
void write_end(alert what, provider const& to, decision& out) {
  what.to = to.id;
  if (to.disabled) what.suppressed = suppression::provider_disabled;
  out.alerts.push_back(what);
}

provider const* configured(monitor_state const& of, uuid id) {
  auto const found = std::ranges::find(of.alerts.providers, id, &provider::id);
  return found == of.alerts.providers.end() ? nullptr : &*found;
}

bool tells_failures(monitor_state const& of) {
  return of.alerts.enabled && of.alerts.on_failure;
}

alert_type type_of(verdict v) {
  return v == verdict::degraded ? alert_type::monitor_degraded : alert_type::monitor_error;
}

}  // namespace

void write_failures(monitor_state const& of, uuid outage, timestamp now, decision& to) {
  if (!tells_failures(of)) return;
  to.failure_left_out = !write_start(of, {.type = alert_type::monitor_failure, .about = outage}, now, to);
}

void release_failures(monitor_state const& of, timestamp now, decision& to) {
  if (of.is_limited(now) || !tells_failures(of)) return;
  if (of.failure_left_out) write_failures(of, of.outage->id, now, to);
  if (of.is_muted(now)) return;
  for (auto const& each : of.outage->failures) {
    auto const* receiver = configured(of, each.to.id);
    bool const may_be_sent =
        each.suppressed == suppression::muted || each.suppressed == suppression::too_many_changes;
    if (!may_be_sent || receiver == nullptr || receiver->disabled) continue;
    to.release.push_back({alert_type::monitor_failure, of.outage->id, each.number, each.to.id});
  }
}

std::optional<timestamp> next_reminder(monitor_state const& of, timestamp now, decision const& made) {
  if (!of.alerts.reminder || !tells_failures(of)) return std::nullopt;
  bool const tells = std::ranges::find(made.alerts, alert_type::monitor_failure, &alert::type) != made.alerts.end();
  if (tells || !made.release.empty()) return now + *of.alerts.reminder;
  if (!of.outage || of.outage->acknowledged || told(of.outage->failures).empty()) return std::nullopt;
  if (of.outage->reminders >= most_reminders) return std::nullopt;
  return of.outage->told_at + *of.alerts.reminder;
}

void write_reminder(monitor_state const& of, timestamp now, decision& to) {
  auto const due = next_reminder(of, now, to);
  if (!due || now < *due || of.is_muted(now)) return;
  for (auto const& each : told(of.outage->failures)) {
    auto const* receiver = configured(of, each.id);
    if (receiver == nullptr) continue;
    to.alerts.push_back({alert_type::monitor_failure, of.outage->id, of.outage->reminders + 1, each.id,
                         suppressed(of, *receiver, now)});
  }
}

void end_outage(monitor_state const& of, outage_end const& how, decision& to) {
  to.closed = how;
  for (auto const& each : told(of.outage->failures)) {
    if (of.alerts.on_recovery || each.resolves) {
      write_end({.type = alert_type::monitor_recovery, .about = how.id}, each, to);
    }
  }
}

void warn_of_certificate(monitor_state const& of, uuid id, checks::certificate_warning const& warning, timestamp now,
                         decision& to) {
  if (!of.alerts.enabled || !of.alerts.on_ssl_expiration || of.is_muted(now)) return;
  to.certificate = warning.of;
  write_to_all(of, {.type = alert_type::ssl_expiring, .about = id, .number = warning.threshold}, now, to);
}

void begin_period(monitor_state const& of, verdict of_verdict, uuid id, timestamp now, decision& to) {
  to.period_begun = id;
  bool const wanted = of_verdict == verdict::degraded ? of.alerts.on_degraded : of.alerts.on_error;
  if (of.alerts.enabled && wanted) write_start(of, {.type = type_of(of_verdict), .about = id}, now, to);
}

void end_period(monitor_state const& of, verdict of_verdict, decision& to) {
  to.period_ended = of.period->id;
  for (auto const& each : told(of.period->begins)) {
    write_end({.type = type_of(of_verdict), .about = of.period->id, .number = 1}, each, to);
  }
}

}  // namespace svc::alerting
