#include "monitoring/notifications/wording.hpp"

#include "monitoring/notifications/text.hpp"
#include "svc/monitoring/notifications/answer.hpp"
#include "svc/monitoring/notifications/request.hpp"

#include <algorithm>
#include <array>

namespace svc::notifications {

namespace {

/// One row for each type, in the order of `alert_type`: how it is shown, and how its end is.
struct type_row {
  std::string_view name, tag, status, severity;
  bool bad = true;
};

constexpr std::array<type_row, alert_type_count> type_rows{{
    {"monitor_failure", "DOWN", "down", "critical"},
    {"monitor_recovery", "UP", "up", "info", false},
    {"monitor_degraded", "DEGRADED", "degraded", "warning"},
    {"monitor_error", "NOT CHECKED", "error", "warning"},
    {"ssl_expiring", "CERTIFICATE", "expiring", "warning"},
    {"job_failed", "FAILED", "failed", "critical"},
    {"job_timeout", "TIMED OUT", "timed_out", "critical"},
    {"job_success", "PASSED", "passed", "info", false},
    {"job_recovered", "RECOVERED", "passed", "info", false},
    {"provider_failing", "NOT DELIVERED", "failing", "warning"},
    {"outage_acknowledged", "ACKNOWLEDGED", "down", "info", false},
    {"status_page_post", "STATUS PAGE", "posted", "info", false},
}};

type_row const& row_of(alert_type type) {
  return type_rows[static_cast<std::size_t>(type)];
}

bool is_down_and_paused(alert const& alert) {
  return alert.type == alert_type::monitor_recovery && alert.outage && !alert.outage->end_reason.empty() &&
         alert.outage->end_reason != "recovered";
}

std::string because(alert const& alert) {
  auto const cause = cause_of(alert);
  return cause.empty() ? "." : ": " + cause;
}

/// Returns the reason of a failing provider, which the alert has as a code, as a sentence.
std::string because_of_provider(alert const& alert) {
  for (std::size_t i = 0; i < reason_count; ++i)
    if (auto const each = static_cast<reason>(i); alert.error == name_of(each))
      return ". " + std::string(sentence_of(each));
  return because(alert);
}

std::string length_of(outage_facts const& facts, timestamp until) {
  return readable(facts.ended_at.value_or(until) - facts.started_at);
}

std::string failure_sentence(alert const& alert, std::string const& name) {
  if (!alert.outage) return name + " is down" + because(alert);
  if (is_past(alert))
    return name + " was down from " + readable(alert.outage->started_at) + " to " +
           readable(*alert.outage->ended_at) + " (" + length_of(*alert.outage, alert.time) + ")" + because(alert);
  if (alert.reminder > 0)
    return name + " is still down after " + length_of(*alert.outage, alert.time) + because(alert);
  return name + " has been down since " + readable(alert.outage->started_at) + because(alert);
}

std::string recovery_sentence(alert const& alert, std::string const& name) {
  if (!alert.outage) return name + " is up again.";
  auto const length = length_of(*alert.outage, alert.time);
  if (!is_down_and_paused(alert)) return name + " is up again after " + length + ".";
  return "The outage of " + name + " is over after " + length + ": the monitor was " +
         one_line(alert.outage->end_reason) + ".";
}

std::string certificate_sentence(alert const& alert, std::string const& name) {
  if (!alert.certificate) return "The certificate of " + name + " is about to expire.";
  auto const& facts = *alert.certificate;
  if (facts.days_remaining <= 0)
    return "The certificate of " + name + " expired on " + readable(facts.valid_to) + ".";
  return "The certificate of " + name + " expires in " + std::to_string(facts.days_remaining) +
         (facts.days_remaining == 1 ? " day, on " : " days, on ") + readable(facts.valid_to) + ".";
}

std::string run_sentence(alert const& alert, std::string const& name) {
  auto const took = alert.run && alert.run->duration_ms
                        ? " after " + readable(std::chrono::milliseconds(*alert.run->duration_ms))
                        : "";
  switch (alert.type) {
    case alert_type::job_timeout:
      return "The job " + name + " ran out of time" + took + because(alert);
    case alert_type::job_success:
      return "The job " + name + " passed" + took + ".";
    case alert_type::job_recovered:
      return "The job " + name + " passes again" + (took.empty() ? "" : "," + took) + ".";
    default:
      return "The job " + name + " failed" + took + because(alert);
  }
}

}  // namespace

std::string_view name_of(alert_type type) {
  return row_of(type).name;
}

std::optional<alert_type> alert_type_named(std::string_view name) {
  auto const found = std::ranges::find(type_rows, name, &type_row::name);
  if (found == type_rows.end()) return std::nullopt;
  return static_cast<alert_type>(found - type_rows.begin());
}

std::string_view name_of(action kind) {
  constexpr std::array<std::string_view, 3> action_names{"trigger", "resolve", "acknowledge"};
  return action_names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(alert_target::kind kind) {
  constexpr std::array<std::string_view, 4> kind_names{"monitor", "job", "provider", "status_page"};
  return kind_names[static_cast<std::size_t>(kind)];
}

bool is_past(alert const& alert) {
  return alert.type == alert_type::monitor_failure && alert.outage && alert.outage->ended_at;
}

bool is_bad(alert const& alert) {
  return row_of(alert.type).bad && !alert.ended && !is_past(alert);
}

action action_of(alert const& alert) {
  if (alert.type == alert_type::outage_acknowledged) return action::acknowledge;
  return is_bad(alert) ? action::trigger : action::resolve;
}

std::string_view tag_of(alert const& alert) {
  if (is_past(alert)) return "WAS DOWN";
  if (alert.type == alert_type::monitor_failure && alert.reminder > 0) return "STILL DOWN";
  if (is_down_and_paused(alert)) return "OUTAGE OVER";
  if (alert.ended) return alert.type == alert_type::monitor_error ? "CHECKED AGAIN" : "NORMAL";
  return row_of(alert.type).tag;
}

std::string_view status_of(alert const& alert) {
  return alert.ended || is_past(alert) ? "up" : row_of(alert.type).status;
}

std::string_view severity_of(alert const& alert) {
  return is_bad(alert) ? row_of(alert.type).severity : "info";
}

std::string dedup_key_of(alert const& alert) {
  if (alert.type != alert_type::ssl_expiring) return alert.thread.to_string();
  return alert.thread.to_string() +
         (alert.certificate ? "/" + alert.certificate->fingerprint : std::string("/certificate"));
}

std::string event_type_of(alert_type type) {
  std::string out(name_of(type));
  out[out.rfind('_')] = '.';
  return out;
}

std::string cause_of(alert const& alert) {
  if (!alert.error.empty()) return one_line(cut(alert.error, 1000));
  if (!alert.result) return {};
  auto const& facts = *alert.result;
  auto text = one_line(cut(facts.message.empty() ? facts.code : facts.message, 1000));
  if (!facts.message.empty() && !facts.code.empty()) text += " (" + one_line(facts.code) + ")";
  return text;
}

std::string name_in_text(alert_target const& target) {
  return cut(one_line(target.name), 255);
}

std::string sentence_of(alert const& alert) {
  auto const name = name_in_text(alert.about);
  switch (alert.type) {
    case alert_type::monitor_failure:
      return failure_sentence(alert, name);
    case alert_type::monitor_recovery:
      return recovery_sentence(alert, name);
    case alert_type::monitor_degraded:
      return alert.ended ? name + " answers as usual again." : name + " is slow or failing in part" + because(alert);
    case alert_type::monitor_error:
      return alert.ended ? name + " is checked again." : name + " cannot be checked" + because(alert);
    case alert_type::ssl_expiring:
      return certificate_sentence(alert, name);
    case alert_type::provider_failing:
      return "The provider " + name + " no longer accepts messages" + because_of_provider(alert);
    case alert_type::outage_acknowledged:
      return "The outage of " + name + " was acknowledged.";
    case alert_type::status_page_post:
      return name + ": " + one_line(cut(alert.post_title, 300));
    default:
      return run_sentence(alert, name);
  }
}

alert test_alert(uuid id, timestamp now) {
  alert out;
  out.id = out.thread = out.about.id = id;
  out.time = now;
  out.about.name = "Test";
  out.about.monitor_type = "http_request";
  out.about.address = "https://example.com/";
  out.outage = outage_facts{.id = id, .started_at = now};
  out.result = result_facts{.message = "this is a test, nothing is wrong", .checked_at = now};
  return out;
}

}  // namespace svc::notifications
