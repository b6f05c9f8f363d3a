#include "api/call_options.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/monitoring/notifications/translation.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// Returns the reason of the alert. The outage of a failure has the reason; ends have none.
std::optional<std::string> error_message_of(store::alert_details const& alert) {
  if (alert.type == "monitor_failure" && alert.outage) return alert.outage->cause.message;
  // A post has its title there, which its message repeats.
  if (alert.type == "status_page_post") return std::nullopt;
  return alert.error_message.empty() ? std::nullopt : std::optional(alert.error_message);
}

/// Returns the outage of a monitor's failure or recovery. `run_of` returns the run of a job's alert. Other alerts
/// have neither.
std::optional<uuid> outage_of(store::alert_details const& alert) {
  bool const has = alert.type == "monitor_failure" || alert.type == "monitor_recovery";
  return has ? std::optional(alert.about) : std::nullopt;
}
std::optional<uuid> run_of(store::alert_details const& alert) {
  return alert.target_type == "job" ? std::optional(alert.about) : std::nullopt;
}

void delivery_error_json(http::json_text& out, store::listed_alert const& alert) {
  if (!alert.error_reason) {
    out.member("error", nullptr);
    return;
  }
  out.open("error").member("reason", *alert.error_reason).member("status", alert.error_status).close();
}

store::alert_filter alert_filter_of(call const& c) {
  return {.target_type = query_text(c, "targetType"),
          .target = query_id(c, "targetId"),
          .type = query_text(c, "type"),
          .status = query_text(c, "status"),
          .provider = query_id(c, "providerId"),
          .start = query_time(c, "from"),
          .end = query_time(c, "to")};
}

reply alert_reply(store::listed_alert const& alert, unsigned status = 200) {
  return {.status = status, .text = http::written(alert_json, alert)};
}

}  // namespace

void alert_json(http::json_text& out, store::listed_alert const& alert) {
  auto const& content = alert.alert;
  out.member("id", content.id)
      .member("type", content.type)
      .member("targetType", content.target_type)
      .member("targetId", content.target)
      .member("targetName", content.target_name)
      .member("message", notifications::sentence_of(content))
      .member("status", alert.status)
      .member("suppressedBy", alert.suppressed_by)
      .member("providerId", alert.provider)
      .member("notificationProvider", alert.provider_name)
      .member("outageId", outage_of(content))
      .member("runId", run_of(content))
      .member("reminder", content.reminder)
      .member("attempts", alert.attempts)
      .member("grouped", alert.grouped)
      .member("maybeRepeated", alert.maybe_repeated)
      .member("lastAttemptAt", alert.last_attempt_at)
      .member("nextAttemptAt", alert.next_attempt_at)
      .member("sentAt", alert.sent_at);
  delivery_error_json(out, alert);
  out.member("timestamp", content.time).open("metadata").member("errorMessage", error_message_of(content)).close();
}

task<result<reply>> list_alerts(call& c) {
  auto const found = co_await c.use.stores.alerts.list(c.caller.project_id, alert_filter_of(c), c.page(), c.until);
  co_return page_reply(c, found, alert_json);
}

task<result<reply>> list_alert_history(call& c) {
  co_return co_await list_alerts(c);
}

task<result<reply>> get_alert(call& c) {
  auto const found = co_await c.use.stores.alerts.get(c.caller.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return alert_reply(*found);
}

task<result<reply>> retry_alert(call& c) {
  auto const done = co_await c.use.stores.alerts.retry(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return alert_reply(*done, 202);
}

}  // namespace svc::api
