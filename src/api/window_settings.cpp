// This file reads the settings of maintenance windows from the bodies of requests.
#include "api/checked_body.hpp"
#include "api/pages.hpp"
#include "api/resources.hpp"

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace svc::api {
namespace {

constexpr std::array<std::string_view, 3> target_members{"monitorIds", "tagIds", "all"};
constexpr std::array<std::string_view, 2> once_members{"startsAt", "endsAt"};
constexpr std::array<std::string_view, 5> cron_members{"cron", "timeZone", "durationMinutes", "from", "until"};

using faults_of_window = std::vector<field_error>;

/// Returns true if the member selects monitors: a list, or `all` if it is true.
bool selects(boost::json::object const& body, std::string_view name) {
  auto const* const found = given(body, name);
  return found != nullptr && (!found->is_bool() || found->as_bool());
}

/// Adds a fault for each of the members that is given.
void refuse_members(boost::json::object const& body, auto const& names, std::string const& reason,
                    faults_of_window& wrong) {
  for (auto const name : names)
    if (given(body, name) != nullptr) wrong.push_back({"/" + std::string(name), reason});
}

/// Adds a fault unless the member is given.
void require_member(boost::json::object const& body, std::string_view name, std::string const& reason,
                    faults_of_window& wrong) {
  if (given(body, name) == nullptr) wrong.push_back({"/" + std::string(name), reason});
}

/// Reads a list of ids. It may only be empty if the targets of the stored window were all deleted.
std::vector<uuid> read_targets(boost::json::object const& body, std::string_view name, bool may_be_empty,
                               faults_of_window& wrong) {
  auto out = ids_in(body, name);
  auto const pointer = "/" + std::string(name);
  if (out.empty() && !may_be_empty && given(body, name) != nullptr) wrong.push_back({pointer, "must have an item"});
  find_repeats(out, pointer + "/", "", wrong);
  return out;
}

windows::window_targets read_window_targets(boost::json::object const& body, windows::window_settings const* before,
                                            faults_of_window& wrong) {
  std::string_view first;
  for (auto const name : target_members) {
    if (!selects(body, name)) continue;
    if (!first.empty())
      wrong.push_back({"/" + std::string(name), "is not allowed together with " + std::string(first)});
    else
      first = name;
  }
  if (first.empty()) wrong.push_back({"/monitorIds", "is required, or else tagIds or all"});
  bool const may_be_empty = before != nullptr && before->targets == windows::window_targets{};
  return {.all = selects(body, "all"),
          .monitors = read_targets(body, "monitorIds", may_be_empty, wrong),
          .tags = read_targets(body, "tagIds", may_be_empty, wrong)};
}

windows::recurring_rule read_recurring_rule(boost::json::object const& body, windows::window_settings const* before,
                                            faults_of_window& wrong) {
  refuse_members(body, once_members, "is not allowed together with cron", wrong);
  require_member(body, "durationMinutes", "is required next to cron", wrong);
  windows::recurring_rule out{.cron = text_in(body, "cron").value_or("")};
  out.time_zone = text_in(body, "timeZone").value_or(out.time_zone);
  out.duration = std::chrono::minutes(number_in(body, "durationMinutes").value_or(1));
  bool const recurred = before != nullptr && before->recurring;
  out.first_at = time_in(body, "from", recurred ? before->recurring->first_at : std::nullopt);
  out.until = time_in(body, "until", recurred ? before->recurring->until : std::nullopt);
  return out;
}

windows::single_rule read_single_rule(boost::json::object const& body, windows::window_settings const* before,
                                      faults_of_window& wrong) {
  refuse_members(body, cron_members, "is only allowed together with cron", wrong);
  require_member(body, "startsAt", "is required, or else cron", wrong);
  require_member(body, "endsAt", "is required next to startsAt", wrong);
  std::optional<timestamp> start, end;
  if (before != nullptr && before->once) start = before->once->starts_at, end = before->once->ends_at;
  return {.starts_at = time_in(body, "startsAt", start).value_or(timestamp{}),
          .ends_at = time_in(body, "endsAt", end).value_or(timestamp{})};
}

/// Removes the members of `names` if the patch gives another member that excludes them.
void leave_to(boost::json::object const& patch, auto const& winners, auto const& names, boost::json::object& stored) {
  bool replaced = false;
  for (auto const name : winners) replaced = replaced || selects(patch, name);
  for (auto const name : names)
    if (replaced) stored.erase(name);
}

void targets_json(http::json_text& out, std::string_view name, std::vector<uuid> const& ids, bool shown) {
  if (!shown) {
    out.member(name, nullptr);
    return;
  }
  out.open_list(name);
  for (auto const& id : ids) out.element(id);
  out.close_list();
}

/// Writes the members of both rules; those of the absent one are null.
void rules_json(http::json_text& out, windows::window_settings const& set) {
  std::optional<timestamp> start, end;
  if (set.once) start = set.once->starts_at, end = set.once->ends_at;
  out.member("startsAt", start).member("endsAt", end);
  if (!set.recurring) {
    for (auto const name : cron_members) out.member(name, nullptr);
    return;
  }
  auto const& rule = *set.recurring;
  out.member("cron", rule.cron)
      .member("timeZone", rule.time_zone)
      .member("durationMinutes", rule.duration.count())
      .member("from", rule.first_at)
      .member("until", rule.until);
}

}  // namespace

void window_settings_json(http::json_text& out, windows::window_settings const& set) {
  auto const& targets = set.targets;
  out.member("name", set.name).member("description", set.description);
  targets_json(out, "monitorIds", targets.monitors, !targets.all && targets.tags.empty());
  targets_json(out, "tagIds", targets.tags, !targets.tags.empty());
  out.member("all", targets.all);
  rules_json(out, set);
  out.member("excludeFromUptime", set.exclude_from_uptime);
  publication_json(out, set.shown);
}

result<windows::window_settings> read_window(boost::json::object const& body,
                                             windows::window_settings const* before) {
  windows::window_settings out{.name = std::string(body.at("name").as_string()),
                               .description = text_in(body, "description"),
                               .exclude_from_uptime = flag_in(body, "excludeFromUptime", true)};
  faults_of_window wrong;
  find_hidden("/name", out.name, before == nullptr ? nullptr : &before->name, wrong);
  out.targets = read_window_targets(body, before, wrong);
  if (given(body, "cron") != nullptr)
    out.recurring = read_recurring_rule(body, before, wrong);
  else
    out.once = read_single_rule(body, before, wrong);
  out.shown = read_publication(body, before == nullptr ? nullptr : &before->shown, wrong);
  if (auto ok = verdict(std::move(wrong)); !ok) return ok.error();
  return out;
}

result<windows::window_settings> patch_window(http::body_validator& contract, windows::window const& current,
                                              boost::json::object const& patch) {
  auto stored = boost::json::parse(http::written(window_settings_json, current.set)).as_object();
  leave_to(patch, target_members, target_members, stored);
  leave_to(patch, std::array{std::string_view("cron")}, once_members, stored);
  leave_to(patch, once_members, cron_members, stored);
  auto const merged = patched(contract, "CreateMaintenanceWindowRequest", std::move(stored), patch);
  if (!merged) return merged.error();
  return read_window(*merged, &current.set);
}

}  // namespace svc::api
