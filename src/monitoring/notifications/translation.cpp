#include "svc/monitoring/notifications/translation.hpp"

#include "svc/monitoring/notifications/schedule.hpp"

#include <boost/json.hpp>

#include <algorithm>
#include <chrono>

namespace svc::notifications {
namespace {

notifications::alert_target::kind kind_of(store::alert_details const& alert) {
  using enum notifications::alert_target::kind;
  if (alert.target_type == "job") return job;
  if (alert.target_type == "status_page") return status_page;
  return alert.target_type == "provider" ? provider : monitor;
}

notifications::alert_target target_of(store::alert_details const& alert) {
  return {.state = kind_of(alert),
          .id = alert.target,
          .name = alert.target_name,
          .monitor_type = alert.monitor_type,
          .address = alert.monitor_target};
}

/// Returns the certificate as it was when the alert was written. The remaining time counts days that have started; it
/// is zero or less if the certificate has expired.
std::optional<notifications::certificate_facts> certificate_of(store::alert_details const& alert) {
  boost::system::error_code failed;
  auto const read = boost::json::parse(alert.certificate, failed);
  if (failed || !read.is_object()) return std::nullopt;
  auto const text = [&](char const* name) {
    auto const* const found = read.get_object().if_contains(name);
    return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string();
  };
  auto const ends = parse_rfc3339(text("validTo"));
  if (!ends) return std::nullopt;
  return notifications::certificate_facts{
      .subject = text("subject"),
      .fingerprint = text("fingerprint"),
      .valid_to = *ends,
      .days_remaining = std::chrono::ceil<std::chrono::days>(*ends - alert.time).count()};
}

/// Returns the facts of a run. If the run was deleted, the alert's type is the only source.
notifications::run_facts run_of(store::alert_details const& alert, notifications::alert_type type) {
  if (alert.run) return {.id = alert.about, .status = alert.run->status, .duration_ms = alert.run->duration_ms};
  using enum notifications::alert_type;
  return {.id = alert.about, .status = type == job_failed ? "failed" : type == job_timeout ? "timed_out" : "passed"};
}

/// Returns nothing for a type that only a newer version of the service writes.
std::optional<notifications::alert> alert_of(store::alert_details const& alert) {
  auto const type = notifications::alert_type_named(alert.type);
  if (!type) return std::nullopt;
  notifications::alert out{.id = alert.id,
                           .type = *type,
                           .ended = alert.ended,
                           .time = alert.time,
                           .reminder = static_cast<unsigned>(alert.reminder),
                           .about = target_of(alert),
                           .thread = alert.about,
                           .custom_message = alert.custom_message};
  if (out.about.state == notifications::alert_target::kind::job) {
    out.thread = alert.target;
    out.run = run_of(alert, *type);
  }
  if (auto const& o = alert.outage) {
    out.outage = notifications::outage_facts{alert.about, o->started_at, o->ended_at, o->end_reason};
    out.result = notifications::result_facts{.code = std::string(checks::row_of(o->cause.which).name),
                                             .message = o->cause.message,
                                             .location = o->location};
    out.locations = o->locations;
  } else if (*type == notifications::alert_type::ssl_expiring) {
    out.thread = alert.target;
    out.certificate = certificate_of(alert);
  } else if (*type == notifications::alert_type::provider_failing) {
    out.error = alert.error_message;
  } else if (*type == notifications::alert_type::status_page_post) {
    out.post_title = alert.error_message;
  } else if (!alert.error_message.empty()) {
    out.result = notifications::result_facts{.message = alert.error_message};
  }
  return out;
}

/// Returns true if the answer of an HTTP provider was lost: the service failed after its own front end, or its
/// answer could not be read.
bool is_lost_answer(notifications::outcome const& came) {
  return came.status ? *came.status >= 500 : came.cause == notifications::reason::refused;
}

/// Returns true if the other side may have accepted a message whose answer did not arrive.
bool is_uncertain(std::string_view provider_type, notifications::attempt const& came) {
  using enum notifications::reason;
  if (came.came.state != notifications::fate::retry) return false;
  if (came.came.cause == timeout || came.came.cause == connect_failed || !came.settled.empty()) return true;
  return provider_type != name_of(notifications::provider_type::email) && is_lost_answer(came.came);
}

}  // namespace

std::string sentence_of(store::alert_details const& alert) {
  auto const known = alert_of(alert);
  return known ? notifications::sentence_of(*known) : alert.type;
}

notifications::message message_of(store::claimed_message const& message) {
  notifications::message out{.id = message.id,
                             .project = {message.project, message.project_slug, message.project_name},
                             .maybe_repeated = message.maybe_repeated};
  for (auto const& each : message.alerts) {
    if (auto notified = alert_of(each)) out.alerts.push_back(std::move(*notified));
  }
  return out;
}

std::vector<notifications::settled_recipient> settled_of(store::claimed_message const& message) {
  std::vector<notifications::settled_recipient> out;
  for (auto const& each : message.taken) out.push_back({each, true});
  for (auto const& each : message.refused) out.push_back({each, false});
  return out;
}

store::attempt_end end_of(store::claimed_message const& message, notifications::attempt const& came,
                          milliseconds pace, milliseconds spent, double chance) {
  using fate = store::attempt_end::fate;
  store::attempt_end out{.status = came.came.status,
                         .pace = std::max({pace - spent, came.came.not_before, milliseconds(0)}),
                         .uncertain = is_uncertain(message.provider_type, came),
                         .disable = came.came.gone};
  for (auto const& each : came.settled) (each.taken ? out.taken : out.refused).push_back(each.address);
  out.refused.insert(out.refused.end(), came.left_out.begin(), came.left_out.end());
  if (came.came.state == notifications::fate::taken) {
    out.state = fate::sent;
    if (!came.left_out.empty()) out.reason = notifications::name_of(came.left_out_for);
    return out;
  }
  out.reason = notifications::name_of(came.came.cause);
  out.state = fate::dead;
  if (came.came.state == notifications::fate::dead) return out;
  if (auto const pause = notifications::pause_after(static_cast<unsigned>(message.attempt), came.came, chance)) {
    out.state = fate::waits;
    out.next = std::max(*pause, out.pace);
  }
  return out;
}

store::attempt_end end_of_unsendable() {
  return {.state = store::attempt_end::fate::dead,
          .reason = std::string(name_of(notifications::reason::invalid_config))};
}

}  // namespace svc::notifications
