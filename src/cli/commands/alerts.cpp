#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"

#include <CLI/CLI.hpp>

#include <optional>

namespace svc::cli {
namespace {

constexpr column alert_row[] = {{"ID", "id", cell::id},
                                {"When", "timestamp", cell::time},
                                {"Type", "type", cell::text, 3},
                                {"Of", "targetName", cell::name},
                                {"To", "notificationProvider", cell::text, 1},
                                {"Status", "status", cell::status},
                                {"Error", "error.reason", cell::prose},
                                {"Message", "message", cell::prose}};
constexpr column alert_details[] = {{"ID", "id"},
                                    {"When", "timestamp", cell::time},
                                    {"Type", "type"},
                                    {"Message", "message"},
                                    {"Of", "targetName"},
                                    {"Its id", "targetId"},
                                    {"To", "notificationProvider"},
                                    {"Provider's id", "providerId"},
                                    {"Status", "status", cell::status},
                                    {"Suppressed by", "suppressedBy"},
                                    {"Outage", "outageId"},
                                    {"Run", "runId"},
                                    {"Reminder", "reminder"},
                                    {"Attempts", "attempts"},
                                    {"Error", "error.reason"},
                                    {"Its status", "error.status"},
                                    {"Last attempt", "lastAttemptAt", cell::time},
                                    {"Next attempt", "nextAttemptAt", cell::time},
                                    {"Sent", "sentAt", cell::time},
                                    {"With others", "grouped", cell::boolean},
                                    {"Maybe twice", "maybeRepeated", cell::boolean}};

/// Returns one row per filter, so the function is long.
std::vector<list_filter> alert_filters() {
  return {{.flag = "--monitor",
           .parameter = "targetId",
           .type_name = "MONITOR",
           .help = "of this monitor, by id or name; of a deleted one by id",
           .prepared = monitor_id},
          {.flag = "--target",
           .parameter = "targetId",
           .type_name = "ID",
           .help = "of this monitor, job or provider, by id"},
          {.flag = "--target-type",
           .parameter = "targetType",
           .type_name = "KIND",
           .help = "of targets of this kind",
           .allowed = {"monitor", "job", "provider"}},
          {.flag = "--type",
           .parameter = "type",
           .type_name = "TYPE",
           .help = "of this type",
           .allowed = {"monitor_failure", "monitor_recovery", "monitor_degraded", "monitor_error", "ssl_expiring",
                       "job_failed", "job_timeout", "job_success", "job_recovered", "provider_failing"}},
          {.flag = "--status",
           .parameter = "status",
           .type_name = "STATUS",
           .help = "with this status",
           .allowed = {"pending", "sent", "failed", "suppressed"}},
          {.flag = "--provider",
           .parameter = "providerId",
           .type_name = "PROVIDER",
           .help = "to this provider, by id or name; to a deleted one by id",
           .prepared = provider_id},
          {.flag = "--from",
           .parameter = "from",
           .type_name = "TIME",
           .help = "written at this moment or later: RFC 3339, or -2h for two hours ago",
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
        std::to_string(failures) + " of " + std::to_string(ids.size()) + " alerts are not sent again.",
        worst->hint());
  return exit_code::ok;
}

void add_alert_retry(CLI::App& alert, context& cx) {
  auto const ids = std::make_shared<std::vector<std::string>>();
  auto* const retry = add_command(alert, cx, "retry", "Send alerts again whose message was given up",
                                  alert_resource().example, [&cx, ids] { return retry_all(cx, *ids); });
  retry->add_option("ALERT", *ids, "their ids")->required();
}

}  // namespace

void add_alert_commands(CLI::App& root, context& cx) {
  auto* const alert = root.add_subcommand("alert", "Alerts: what was told, and what came of it");
  alert->require_subcommand(1);
  add_list(*alert, cx, alert_resource());
  add_get(*alert, cx, alert_resource());
  add_alert_retry(*alert, cx);
}

}  // namespace svc::cli
