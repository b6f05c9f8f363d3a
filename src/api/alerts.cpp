#include "api/call_options.hpp"
#include "api/resources.hpp"
#include "svc/api/handlers.hpp"
#include "svc/api/services.hpp"
#include "svc/monitoring/notifications/wording.hpp"
#include "svc/store/repositories.hpp"

namespace svc::api {
namespace {

/// Why: of a failure its outage says so; ends have no reason to tell.
std::optional<std::string> error_message_of(store::told_alert const& of) {
  if (of.type == "monitor_failure" && of.outage) return of.outage->cause.message;
  return of.error_message.empty() ? std::nullopt : std::optional(of.error_message);
}

/// Of a monitor's failure or recovery its outage, of a job's alert its run, otherwise nothing.
std::optional<uuid> outage_of(store::told_alert const& of) {
  bool const has = of.type == "monitor_failure" || of.type == "monitor_recovery";
  return has ? std::optional(of.about) : std::nullopt;
}
std::optional<uuid> run_of(store::told_alert const& of) {
  return of.target_type == "job" ? std::optional(of.about) : std::nullopt;
}

void delivery_error_json(http::json_text& out, store::listed_alert const& of) {
  if (!of.error_reason) {
    out.member("error", nullptr);
    return;
  }
  out.open("error").member("reason", *of.error_reason).member("status", of.error_status).close();
}

store::alert_filter alert_filter_of(call const& c) {
  return {.target_type = query_text(c, "targetType"),
          .target = query_id(c, "targetId"),
          .type = query_text(c, "type"),
          .status = query_text(c, "status"),
          .provider = query_id(c, "providerId"),
          .from = query_time(c, "from"),
          .to = query_time(c, "to")};
}

reply alert_reply(store::listed_alert const& of, unsigned status = 200) {
  return {.status = status, .text = http::written(alert_json, of)};
}

}  // namespace

void alert_json(http::json_text& out, store::listed_alert const& of) {
  auto const& what = of.what;
  out.member("id", what.id)
      .member("type", what.type)
      .member("targetType", what.target_type)
      .member("targetId", what.target)
      .member("targetName", what.target_name)
      .member("message", notifications::sentence_of(what))
      .member("status", of.status)
      .member("suppressedBy", of.suppressed_by)
      .member("providerId", of.provider)
      .member("notificationProvider", of.provider_name)
      .member("outageId", outage_of(what))
      .member("runId", run_of(what))
      .member("reminder", what.reminder)
      .member("attempts", of.attempts)
      .member("grouped", of.grouped)
      .member("maybeRepeated", of.maybe_repeated)
      .member("lastAttemptAt", of.last_attempt_at)
      .member("nextAttemptAt", of.next_attempt_at)
      .member("sentAt", of.sent_at);
  delivery_error_json(out, of);
  out.member("timestamp", what.at).open("metadata").member("errorMessage", error_message_of(what)).close();
}

task<result<reply>> list_alerts(call& c) {
  auto const found = co_await c.use.stores.alerts.list(c.who.project_id, alert_filter_of(c), c.page(), c.until);
  co_return page_reply(c, found, alert_json);
}

task<result<reply>> list_alert_history(call& c) {
  co_return co_await list_alerts(c);
}

task<result<reply>> get_alert(call& c) {
  auto const found = co_await c.use.stores.alerts.get(c.who.project_id, c.path_id(), c.until);
  if (!found) co_return found.error();
  co_return alert_reply(*found);
}

task<result<reply>> retry_alert(call& c) {
  auto const done = co_await c.use.stores.alerts.retry(edit_by(c), c.path_id(), c.until);
  if (!done) co_return done.error();
  co_return alert_reply(*done, 202);
}

}  // namespace svc::api
