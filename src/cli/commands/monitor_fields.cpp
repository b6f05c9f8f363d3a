// The options of monitors: the members of a body, and the filters of lists.
#include "cli/commands/monitor_fields.hpp"

#include "cli/commands/arguments.hpp"
#include "cli/commands/job_page.hpp"
#include "cli/commands/resource.hpp"
#include "svc/core/time.hpp"

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>

#include <chrono>

namespace svc::cli {
namespace {

boost::json::value interval_member(std::vector<std::string> const& given) {
  return duration_argument(given.back(), "--every");
}

/// From now on.
boost::json::value mute_member(std::vector<std::string> const& given) {
  return boost::json::value(
      to_rfc3339(system_now() + std::chrono::seconds(duration_argument(given.back(), "--mute"))));
}

/// Sets the providers of alerts; all other settings of an existing monitor's alerts stay.
boost::json::value alerted_member(std::vector<std::string> const& given) {
  boost::json::array providers;
  for (auto const& id : given) providers.emplace_back(id);
  return boost::json::object{{"enabled", true}, {"notificationProviders", std::move(providers)}};
}

boost::json::value grace_member(std::vector<std::string> const& given) {
  return duration_argument(given.back(), "--grace");
}

boost::json::value heartbeat_cron_member(std::vector<std::string> const& given) {
  return boost::json::value(schedule_argument(given.back(), "--cron"));
}

}  // namespace

/// A row for each member, hence its length.
std::vector<body_field> monitor_fields() {
  return {
      {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
      {.member = "description",
       .flag = "--description",
       .type_name = "TEXT",
       .help = "what it is for",
       .read = text_member,
       .nullable = true},
      {.member = "type",
       .flag = "--type",
       .type_name = "TYPE",
       .help = "the type of the check; it never changes",
       .read = text_member,
       .allowed = {"http_request", "website", "ping_host", "port_check", "dns", "heartbeat"},
       .updates = false},
      {.member = "target",
       .flag = "--target",
       .type_name = "TARGET",
       .help = "a URL for http_request and website, a name for dns, else a host; a heartbeat has none",
       .read = text_member},
      {.member = "frequencySeconds",
       .flag = "--every",
       .type_name = "DURATION",
       .help =
           "the interval of checks: 30s, 5m; five minutes unless given; at least 30s, unless the operator has set "
           "another minimum (checks.min_interval). For a heartbeat: the interval of its reports, from 30s to 30d",
       .read = interval_member,
       .nullable = true},
      {.member = "enabled",
       .flag = "--enable,!--disable",
       .type_name = "",
       .help = "whether it is checked",
       .read = boolean_member},
      {.member = "config",
       .flag = "--config",
       .type_name = "FILE",
       .help = "JSON with the settings of its type, such as the expected result; - is stdin",
       .read = json_member,
       .from_file = true},
      {.member = "config.port",
       .flag = "--port",
       .type_name = "N",
       .help = "for port_check: the port, from 1 to 65535",
       .read = integer_member},
      {.member = "config.recordType",
       .flag = "--record-type",
       .type_name = "TYPE",
       .help = "for dns: the records that are looked up",
       .read = text_member,
       .allowed = {"A", "AAAA", "CNAME", "MX", "NS", "TXT", "SRV", "CAA", "SOA", "PTR"}},
      {.member = "config.schedule.cron",
       .flag = "--cron",
       .type_name = "FIELDS",
       .help = "for heartbeat: when reports are due, '0 3 * * *' or @daily, instead of --every",
       .read = heartbeat_cron_member},
      {.member = "config.schedule.timeZone",
       .flag = "--time-zone",
       .type_name = "ZONE",
       .help = "time zone of --cron, Europe/Berlin; UTC unless given",
       .read = text_member},
      {.member = "config.graceSeconds",
       .flag = "--grace",
       .type_name = "DURATION",
       .help = "for heartbeat: how late a report may be; 5m unless given",
       .read = grace_member},
      {.member = "alertConfig",
       .flag = "--alerts",
       .type_name = "FILE",
       .help =
           "JSON: when and where to alert, failureThreshold, reminderMinutes and more, providers by id or name; - is "
           "stdin",
       .read = json_member,
       .from_file = true,
       .resolve = resolve_alert_providers},
      {.member = "alertConfig",
       .flag = "--alert",
       .type_name = "PROVIDER",
       .help = "notify this provider, by id or name, of failures and recoveries; repeatable",
       .read = alerted_member,
       .nullable = true,
       .many = true,
       .id = provider_id},
      {.member = "dependsOn",
       .flag = "--depends-on",
       .type_name = "MONITOR",
       .help =
           "a monitor whose outage causes outages of this one, by id or name: while it is down, this one notifies "
           "nobody; repeatable, at most ten",
       .read = texts_member,
       .nullable = true,
       .many = true,
       .id = monitor_id},
      {.member = "mutedUntil",
       .flag = "--mute",
       .type_name = "DURATION",
       .help = "keep checking it, but send no alerts for this time: 2h",
       .read = mute_member,
       .nullable = true,
       .creates = false},
  };
}

std::vector<list_filter> monitor_filters() {
  return {{.flag = "--status",
           .parameter = "status",
           .type_name = "STATUS",
           .help = "with this status",
           .allowed = {"pending", "up", "degraded", "down", "error", "paused"}},
          {.flag = "--type",
           .parameter = "type",
           .type_name = "TYPE",
           .help = "of this type",
           .allowed = {"http_request", "website", "ping_host", "port_check", "dns", "heartbeat"}},
          {.flag = "--search", .parameter = "search", .type_name = "TEXT", .help = "part of the name"},
          {.flag = "--tag", .parameter = "tag", .type_name = "TAG", .help = "that have the tag of this name"},
          {.flag = "--deleted",
           .parameter = "deleted",
           .type_name = "BOOL",
           .help = "true: deleted ones that can be restored",
           .allowed = {"true", "false"}},
          {.flag = "--sort",
           .parameter = "sort",
           .type_name = "ORDER",
           .help = "by status, the worst one is first",
           .allowed = {"-createdAt", "name", "status"}}};
}

}  // namespace svc::cli
