#include "monitoring/notifications/wording.hpp"

#include "monitoring/notifications/text.hpp"
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
}};

type_row const& row_of(alert_type of) {
  return type_rows[static_cast<std::size_t>(of)];
}

bool is_down_and_paused(alert const& of) {
  return of.type == alert_type::monitor_recovery && of.outage && !of.outage->end_reason.empty() &&
         of.outage->end_reason != "recovered";
}

std::string because(alert const& of) {
  auto const cause = cause_of(of);
  return cause.empty() ? "." : ": " + cause;
}

std::string length_of(outage_facts const& of, timestamp until) {
  return readable(of.ended_at.value_or(until) - of.started_at);
}

std::string failure_sentence(alert const& of, std::string const& name) {
  if (!of.outage) return name + " is down" + because(of);
  if (is_past(of))
    return name + " was down from " + readable(of.outage->started_at) + " to " + readable(*of.outage->ended_at) +
           " (" + length_of(*of.outage, of.at) + ")" + because(of);
  if (of.reminder > 0) return name + " is still down after " + length_of(*of.outage, of.at) + because(of);
  return name + " is down since " + readable(of.outage->started_at) + because(of);
}

std::string recovery_sentence(alert const& of, std::string const& name) {
  if (!of.outage) return name + " is up again.";
  auto const length = length_of(*of.outage, of.at);
  if (!is_down_and_paused(of)) return name + " is up again after " + length + ".";
  return "The outage of " + name + " is over after " + length + ": the monitor was " +
         one_line(of.outage->end_reason) + ".";
}

std::string certificate_sentence(alert const& of, std::string const& name) {
  if (!of.certificate) return "The certificate of " + name + " is about to expire.";
  auto const& facts = *of.certificate;
  if (facts.days_remaining <= 0)
    return "The certificate of " + name + " expired on " + readable(facts.valid_to) + ".";
  return "The certificate of " + name + " expires in " + std::to_string(facts.days_remaining) +
         (facts.days_remaining == 1 ? " day, on " : " days, on ") + readable(facts.valid_to) + ".";
}

std::string run_sentence(alert const& of, std::string const& name) {
  auto const took =
      of.run && of.run->duration_ms ? " after " + readable(std::chrono::milliseconds(*of.run->duration_ms)) : "";
  switch (of.type) {
    case alert_type::job_timeout:
      return "The job " + name + " ran out of time" + took + because(of);
    case alert_type::job_success:
      return "The job " + name + " passed" + took + ".";
    case alert_type::job_recovered:
      return "The job " + name + " passes again" + (took.empty() ? "" : "," + took) + ".";
    default:
      return "The job " + name + " failed" + took + because(of);
  }
}

}  // namespace

std::string_view name_of(alert_type of) {
  return row_of(of).name;
}

std::optional<alert_type> alert_type_named(std::string_view name) {
  auto const found = std::ranges::find(type_rows, name, &type_row::name);
  if (found == type_rows.end()) return std::nullopt;
  return static_cast<alert_type>(found - type_rows.begin());
}

std::string_view name_of(action of) {
  constexpr std::array<std::string_view, 3> action_names{"trigger", "resolve", "acknowledge"};
  return action_names[static_cast<std::size_t>(of)];
}

std::string_view name_of(alert_target::kind of) {
  constexpr std::array<std::string_view, 3> kind_names{"monitor", "job", "provider"};
  return kind_names[static_cast<std::size_t>(of)];
}

bool is_past(alert const& of) {
  return of.type == alert_type::monitor_failure && of.outage && of.outage->ended_at;
}

bool is_bad(alert const& of) {
  return row_of(of.type).bad && !of.ended && !is_past(of);
}

action action_of(alert const& of) {
  if (of.type == alert_type::outage_acknowledged) return action::acknowledge;
  return is_bad(of) ? action::trigger : action::resolve;
}

std::string_view tag_of(alert const& of) {
  if (is_past(of)) return "WAS DOWN";
  if (of.type == alert_type::monitor_failure && of.reminder > 0) return "STILL DOWN";
  if (is_down_and_paused(of)) return "OUTAGE OVER";
  if (of.ended) return of.type == alert_type::monitor_error ? "CHECKED AGAIN" : "NORMAL";
  return row_of(of.type).tag;
}

std::string_view status_of(alert const& of) {
  return of.ended || is_past(of) ? "up" : row_of(of.type).status;
}

std::string_view severity_of(alert const& of) {
  return is_bad(of) ? row_of(of.type).severity : "info";
}

std::string dedup_key_of(alert const& of) {
  if (of.type != alert_type::ssl_expiring) return of.thread.to_string();
  return of.thread.to_string() + (of.certificate ? "/" + of.certificate->fingerprint : std::string("/certificate"));
}

std::string event_type_of(alert_type of) {
  std::string out(name_of(of));
  std::replace(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(out.find('_') + 1), '_', '.');
  return out;
}

std::string cause_of(alert const& of) {
  if (!of.error.empty()) return one_line(cut(of.error, 1000));
  if (!of.result) return {};
  auto const& why = *of.result;
  auto text = one_line(cut(why.message.empty() ? why.code : why.message, 1000));
  if (!why.message.empty() && !why.code.empty()) text += " (" + one_line(why.code) + ")";
  return text;
}

std::string name_in_text(alert_target const& of) {
  return cut(one_line(of.name), 255);
}

std::string sentence_of(alert const& of) {
  auto const name = name_in_text(of.about);
  switch (of.type) {
    case alert_type::monitor_failure:
      return failure_sentence(of, name);
    case alert_type::monitor_recovery:
      return recovery_sentence(of, name);
    case alert_type::monitor_degraded:
      return of.ended ? name + " answers as usual again." : name + " is slow or failing in part" + because(of);
    case alert_type::monitor_error:
      return of.ended ? name + " is checked again." : name + " cannot be checked" + because(of);
    case alert_type::ssl_expiring:
      return certificate_sentence(of, name);
    case alert_type::provider_failing:
      return "Messages to the provider " + name + " are not taken" + because(of);
    case alert_type::outage_acknowledged:
      return "The outage of " + name + " was acknowledged.";
    default:
      return run_sentence(of, name);
  }
}

alert test_alert(uuid id, timestamp now) {
  alert out;
  out.id = out.thread = out.about.id = id;
  out.at = now;
  out.about.name = "Test";
  out.about.monitor_type = "http_request";
  out.about.address = "https://example.com/";
  out.outage = outage_facts{.id = id, .started_at = now};
  out.result = result_facts{.message = "this is a test, nothing is wrong", .checked_at = now};
  return out;
}

}  // namespace svc::notifications
