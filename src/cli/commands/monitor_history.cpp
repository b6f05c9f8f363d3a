// This file shows the results of a monitor's checks.
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column result_row[] = {{"When", "checkedAt", cell::time},
                                 {"Status", "status", cell::status},
                                 {"Took", "responseTimeMs", cell::duration},
                                 {"Attempts", "attempts", cell::text, 2},
                                 {"Code", "details.statusCode", cell::text, 4},
                                 {"Location", "location", cell::text, 5},
                                 {"Error", "details.error.code", cell::text, 1},
                                 {"Maintenance", "maintenance", cell::boolean, 6},
                                 {"Why", "details.error.message", cell::prose}};
constexpr column stats_details[] = {{"Period", "period"},
                                    {"Uptime, %", "uptimePercent"},
                                    {"Outages", "outages"},
                                    {"Down", "downtimeSeconds", cell::seconds},
                                    {"Observed", "observedSeconds", cell::seconds},
                                    {"Checks", "totalChecks"},
                                    {"Successful", "successfulChecks"},
                                    {"Failed", "failedChecks"},
                                    {"Average", "avgResponseTime", cell::duration},
                                    {"Median", "p50ResponseTime", cell::duration},
                                    {"95 % below", "p95ResponseTime", cell::duration},
                                    {"99 % below", "p99ResponseTime", cell::duration}};

/// Returns the resource of one monitor's results, whose path is below the monitor's own.
resource results_below(std::string_view path) {
  return {
      .group = "monitor results",
      .text = "result",
      .many = "a monitor's results",
      .path = path,
      .name_member = "",
      .list_example = "shop --status down --from -1d",
      .id_member = "checkedAt",
      .row = result_row,
      .filters = {{.flag = "--status",
                   .parameter = "status",
                   .type_name = "STATUS",
                   .help = "with this status",
                   .allowed = {"up", "down", "timeout", "error"}},
                  {.flag = "--date", .parameter = "date", .type_name = "DAY", .help = "of this day of UTC"},
                  {.flag = "--location", .parameter = "location", .type_name = "CODE", .help = "of this location"},
                  {.flag = "--from",
                   .parameter = "from",
                   .type_name = "TIME",
                   .help = "started at this moment or later: -2h (ago), 2026-11-20, yesterday, or RFC 3339",
                   .prepared = moment_argument},
                  {.flag = "--to",
                   .parameter = "to",
                   .type_name = "TIME",
                   .help = "started before this moment",
                   .prepared = moment_argument}}};
}

void add_monitor_stats(CLI::App& monitor, context& cx) {
  struct arguments {
    std::string monitor, period;
  };
  auto const given = std::make_shared<arguments>();
  auto* const stats = add_command(monitor, cx, "stats", "Show a monitor's uptime and response times",
                                  "shop --period 7d", [&cx, given] {
                                    auto target = target_of(cx, monitor_resource(), given->monitor, "/stats");
                                    if (!given->period.empty()) target += "?period=" + given->period;
                                    return send_and_show(cx, {.method = "GET", .target = target}, stats_details);
                                  });
  add_target(*stats, monitor_resource(), given->monitor);
  stats->add_option("--period", given->period, "the time until now; 30d unless given")
      ->type_name("PERIOD")
      ->check(CLI::IsMember({"24h", "7d", "30d", "90d", "365d"}));
}

}  // namespace

void add_monitor_history_commands(CLI::App& app, context& cx) {
  add_list_below(app, cx, "results", monitor_resource(), "/results", results_below);
  add_monitor_stats(app, cx);
}

}  // namespace svc::cli
