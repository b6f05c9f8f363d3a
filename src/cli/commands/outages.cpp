#include "cli/commands/resource.hpp"
#include "cli/console/harmless.hpp"

#include <CLI/CLI.hpp>

namespace svc::cli {
namespace {

constexpr column outage_row[] = {{"ID", "id", cell::id},
                                 {"Began", "startedAt", cell::time},
                                 {"Lasted", "durationSeconds", cell::seconds},
                                 {"Ended by", "endReason", cell::text, 4},
                                 {"Acknowledged", "acknowledgedAt", cell::time, 3},
                                 {"Cause", "cause.code", cell::text, 2},
                                 {"Caused by", "causedBy", cell::text, 5},
                                 {"Why", "cause.message", cell::prose}};
constexpr column outage_details[] = {{"ID", "id"},
                                     {"Monitor's id", "monitorId"},
                                     {"Began", "startedAt", cell::time},
                                     {"Detected", "detectedAt", cell::time},
                                     {"Ended", "endedAt", cell::time},
                                     {"Ended by", "endReason"},
                                     {"Lasted", "durationSeconds", cell::seconds},
                                     {"Excluded", "excludedSeconds", cell::seconds},
                                     {"Cause", "cause.code"},
                                     {"Why", "cause.message"},
                                     {"Caused by outage", "causedBy"},
                                     {"Locations", "locationsDown", cell::list},
                                     {"Acknowledged", "acknowledgedAt", cell::time},
                                     {"Acknowledged by", "acknowledgedBy"}};

/// Shows who acknowledged an outage by name. The API has only the ids of users, so svc knows only the user's own
/// name.
void name_acknowledger(context& cx, boost::json::object& outage) {
  if (text_of_member(outage, "acknowledgedBy").empty()) return;
  auto const whoami = cx.client().fetch(whoami_request);
  auto const* const id = member_of(whoami, "user.id");
  auto const* const name = member_of(whoami, "user.name");
  if (id != nullptr && name != nullptr && *id == outage["acknowledgedBy"]) outage["acknowledgedBy"] = *name;
}

/// Returns the resource of one monitor's outages, whose path is below the monitor's own.
resource outages_below(std::string_view path) {
  return {.group = "outage",
          .text = "outage",
          .many = "a monitor's outages",
          .path = path,
          .name_member = "",
          .list_example = "shop --from -30d",
          .row = outage_row,
          .details = outage_details,
          .complete = name_acknowledger,
          .filters = {{.flag = "--open",
                       .parameter = "open",
                       .type_name = "BOOL",
                       .help = "true: ongoing ones; false: ended ones",
                       .allowed = {"true", "false"}},
                      {.flag = "--from",
                       .parameter = "from",
                       .type_name = "TIME",
                       .help = "not ended before this moment: -2h (ago), 2026-11-20, yesterday, or RFC 3339",
                       .prepared = moment_argument},
                      {.flag = "--to",
                       .parameter = "to",
                       .type_name = "TIME",
                       .help = "started before this moment",
                       .prepared = moment_argument}}};
}

/// Returns the id of the open outage.
std::string open_outage_of(context& cx, std::string const& monitor_target, std::string const& given) {
  auto const monitor = object_of(cx.client().send({.method = "GET", .target = monitor_target}).body);
  auto const* const open = member_of(monitor, "openOutageId");
  if (open == nullptr || !open->is_string())
    throw failure(exit_code::refused, "no_open_outage", "Monitor " + given + " has no ongoing outage.",
                  "svc outage list " + shell_word(given) + " shows ended ones.");
  return std::string(open->get_string());
}

void add_outage_acknowledge(CLI::App& outage, context& cx) {
  struct arguments {
    std::string monitor, outage;
  };
  auto const given = std::make_shared<arguments>();
  auto* const ack = add_command(outage, cx, "ack", "Acknowledge an outage: its reminders stop", "shop", [&cx, given] {
    auto const monitor = target_of(cx, monitor_resource(), given->monitor);
    auto const id = given->outage.empty() ? open_outage_of(cx, monitor, given->monitor)
                                          : id_argument(outages_below({}), given->outage);
    auto const target = monitor + "/outages/" + percent_encoded(id) + "/acknowledge";
    return show_one(cx, outages_below({}), cx.client().send({.method = "POST", .target = target}).body);
  });
  add_target(*ack, monitor_resource(), given->monitor);
  ack->add_option("OUTAGE", given->outage, "its id; the ongoing outage unless given");
}

}  // namespace

void add_outage_list(CLI::App& app, context& cx, char const* name) {
  add_list_below(app, cx, name, monitor_resource(), "/outages", outages_below);
}

namespace {

/// The monitors that are down, as rows of their outages.
resource const& open_outages() {
  static constexpr column row[] = {{"ID", "id", cell::id, 1},
                                   {"Monitor", "name", cell::name},
                                   {"Since", "lastStatusChangeAt", cell::time},
                                   {"Target", "target", cell::text, 3},
                                   {"Outage's id", "openOutageId", cell::text, 2},
                                   {"Why", "reason.message", cell::prose}};
  static resource const out{.group = "outage",
                            .text = "outage",
                            .many = "the monitors that are down now, since when and why",
                            .path = "/api/monitors?status=down",
                            .name_member = "name",
                            .row = row};
  return out;
}

}  // namespace

void add_outage_commands(CLI::App& root, context& cx) {
  auto* const outage = root.add_subcommand("outage", "Outages: when a monitor was down");
  outage->require_subcommand(1);
  add_outage_list(*outage, cx, "list");
  add_list(*outage, cx, open_outages(), "open");
  add_outage_acknowledge(*outage, cx);
}

}  // namespace svc::cli
