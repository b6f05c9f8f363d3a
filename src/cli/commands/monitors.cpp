#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"

#include <CLI/CLI.hpp>

#include <chrono>

namespace svc::cli {
namespace {

constexpr column monitor_row[] = {{"ID", "id", cell::id, 9},
                                  {"Name", "name"},
                                  {"Status", "status", cell::status},
                                  {"Type", "type", cell::text, 3},
                                  {"Target", "target"},
                                  {"Checked", "lastCheckAt", cell::time, 1},
                                  {"Took", "lastResponseTimeMs", cell::duration, 4},
                                  {"Since", "lastStatusChangeAt", cell::time, 5}};
constexpr column monitor_details[] = {{"ID", "id"},
                                      {"Name", "name"},
                                      {"Description", "description"},
                                      {"Type", "type"},
                                      {"Target", "target"},
                                      {"Every", "frequencySeconds", cell::seconds},
                                      {"Status", "status", cell::status},
                                      {"Since", "lastStatusChangeAt", cell::time},
                                      {"Reason", "reason.message"},
                                      {"Failing since", "suspectSince", cell::time},
                                      {"Open outage", "openOutageId"},
                                      {"Last check", "lastCheckAt", cell::time},
                                      {"Took", "lastResponseTimeMs", cell::duration},
                                      {"Next check", "nextCheckAt", cell::time},
                                      {"Config", "config"},
                                      {"Masked", "maskedFields", cell::list},
                                      {"Alerts", "alertConfig"},
                                      {"Muted until", "mutedUntil", cell::time},
                                      {"Report at", "heartbeat.url"},
                                      {"Tags", "tags", cell::list},
                                      {"Deleted", "deletedAt", cell::time},
                                      {"Created", "createdAt", cell::time},
                                      {"Updated", "updatedAt", cell::time}};

boost::json::value interval_member(std::vector<std::string> const& given) {
  return duration_argument(given.back(), "--every");
}

/// From now on.
boost::json::value mute_member(std::vector<std::string> const& given) {
  return boost::json::value(
      to_rfc3339(system_now() + std::chrono::seconds(duration_argument(given.back(), "--mute"))));
}

/// Alerts to these providers; of an existing monitor what else it has chosen stays.
boost::json::value alerted_member(std::vector<std::string> const& given) {
  boost::json::array providers;
  for (auto const& id : given) providers.emplace_back(id);
  return boost::json::object{{"enabled", true}, {"notificationProviders", std::move(providers)}};
}

/// A port check is a check of one port, so its target is shown with it.
void show_port(boost::json::object& monitor) {
  if (text_of_member(monitor, "type") != "port_check") return;
  boost::json::value const whole = monitor;
  auto const* const port = member_of(whole, "config.port");
  auto const target = text_of_member(monitor, "target");
  if (port == nullptr || !port->is_int64() || target.empty()) return;
  bool const is_ipv6 = target.find(':') != std::string::npos && !target.starts_with('[');
  monitor["target"] = (is_ipv6 ? "[" + target + "]" : target) + ":" + std::to_string(port->get_int64());
}

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
       .help = "what is checked; it never changes",
       .read = text_member,
       .allowed = {"http_request", "website", "ping_host", "port_check", "dns", "heartbeat"},
       .updates = false},
      {.member = "target",
       .flag = "--target",
       .type_name = "TARGET",
       .help = "a URL for http_request and website, a name for dns, else a host",
       .read = text_member},
      {.member = "frequencySeconds",
       .flag = "--every",
       .type_name = "DURATION",
       .help = "the interval of checks: 30s, 5m; five minutes unless named",
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
       .help = "JSON of its type, what is expected and how; - is stdin",
       .read = json_member,
       .from_file = true},
      {.member = "alertConfig",
       .flag = "--alert",
       .type_name = "PROVIDER",
       .help = "tell this provider, by id or name, of failures and recoveries; once for each",
       .read = alerted_member,
       .nullable = true,
       .many = true,
       .id = provider_id},
      {.member = "mutedUntil",
       .flag = "--mute",
       .type_name = "DURATION",
       .help = "check it, but tell nothing of it for so long: 2h",
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
          {.flag = "--tag", .parameter = "tag", .type_name = "TAG", .help = "that wear the tag of this name"},
          {.flag = "--deleted",
           .parameter = "deleted",
           .type_name = "BOOL",
           .help = "true: those that were deleted and can be restored",
           .allowed = {"true", "false"}},
          {.flag = "--sort",
           .parameter = "sort",
           .type_name = "ORDER",
           .help = "by status what is worst comes first",
           .allowed = {"-createdAt", "name", "status"}}};
}

/// A command that sends a POST about one monitor and shows what it is then.
struct monitor_request {
  char const* name;
  char const* help;
  char const* below;
};

constexpr monitor_request monitor_requests[] = {
    {"pause", "Check a monitor no more, until it is resumed", "/pause"},
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

/// By its id alone: names are those of monitors that are not deleted.
void add_monitor_restore(CLI::App& monitor, context& cx) {
  auto const id = std::make_shared<std::string>();
  auto* const restore = add_command(monitor, cx, "restore", "Bring a deleted monitor back, paused",
                                    "01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70", [&cx, id] {
                                      auto const target = std::string(monitor_resource().path) + "/" +
                                                          percent_encoded(id_argument(monitor_resource(), *id)) +
                                                          "/restore";
                                      auto const answer = cx.client().send({.method = "POST", .target = target}).body;
                                      return show_one(cx, monitor_resource(), answer);
                                    });
  restore->add_option("MONITOR", *id, "its id; svc monitor list --deleted true shows it")->required();
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
      .row = monitor_row,
      .details = monitor_details,
      .adapt = show_port,
      .filters = monitor_filters(),
      .fields = monitor_fields()};
  return out;
}

std::string monitor_id(context& cx, std::string const& id_or_name) {
  return id_of(cx, monitor_resource(), id_or_name);
}

void add_monitor_commands(CLI::App& root, context& cx) {
  auto* const monitor = root.add_subcommand("monitor", "Monitors: what is checked again and again");
  monitor->require_subcommand(1);
  add_list(*monitor, cx, monitor_resource());
  add_get(*monitor, cx, monitor_resource());
  add_create(*monitor, cx, monitor_resource());
  add_update(*monitor, cx, monitor_resource());
  for (auto const& request : monitor_requests) add_monitor_request(*monitor, cx, request);
  add_monitor_check_commands(*monitor, cx);
  add_monitor_history_commands(*monitor, cx);
  add_outage_list(*monitor, cx, "outages");
  add_delete(*monitor, cx, monitor_resource());
  add_monitor_restore(*monitor, cx);
}

}  // namespace svc::cli
