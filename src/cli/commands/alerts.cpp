#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace svc::cli {
namespace {

constexpr column alert_row[] = {{"ID", "id", cell::id},
                                {"When", "timestamp", cell::time},
                                {"Type", "type", cell::kind, 1},
                                {"Of", "targetName", cell::name},
                                {"To", "notificationProvider", cell::text, 2},
                                {"Status", "status", cell::status},
                                {"Error", "error.reason", cell::prose},
                                {"Message", "message", cell::prose}};
constexpr column alert_details[] = {{"ID", "id"},
                                    {"When", "timestamp", cell::time},
                                    {"Type", "type"},
                                    {"Message", "message", cell::prose},
                                    {"Of", "targetName"},
                                    {"Target's id", "targetId"},
                                    {"To", "notificationProvider"},
                                    {"Provider's id", "providerId"},
                                    {"Status", "status", cell::status},
                                    {"Suppressed by", "suppressedBy"},
                                    {"Outage", "outageId"},
                                    {"Run", "runId"},
                                    {"Reminder number", "reminder"},
                                    {"Attempts", "attempts"},
                                    {"Error", "error.reason"},
                                    {"Status answered", "error.status"},
                                    {"Last attempt", "lastAttemptAt", cell::time},
                                    {"Next attempt", "nextAttemptAt", cell::time},
                                    {"Sent", "sentAt", cell::time},
                                    {"Sent with others", "grouped", cell::boolean},
                                    {"May arrive twice", "maybeRepeated", cell::boolean}};

/// Removes codes such as `(connect_refused)` from a sentence; the outage of a monitor has the code.
void remove_codes(boost::json::object& alert) {
  auto text = text_of_member(alert, "message");
  for (auto open = text.find(" ("); open != std::string::npos; open = text.find(" (", open + 1)) {
    auto const close = text.find(')', open);
    if (close == std::string::npos) break;
    auto const inner = std::string_view(text).substr(open + 2, close - open - 2);
    bool const is_code = inner.find('_') != std::string_view::npos &&
                         inner.find_first_not_of("abcdefghijklmnopqrstuvwxyz_") == std::string_view::npos;
    if (is_code) text.erase(open, close + 1 - open);
  }
  if (!text.empty()) alert["message"] = text;
}

/// Returns one row per filter, so the function is long.
std::vector<list_filter> alert_filters() {
  return {{.flag = "--monitor",
           .parameter = "targetId",
           .type_name = "MONITOR",
           .help = "of this monitor, by id or name; a deleted monitor only by id",
           .prepared = monitor_id},
          {.flag = "--target",
           .parameter = "targetId",
           .type_name = "ID",
           .help = "of this monitor, job, provider or status page, by id"},
          {.flag = "--target-type",
           .parameter = "targetType",
           .type_name = "KIND",
           .help = "of targets of this kind",
           .allowed = {"monitor", "job", "provider", "status_page"}},
          {.flag = "--type",
           .parameter = "type",
           .type_name = "TYPE",
           .help = "of this type",
           .allowed = {"monitor_failure", "monitor_recovery", "monitor_degraded", "monitor_error", "ssl_expiring",
                       "job_failed", "job_timeout", "job_success", "job_recovered", "provider_failing",
                       "status_page_post"}},
          {.flag = "--status",
           .parameter = "status",
           .type_name = "STATUS",
           .help = "with this status",
           .allowed = {"pending", "sent", "failed", "suppressed"}},
          {.flag = "--provider",
           .parameter = "providerId",
           .type_name = "PROVIDER",
           .help = "to this provider, by id or name; a deleted provider only by id",
           .prepared = provider_id},
          {.flag = "--from",
           .parameter = "from",
           .type_name = "TIME",
           .help = "written at this moment or later: -2h (ago), 2026-11-20, yesterday, or RFC 3339",
           .prepared = moment_argument},
          {.flag = "--to",
           .parameter = "to",
           .type_name = "TIME",
           .help = "written before this moment",
           .prepared = moment_argument}};
}

resource const& alert_resource() {
  static resource const out{.group = "alert",
                            .text = "alert",
                            .many = "alerts",
                            .path = "/api/alerts",
                            .name_member = "",
                            .example = "01934f2e-bbbb-7d3e-9b1f-5a2c8e4d6f70",
                            .list_example = "--status failed --from -1d",
                            .row = alert_row,
                            .details = alert_details,
                            .adapt = remove_codes,
                            .filters = alert_filters()};
  return out;
}

/// Sends all alerts, also the ones after a failed one. The worst of several failures decides the command's exit code.
exit_code retry_all(context& cx, std::vector<std::string> const& ids) {
  std::optional<failure> worst;
  std::size_t failures = 0;
  for (auto const& id : ids) {
    try {
      send_and_show(cx, {.method = "POST", .target = target_of(cx, alert_resource(), id, "/retry")}, alert_details);
    } catch (failure const& f) {
      bool const over =
          f.exit() == exit_code::ok || f.exit() == exit_code::deadline || f.exit() == exit_code::interrupted;
      if (over || ids.size() == 1) throw;
      cx.console.warn(harmless(id + ": " + f.what()));
      ++failures;
      if (!worst || f.exit() > worst->exit()) worst = f;
    }
  }
  if (worst)
    throw worst->retold(
        std::to_string(failures) + " of " + std::to_string(ids.size()) + " alerts could not be sent again.",
        worst->hint());
  return exit_code::ok;
}

void add_alert_retry(CLI::App& alert, context& cx) {
  auto const ids = std::make_shared<std::vector<std::string>>();
  auto* const retry = add_command(alert, cx, "retry", "Send alerts again whose delivery has failed for good",
                                  alert_resource().example, [&cx, ids] { return retry_all(cx, *ids); });
  retry->add_option("ALERT", *ids, "their ids")->required();
}

}  // namespace

void add_alert_commands(CLI::App& root, context& cx) {
  auto* const alert = root.add_subcommand("alert", "Alerts: the notifications and their delivery");
  alert->require_subcommand(1);
  add_list(*alert, cx, alert_resource());
  add_get(*alert, cx, alert_resource());
  add_alert_retry(*alert, cx);
}

}  // namespace svc::cli
