#include "cli/commands/arguments.hpp"
#include "cli/commands/job_page.hpp"
#include "cli/commands/monitor_fields.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/shown_names.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/array.hpp>

namespace svc::cli {
namespace {

constexpr column monitor_row[] = {{"ID", "id", cell::id, 1},
                                  {"Name", "name"},
                                  {"Status", "status", cell::status},
                                  {"Type", "type", cell::text, 3},
                                  {"Target", "target"},
                                  {"Checked", "lastCheckAt", cell::time, 2},
                                  {"Took", "lastResponseTimeMs", cell::duration, 4},
                                  {"Since", "lastStatusChangeAt", cell::time, 5},
                                  {"Maintenance", "maintenance", cell::prose}};
constexpr column monitor_details[] = {{"ID", "id"},
                                      {"Name", "name"},
                                      {"Description", "description"},
                                      {"Type", "type"},
                                      {"Target", "target"},
                                      {"Every", "frequencySeconds", cell::seconds},
                                      {"Reports due", "schedule"},
                                      {"Grace", "grace", cell::seconds},
                                      {"Status", "status", cell::status},
                                      {"Since", "lastStatusChangeAt", cell::time},
                                      {"Maintenance", "maintenance"},
                                      {"Reason", "reason.message"},
                                      {"Failing since", "suspectSince", cell::time},
                                      {"Open outage", "openOutageId"},
                                      {"Last check", "lastCheckAt", cell::time},
                                      {"Took", "lastResponseTimeMs", cell::duration},
                                      {"Next check", "nextCheckAt", cell::time},
                                      {"Config", "config"},
                                      {"Hidden values", "maskedFields", cell::list},
                                      {"Alerts", "alertConfig"},
                                      {"Muted until", "mutedUntil", cell::time},
                                      {"Report at", "heartbeat.url"},
                                      {"Depends on", "dependsOn", cell::list},
                                      {"Tags", "tags", cell::list},
                                      {"Deleted", "deletedAt", cell::time},
                                      {"Created", "createdAt", cell::time},
                                      {"Updated", "updatedAt", cell::time}};

/// Returns the type that the body or the changed monitor has.
std::string type_of(context& cx, boost::json::object const& body, std::string const& id) {
  if (id.empty()) return text_of_member(body, "type");
  auto const target = std::string(monitor_resource().path) + "/" + percent_encoded(id);
  return text_of_member(object_of(cx.client().send({.method = "GET", .target = target}).body).as_object(), "type");
}

/// Puts ids in place of names in `dependsOn`, which a file may have. The API has no null for it, so `--clear` makes
/// an empty list.
void prepare_parents(context& cx, boost::json::object& body) {
  auto* const parents = body.if_contains("dependsOn");
  if (parents == nullptr) return;
  if (parents->is_null()) *parents = boost::json::array();
  if (!parents->is_array()) return;
  for (auto& each : parents->get_array())
    if (each.is_string()) each = monitor_id(cx, std::string(each.get_string()));
}

/// Makes `--every` the schedule of a heartbeat, because nothing else of a heartbeat has an interval. The schedule is
/// either an interval or a cron line, so a change of one removes the other.
void prepare_monitor(context& cx, boost::json::object& body, std::string const& id) {
  if (auto* const alerts = body.if_contains("alertConfig")) resolve_alert_providers(cx, *alerts);
  prepare_parents(cx, body);
  // With an empty `config` the service names the members that are missing, and not only `config`.
  auto const type = id.empty() ? text_of_member(body, "type") : std::string();
  if ((type == "heartbeat" || type == "port_check" || type == "dns") && !body.contains("config"))
    body["config"] = boost::json::object();
  boost::json::value const whole = body;
  // Copies of the body's members, because changes of the body move them.
  auto const* const every = member_of(whole, "frequencySeconds");
  auto const* const cron = member_of(whole, "config.schedule.cron");
  bool const has_every = every != nullptr && every->is_int64();
  if ((!has_every && cron == nullptr) || type_of(cx, body, id) != "heartbeat") return;
  auto const* const interval = member_of(whole, "config.schedule.everySeconds");
  bool const differs = has_every && interval != nullptr && !interval->is_null() && *interval != *every;
  if (has_every && ((cron != nullptr && !cron->is_null()) || differs))
    throw bad_usage("--every and another schedule exclude each other.",
                    "A heartbeat is due by an interval (--every) or by a cron line (--cron).");
  if (body.if_contains("config") == nullptr) body["config"] = boost::json::object();
  auto& config = body["config"];
  if (!config.is_object()) return;
  auto& schedule = config.get_object()["schedule"];
  if (!schedule.is_object()) schedule = boost::json::object();
  auto& due = schedule.get_object();
  if (has_every) due["everySeconds"] = *every;
  if (!id.empty() && has_every) due["cron"] = due["timeZone"] = nullptr;
  if (!id.empty() && !has_every) due["everySeconds"] = nullptr;
  body.erase("frequencySeconds");
}

/// Returns the required members of the monitor's type, or the right position of a misplaced member, as a hint.
std::string monitor_remedy(failure const& refusal, bool creates) {
  std::string_view const said = refusal.what();
  auto const names = [said](char const* words) { return said.find(words) != std::string_view::npos; };
  if (creates && names("--every or --cron is required"))
    return "A heartbeat needs --every or --cron, so that the service knows when its reports are due.";
  if (creates && names("--port is required")) return "A port_check needs --port.";
  if (creates && names("--record-type is required")) return "A dns monitor needs --record-type.";
  if (names("--every must be from 10s to 1d"))
    return "The minimum interval is 30s, unless the operator has set another one (checks.min_interval).";
  for (char const* const member : {"failureThreshold", "recoveryThreshold", "reminderMinutes", "alertOn"})
    if (names(member) && names("is not allowed here")) return "Settings of alerts belong in the file of --alerts.";
  return {};
}

std::string schedule_in_words(boost::json::value const& config) {
  auto const* const every = member_of(config, "schedule.everySeconds");
  auto const* const cron = member_of(config, "schedule.cron");
  if (every != nullptr && every->is_int64()) return "every " + spelled_seconds(every->get_int64());
  if (cron == nullptr || !cron->is_string()) return {};
  auto const* const zone = member_of(config, "schedule.timeZone");
  return std::string(cron->get_string()) +
         (zone != nullptr && zone->is_string() ? " in " + std::string(zone->get_string()) : std::string(" in UTC"));
}

/// Shows the providers of alerts and other monitors by their names, and a heartbeat's schedule and grace, also the
/// default grace.
void complete_monitor(context& cx, boost::json::object& monitor) {
  name_alert_providers(cx, monitor);
  name_ids(cx, monitor_resource(), monitor.if_contains("dependsOn"));
  if (text_of_member(monitor, "type") != "heartbeat") return;
  constexpr std::int64_t default_grace = 300;
  auto const* const found = monitor.if_contains("config");
  auto const config = found == nullptr ? boost::json::value() : *found;
  auto const* const grace = member_of(config, "graceSeconds");
  monitor["frequencySeconds"] = nullptr;
  monitor["schedule"] = schedule_in_words(config);
  monitor["grace"] = grace != nullptr && grace->is_int64() ? grace->get_int64() : default_grace;
}

/// Puts the maintenance that applies now into words: `database upgrade, until 2026-11-20T12:00:00+01:00`.
void put_maintenance_into_words(boost::json::object& monitor) {
  auto* const maintenance = monitor.if_contains("maintenance");
  auto const* const window = maintenance == nullptr ? nullptr : maintenance->if_object();
  if (window == nullptr) return;
  auto const until = parse_rfc3339(text_of_member(*window, "until"));
  auto words = text_of_member(*window, "name");
  if (until) words += ", until " + local_time(*until);
  *maintenance = words;
}

/// A port check is a check of one port, so its target is shown with it. An interval that was not set in seconds is
/// known in minutes.
void adapt_monitor(boost::json::object& monitor) {
  name_masked_members(monitor);
  put_maintenance_into_words(monitor);
  auto const* const minutes = monitor.if_contains("frequencyMinutes");
  auto* const seconds = monitor.if_contains("frequencySeconds");
  bool const reports = text_of_member(monitor, "type") == "heartbeat";
  if (!reports && seconds != nullptr && seconds->is_null() && minutes != nullptr && minutes->is_int64())
    *seconds = minutes->get_int64() * 60;
  if (text_of_member(monitor, "type") != "port_check") return;
  boost::json::value const whole = monitor;
  auto const* const port = member_of(whole, "config.port");
  auto const target = text_of_member(monitor, "target");
  if (port == nullptr || !port->is_int64() || target.empty()) return;
  bool const is_ipv6 = target.find(':') != std::string::npos && !target.starts_with('[');
  monitor["target"] = (is_ipv6 ? "[" + target + "]" : target) + ":" + std::to_string(port->get_int64());
}

/// A command that sends a POST about one monitor and shows the monitor after it.
struct monitor_request {
  char const* name;
  char const* help;
  char const* below;
};

constexpr monitor_request monitor_requests[] = {
    {"pause", "Stop checking a monitor until it is resumed", "/pause"},
    {"resume", "Check a paused monitor again", "/resume"},
};

void add_monitor_request(CLI::App& monitor, context& cx, monitor_request const& request) {
  auto const given = std::make_shared<std::string>();
  auto* const command =
      add_command(monitor, cx, request.name, request.help, monitor_resource().example, [&cx, &request, given] {
        auto const target = target_of(cx, monitor_resource(), *given, request.below);
        return show_one(cx, monitor_resource(), cx.client().send({.method = "POST", .target = target}).body);
      });
  add_target(*command, monitor_resource(), *given);
}

/// Returns the deleted monitors as a resource, so that their names can be looked up.
resource const& deleted_monitors() {
  static resource const out{.group = "monitor",
                            .text = "monitor",
                            .many = "deleted monitors",
                            .path = "/api/monitors",
                            .lookup = "deleted",
                            .name_member = "name",
                            .example = "shop",
                            .searchable = true,
                            .row = monitor_row};
  return out;
}

std::string deleted_monitor_id(context& cx, std::string const& given) {
  if (auto const id = find_id(cx, deleted_monitors(), given)) return *id;
  throw failure(exit_code::refused, "not_found", "There is no deleted monitor '" + given + "'.",
                "svc monitor list --deleted shows those that can be restored.");
}

void add_monitor_restore(CLI::App& monitor, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto* const restore =
      add_command(monitor, cx, "restore", "Bring a deleted monitor back, paused", "shop", [&cx, given] {
        auto const target =
            std::string(monitor_resource().path) + "/" + percent_encoded(deleted_monitor_id(cx, *given)) + "/restore";
        return show_one(cx, monitor_resource(), cx.client().send({.method = "POST", .target = target}).body);
      });
  restore->add_option("MONITOR", *given, "its id or name; svc monitor list --deleted shows them")->required();
}

}  // namespace

resource const& monitor_resource() {
  static resource const out{
      .group = "monitor",
      .text = "monitor",
      .many = "monitors",
      .path = "/api/monitors",
      .name_member = "name",
      .example = "shop",
      .list_example = "--status down",
      .create_example = "shop --type website --target https://shop.example.org/ --every 1m --alert on-call",
      .update_example = "--mute 2h",
      .searchable = true,
      .repeats_names = true,
      .row = monitor_row,
      .details = monitor_details,
      .adapt = adapt_monitor,
      .complete = complete_monitor,
      .prepare = prepare_monitor,
      .remedy = monitor_remedy,
      .filters = monitor_filters(),
      .fields = monitor_fields(),
      .aliases = {{.member = "config.schedule", .flag = "--every or --cron"},
                  {.member = "config.schedule.everySeconds", .flag = "--every", .is_duration = true}}};
  return out;
}

std::string monitor_id(context& cx, std::string const& id_or_name) {
  return id_of(cx, monitor_resource(), id_or_name);
}

void add_monitor_commands(CLI::App& root, context& cx) {
  auto* const monitor = root.add_subcommand("monitor", "Monitors: targets that are checked regularly");
  monitor->require_subcommand(1);
  add_list(*monitor, cx, monitor_resource());
  add_get(*monitor, cx, monitor_resource());
  add_create(*monitor, cx, monitor_resource());
  add_update(*monitor, cx, monitor_resource());
  for (auto const& request : monitor_requests) add_monitor_request(*monitor, cx, request);
  add_monitor_maintenance(*monitor, cx);
  add_monitor_check_commands(*monitor, cx);
  add_monitor_history_commands(*monitor, cx);
  add_outage_list(*monitor, cx, "outages");
  add_tags(*monitor, cx, monitor_resource(), "shop --tag production");
  add_delete(*monitor, cx, monitor_resource());
  add_monitor_restore(*monitor, cx);
}

}  // namespace svc::cli
