// Maintenance windows: planned work that notifies nobody.
#include "cli/commands/arguments.hpp"
#include "cli/commands/resource.hpp"
#include "cli/commands/shown_names.hpp"
#include "cli/commands/window_pages.hpp"

#include <CLI/CLI.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>

namespace svc::cli {
namespace {

constexpr column window_row[] = {{"ID", "id", cell::id, 1},
                                 {"Name", "name"},
                                 {"State", "state", cell::status},
                                 {"Starts", "startsAt", cell::time, 2},
                                 {"Ends", "endsAt", cell::time, 3},
                                 {"Repeats", "cron", cell::text, 4},
                                 {"Monitors", "monitorCount", cell::text, 5}};
constexpr column window_details[] = {{"ID", "id"},
                                     {"Name", "name"},
                                     {"Description", "description"},
                                     {"State", "state", cell::status},
                                     {"Starts", "startsAt", cell::time},
                                     {"Ends", "endsAt", cell::time},
                                     {"Schedule", "schedule"},
                                     {"Lasts", "lasts", cell::seconds},
                                     {"From", "from", cell::time},
                                     {"Until", "until", cell::time},
                                     {"All monitors", "all", cell::boolean},
                                     {"Monitors", "monitorIds", cell::list},
                                     {"Tags", "tagIds", cell::list},
                                     {"Covered now", "monitorCount"},
                                     {"Excluded from uptime", "excludeFromUptime", cell::boolean},
                                     {"Pages", "statusPageIds", cell::list},
                                     {"Components", "componentIds", cell::list},
                                     {"Announcement", "announcement.title"},
                                     {"Announced before", "announcedBefore", cell::seconds},
                                     {"Created", "createdAt", cell::time},
                                     {"Updated", "updatedAt", cell::time}};

/// A finished window keeps its name, which the next deployment may use again.
constexpr std::array<std::string_view, 2> unfinished_states{"active", "scheduled"};

boost::json::value planned_member(std::vector<std::string> const& given) {
  return boost::json::value(planned_moment_of(given.back(), system_now()));
}

boost::json::value window_length_member(std::vector<std::string> const& given) {
  return minutes_argument(given.back(), "--for");
}

boost::json::value window_cron_member(std::vector<std::string> const& given) {
  return boost::json::value(schedule_argument(given.back(), "--cron"));
}

/// Returns the members that say what a window covers.
std::vector<body_field> cover_fields() {
  return {{.member = "monitorIds",
           .flag = "--monitor",
           .type_name = "MONITOR",
           .help = "cover this monitor, by id or name; repeatable",
           .read = texts_member,
           .many = true,
           .id = monitor_id},
          {.member = "tagIds",
           .flag = "--tag",
           .type_name = "TAG",
           .help = "cover all monitors that have this tag, also later ones; repeatable",
           .read = texts_member,
           .many = true,
           .id = tag_id},
          {.member = "all",
           .flag = "--all-monitors",
           .type_name = "",
           .help = "cover all monitors of the project, also later ones",
           .read = boolean_member}};
}

/// Returns the members that say when a window lasts.
std::vector<body_field> time_fields() {
  return {
      {.member = "startsAt",
       .flag = "--start",
       .type_name = "TIME",
       .help =
           "when it starts; now unless given: 2h (from now), 22:00, 'tomorrow 22:00', '2026-12-01 22:00', RFC 3339",
       .read = planned_member},
      {.member = "endsAt",
       .flag = "--end",
       .type_name = "TIME",
       .help = "when it ends, at most 35 days after its start; or --for",
       .read = planned_member},
      {.member = "durationMinutes",
       .flag = "--for",
       .type_name = "DURATION",
       .help = "how long it lasts: 30m, 2h; with --cron at most 1d",
       .read = window_length_member},
      {.member = "cron",
       .flag = "--cron",
       .type_name = "FIELDS",
       .help = "repeat it: five fields of cron, such as '0 3 * * sun', or @daily; needs --for",
       .read = window_cron_member},
      {.member = "timeZone",
       .flag = "--zone",
       .type_name = "ZONE",
       .help = "time zone of --cron, Europe/Berlin; UTC unless given",
       .read = text_member,
       .nullable = true},
      {.member = "from",
       .flag = "--from",
       .type_name = "TIME",
       .help = "with --cron: no start before this time",
       .read = planned_member,
       .nullable = true},
      {.member = "until",
       .flag = "--until",
       .type_name = "TIME",
       .help = "with --cron: no start at this time or later",
       .read = planned_member,
       .nullable = true},
  };
}

std::vector<body_field> window_fields() {
  std::vector<body_field> out{
      {.member = "name", .flag = "--name", .type_name = "TEXT", .help = "another name", .read = text_member},
      {.member = "description",
       .flag = "--description",
       .type_name = "TEXT",
       .help = "what is done",
       .read = text_member,
       .nullable = true}};
  for (auto& each : cover_fields()) out.push_back(std::move(each));
  for (auto& each : time_fields()) out.push_back(std::move(each));
  out.push_back({.member = "excludeFromUptime",
                 .flag = "--exclude-from-uptime,!--count-in-uptime",
                 .type_name = "",
                 .help = "whether its time is left out of the uptime, as it is unless given",
                 .read = boolean_member});
  for (auto& each : publication_fields()) out.push_back(std::move(each));
  return out;
}

std::vector<list_filter> window_filters() {
  return {{.flag = "--state",
           .parameter = "state",
           .type_name = "STATE",
           .help = "in this state",
           .allowed = {"scheduled", "active", "finished"}},
          {.flag = "--monitor",
           .parameter = "monitorId",
           .type_name = "MONITOR",
           .help = "that cover this monitor, by id or name",
           .prepared = monitor_id}};
}

bool has_value(boost::json::object const& object, std::string_view member) {
  auto const* const value = object.if_contains(member);
  return value != nullptr && !value->is_null();
}

/// Throws `bad_usage` if several members say what the window covers.
void refuse_several_covers(boost::json::object const& body) {
  auto const* const all = body.if_contains("all");
  int const covers = (has_value(body, "monitorIds") ? 1 : 0) + (has_value(body, "tagIds") ? 1 : 0) +
                     (all != nullptr && *all == boost::json::value(true) ? 1 : 0);
  if (covers > 1) throw bad_usage("--monitor, --tag and --all-monitors exclude each other.");
}

/// Throws `bad_usage` for a new window without monitors or without times.
void require_window_parts(boost::json::object const& body) {
  auto const has_any = [&body](std::initializer_list<std::string_view> members) {
    return std::ranges::any_of(members, [&body](std::string_view member) { return has_value(body, member); });
  };
  if (!has_any({"monitorIds", "tagIds", "all"}))
    throw bad_usage("The window would cover no monitor.",
                    "Choose monitors: --monitor MONITOR, --tag TAG or --all-monitors.");
  if (!has_any({"endsAt", "durationMinutes"}))
    throw bad_usage("The window has no end.", "Add --for 2h or --end TIME; with --cron only --for.");
}

/// Returns the start of a stored window that does not recur; `std::nullopt` for one that does.
std::optional<timestamp> stored_start(context& cx, std::string const& id) {
  auto const target = std::string(window_resource().path) + "/" + percent_encoded(id);
  auto const window = object_of(cx.client().send({.method = "GET", .target = target}).body);
  return parse_rfc3339(text_of_member(window.get_object(), "startsAt"));
}

/// A window that does not recur has an end and no length, so `--for` becomes `endsAt`. Such a window starts now
/// unless a start is given.
void prepare_times(context& cx, boost::json::object& body, std::string const& id) {
  bool const creates = id.empty();
  if (has_value(body, "cron")) return;
  if (creates && !has_value(body, "startsAt")) body["startsAt"] = to_rfc3339(system_now());
  auto const* const length = body.if_contains("durationMinutes");
  if (length == nullptr || !length->is_int64()) return;
  if (has_value(body, "endsAt")) throw bad_usage("--end and --for exclude each other.");
  bool const has_start = has_value(body, "startsAt");
  auto const start = has_start ? parse_rfc3339(text_of_member(body, "startsAt")) : stored_start(cx, id);
  if (!start) return;
  auto const end = *start + std::chrono::minutes(length->get_int64());
  body.erase("durationMinutes");
  body["endsAt"] = to_rfc3339(end);
}

void prepare_window(context& cx, boost::json::object& body, std::string const& id) {
  refuse_several_covers(body);
  if (id.empty()) require_window_parts(body);
  prepare_times(cx, body, id);
  prepare_publication(cx, body, id);
}

/// Shows the occurrence that lasts or comes next as the times of a recurring window, and the rule in words.
void adapt_window(boost::json::object& window) {
  constexpr std::int64_t minute = 60;
  boost::json::value const whole = window;
  for (auto const* const member : {"next", "current"}) {
    auto const* const occurrence = window.if_contains(member);
    if (occurrence == nullptr || !occurrence->is_object()) continue;
    for (auto const* const time : {"startsAt", "endsAt"})
      if (auto const* const moment = member_of(whole, std::string(member) + "." + time)) window[time] = *moment;
  }
  auto const cron = text_of_member(window, "cron"), zone = text_of_member(window, "timeZone");
  if (!cron.empty()) window["schedule"] = cron + " in " + (zone.empty() ? "UTC" : zone);
  auto const* const length = member_of(whole, "durationMinutes");
  if (length != nullptr && length->is_int64()) window["lasts"] = length->get_int64() * minute;
}

void complete_window(context& cx, boost::json::object& window) {
  name_ids(cx, monitor_resource(), window.if_contains("monitorIds"));
  name_ids(cx, tag_resource(), window.if_contains("tagIds"));
  complete_publication(cx, window);
}

void add_window_end(CLI::App& window, context& cx) {
  auto const given = std::make_shared<std::string>();
  auto* const end = add_command(window, cx, "end", "End a window that is active; a recurring one continues later",
                                window_resource().example, [&cx, given] {
                                  auto const target = target_of(cx, window_resource(), *given, "/end");
                                  return show_one(cx, window_resource(),
                                                  cx.client().send({.method = "POST", .target = target}).body);
                                });
  add_target(*end, window_resource(), *given);
}

struct maintenance_arguments {
  std::string monitor, duration, description;
};

exit_code start_maintenance(context& cx, maintenance_arguments const& given) {
  constexpr std::int64_t minute = 60;
  static constexpr named_option options[] = {
      {.member = "minutes", .flag = "DURATION", .is_duration = true, .unit_seconds = minute},
      {.member = "description", .flag = "TEXT"}};
  boost::json::object body{{"minutes", minutes_argument(given.duration, "DURATION")}};
  if (!given.description.empty()) body["description"] = given.description;
  request const r{.method = "POST",
                  .target = target_of(cx, monitor_resource(), given.monitor, "/maintenance"),
                  .body = boost::json::serialize(body)};
  return show_one(cx, window_resource(), answer_to(cx, r, options));
}

}  // namespace

resource const& window_resource() {
  static resource const out{.group = "window",
                            .text = "window",
                            .many = "maintenance windows",
                            .path = "/api/maintenance-windows",
                            .lookup_states = unfinished_states,
                            .name_member = "name",
                            .example = "nightly",
                            .list_example = "--state active",
                            .create_example = "nightly --tag db --cron '0 3 * * sun' --zone Europe/Berlin --for 90m",
                            .update_example = "--for 2h",
                            .repeats_names = true,
                            .row = window_row,
                            .details = window_details,
                            .adapt = adapt_window,
                            .complete = complete_window,
                            .prepare = prepare_window,
                            .filters = window_filters(),
                            .fields = window_fields()};
  return out;
}

void add_monitor_maintenance(CLI::App& monitor, context& cx) {
  auto const given = std::make_shared<maintenance_arguments>();
  auto* const start = add_command(
      monitor, cx, "maintenance", "Start a maintenance window of a monitor now; svc window end ends it early",
      "shop 2h 'database upgrade'", [&cx, given] { return start_maintenance(cx, *given); });
  add_target(*start, monitor_resource(), given->monitor);
  start->add_option("DURATION", given->duration, "how long it lasts: 30m, 2h, at most 7d")->required();
  start->add_option("TEXT", given->description, "what is done");
}

void add_window_commands(CLI::App& root, context& cx) {
  auto* const window = root.add_subcommand("window", "Maintenance windows: planned work that notifies nobody");
  window->require_subcommand(1);
  add_list(*window, cx, window_resource());
  add_get(*window, cx, window_resource());
  add_create(*window, cx, window_resource());
  add_update(*window, cx, window_resource());
  add_window_end(*window, cx);
  add_window_posts(*window, cx);
  add_delete(*window, cx, window_resource());
}

}  // namespace svc::cli
