#include "domain/monitoring/alerting/write_alerts.hpp"

#include <algorithm>

namespace svc::alerting {
namespace {

/// The reasons in their order. The lasting reason comes first: a disabled provider gets nothing even after the
/// others end. `held` is the reason of a hold.
std::optional<suppression> suppressed(monitor_state const& monitor, provider const& provider, bool limited,
                                      std::optional<suppression> held, timestamp now) {
  if (provider.disabled) return suppression::provider_disabled;
  if (limited) return suppression::too_many_changes;
  return monitor.is_muted(now) ? std::optional(suppression::muted) : held;
}

void write_to_all(monitor_state const& monitor, alert alert, bool limited, std::optional<suppression> held,
                  timestamp now, decision& decision) {
  for (auto const& each : monitor.alerts.providers) {
    alert.id = each.id;
    alert.suppressed = suppressed(monitor, each, limited, held, now);
    decision.alerts.push_back(alert);
  }
}

/// Returns false if the alert of this start is left out because the limit of changes is reached and already recorded.
bool write_start(monitor_state const& monitor, alert const& alert, std::optional<suppression> held, timestamp now,
                 decision& decision) {
  bool const limited = monitor.is_limited(now);
  if (limited && monitor.limit_recorded) return false;
  write_to_all(monitor, alert, limited, held, now, decision);
  decision.limit_recorded = limited;
  return true;
}

/// Returns the providers that were notified, each once.
std::vector<provider> notified_providers(std::vector<written_alert> const& written) {
  std::vector<provider> out;
  for (auto const& each : written) {
    if (!each.suppressed && std::ranges::find(out, each.provider.id, &provider::id) == out.end())
      out.push_back(each.provider);
  }
  return out;
}

/// Writes the alert of an end, even if the monitor is muted: everyone who was notified of the start waits for the
/// end.
void write_end(alert alert, provider const& provider, decision& out) {
  alert.id = provider.id;
  if (provider.disabled) alert.suppressed = suppression::provider_disabled;
  out.alerts.push_back(alert);
}

provider const* configured(monitor_state const& monitor, uuid id) {
  auto const found = std::ranges::find(monitor.alerts.providers, id, &provider::id);
  return found == monitor.alerts.providers.end() ? nullptr : &*found;
}

bool notifies_failures(monitor_state const& monitor) {
  return monitor.alerts.enabled && monitor.alerts.on_failure;
}

alert_type type_of(verdict v) {
  return v == verdict::degraded ? alert_type::monitor_degraded : alert_type::monitor_error;
}

}  // namespace

void write_failures(monitor_state const& monitor, uuid outage, hold const& held, timestamp now, decision& decision) {
  if (!notifies_failures(monitor)) return;
  decision.failure_left_out =
      !write_start(monitor, {.type = alert_type::monitor_failure, .about = outage}, held.reason, now, decision);
}

void release_failures(monitor_state const& monitor, hold const& held, timestamp now, decision& decision) {
  if (monitor.is_limited(now) || !notifies_failures(monitor)) return;
  // Without a reason the failure of a hold could not be recorded as suppressed, so it waits for the requested check.
  if (monitor.failure_left_out && (!held.holds || held.reason))
    write_failures(monitor, monitor.outage->id, held, now, decision);
  if (monitor.is_muted(now) || held.holds) return;
  for (auto const& each : monitor.outage->failures) {
    auto const* receiver = configured(monitor, each.provider.id);
    if (!is_held_back(each) || receiver == nullptr || receiver->disabled) continue;
    decision.release.push_back({alert_type::monitor_failure, monitor.outage->id, each.number, each.provider.id});
  }
}

std::optional<timestamp> next_reminder(monitor_state const& monitor, timestamp now, decision const& made) {
  if (!monitor.alerts.reminder || !notifies_failures(monitor)) return std::nullopt;
  bool const notifies =
      std::ranges::find(made.alerts, alert_type::monitor_failure, &alert::type) != made.alerts.end();
  if (notifies || !made.release.empty()) return now + *monitor.alerts.reminder;
  if (!monitor.outage || monitor.outage->acknowledged || notified_providers(monitor.outage->failures).empty())
    return std::nullopt;
  if (monitor.outage->reminders >= most_reminders) return std::nullopt;
  return monitor.outage->notified_at + *monitor.alerts.reminder;
}

void write_reminder(monitor_state const& monitor, timestamp now, decision& decision) {
  auto const due = next_reminder(monitor, now, decision);
  if (!due || now < *due || monitor.is_muted(now)) return;
  for (auto const& each : notified_providers(monitor.outage->failures)) {
    auto const* receiver = configured(monitor, each.id);
    if (receiver == nullptr) continue;
    decision.alerts.push_back({alert_type::monitor_failure, monitor.outage->id, monitor.outage->reminders + 1,
                               each.id, suppressed(monitor, *receiver, false, std::nullopt, now)});
  }
}

void end_outage(monitor_state const& monitor, outage_end const& end, decision& decision) {
  decision.closed = end;
  for (auto const& each : notified_providers(monitor.outage->failures)) {
    if (monitor.alerts.on_recovery || each.resolves) {
      write_end({.type = alert_type::monitor_recovery, .about = end.id}, each, decision);
    }
  }
}

void warn_of_certificate(monitor_state const& monitor, uuid id, checks::certificate_warning const& warning,
                         timestamp now, decision& decision) {
  if (!monitor.alerts.enabled || !monitor.alerts.on_ssl_expiration) return;
  if (monitor.is_muted(now) || monitor.is_in_maintenance(now)) return;
  decision.certificate = warning.certificate;
  alert const announced{.type = alert_type::ssl_expiring, .about = id, .number = warning.threshold};
  write_to_all(monitor, announced, false, std::nullopt, now, decision);
}

void begin_period(monitor_state const& monitor, verdict of_verdict, uuid id, timestamp now, decision& decision) {
  decision.period_begun = id;
  bool const wanted = of_verdict == verdict::degraded ? monitor.alerts.on_degraded : monitor.alerts.on_error;
  if (monitor.alerts.enabled && wanted)
    write_start(monitor, {.type = type_of(of_verdict), .about = id}, hold_of_period(monitor, now), now, decision);
}

void end_period(monitor_state const& monitor, verdict of_verdict, decision& decision) {
  decision.period_ended = monitor.period->id;
  for (auto const& each : notified_providers(monitor.period->begins)) {
    write_end({.type = type_of(of_verdict), .about = monitor.period->id, .number = 1}, each, decision);
  }
}

}  // namespace svc::alerting
