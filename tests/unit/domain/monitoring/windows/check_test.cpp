// Which settings of a maintenance window are valid, and which changes of an active window.
#include "svc/domain/monitoring/windows/plan.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

using namespace svc;
using namespace svc::windows;
using namespace std::chrono_literals;

namespace {

timestamp const new_year = *parse_rfc3339("2026-01-01T12:00:00Z");

window_settings single_window() {
  return {.name = "router",
          .targets = {.all = true},
          .once = single_rule{.starts_at = new_year + 1h, .ends_at = new_year + 2h}};
}

window_settings recurring_window() {
  return {.name = "backup",
          .targets = {.all = true},
          .recurring = recurring_rule{.cron = "0 3 * * *", .duration = std::chrono::minutes(90)}};
}

std::vector<uuid> some_ids(int count) {
  std::vector<uuid> out(static_cast<std::size_t>(count));
  for (auto& id : out) id = uuid::generate_v7();
  return out;
}

/// Returns the members that are wrong, or an empty text.
std::string wrong_members(result<> const& checked) {
  if (checked) return "";
  auto const failure = checked.error();
  if (failure.code != errc::validation_failed) return "another error";
  std::string out;
  for (auto const& detail : failure.details) out += detail.field + " ";
  return out;
}

window active_window(window_settings set) {
  return {.set = std::move(set),
          .state = window_state::active,
          .current = occurrence{.starts_at = new_year + -30min, .ends_at = new_year + 30min}};
}

}  // namespace

TEST_CASE("each setting of a window that happens once has its bounds") {
  struct {
    char const* name;
    std::function<void(window_settings&)> change;
    std::string wrong;
  } const cases[] = {
      {"as it is", [](auto&) {}, ""},
      {"started already", [](auto& set) { set.once->starts_at = new_year + -1h; }, ""},
      {"an end now", [](auto& set) { set.once = {new_year + -1h, new_year}; }, "/endsAt "},
      {"an end right after now", [](auto& set) { set.once = {new_year + -1h, new_year + 1us}; }, ""},
      {"an empty interval", [](auto& set) { set.once->ends_at = set.once->starts_at; }, "/endsAt "},
      {"35 days", [](auto& set) { set.once->ends_at = set.once->starts_at + 35 * 24h; }, ""},
      {"more than 35 days", [](auto& set) { set.once->ends_at = set.once->starts_at + 35 * 24h + 1us; }, "/endsAt "},
      {"no rule", [](auto& set) { set.once.reset(); }, "/startsAt "},
      {"two rules", [](auto& set) { set.recurring = recurring_window().recurring; }, "/startsAt "},
      {"no target", [](auto& set) { set.targets = {}; }, "/monitorIds "},
      {"two kinds of targets", [](auto& set) { set.targets.tags = some_ids(1); }, "/monitorIds "},
      {"500 monitors", [](auto& set) { set.targets = {.monitors = some_ids(500)}; }, ""},
      {"501 monitors", [](auto& set) { set.targets = {.monitors = some_ids(501)}; }, "/monitorIds "},
      {"20 tags", [](auto& set) { set.targets = {.tags = some_ids(20)}; }, ""},
      {"21 tags", [](auto& set) { set.targets = {.tags = some_ids(21)}; }, "/tagIds "},
      {"a monitor twice", [](auto& set) { set.targets = {.monitors = {uuid{}, uuid{}}}; }, "/monitorIds/1 "},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    auto set = single_window();
    c.change(set);
    CHECK(wrong_members(check_settings(set, new_year)) == c.wrong);
  }
}

TEST_CASE("each setting of a recurring window has its bounds") {
  struct {
    char const* name;
    std::function<void(recurring_rule&)> change;
    std::string wrong;
  } const cases[] = {
      {"as it is", [](auto&) {}, ""},
      {"no schedule", [](auto& rule) { rule.cron = "0 3 * *"; }, "/cron "},
      {"a day that never comes", [](auto& rule) { rule.cron = "0 3 30 2 *"; }, "/cron "},
      {"no zone", [](auto& rule) { rule.time_zone = "Mars/Olympus"; }, "/timeZone "},
      {"no duration", [](auto& rule) { rule.duration = 0min; }, "/durationMinutes "},
      {"a minute", [](auto& rule) { rule.duration = 1min; }, ""},
      {"a day", [](auto& rule) { rule.duration = 1440min; }, ""},
      {"more than a day", [](auto& rule) { rule.duration = 1441min; }, "/durationMinutes "},
      {"each hour", [](auto& rule) { rule = {.cron = "0 * * * *", .duration = 60min}; }, ""},
      {"each hour, longer than that", [](auto& rule) { rule = {.cron = "0 * * * *", .duration = 61min}; }, "/cron "},
      {"closer than an hour", [](auto& rule) { rule = {.cron = "0,59 3 * * *", .duration = 1min}; }, "/cron "},
      {"across midnight", [](auto& rule) { rule = {.cron = "30 0,23 * * *", .duration = 61min}; }, "/cron "},
      {"a day in a zone with a day of 23 hours",
       [](auto& rule) { rule = {.cron = "0 0 * * *", .time_zone = "Europe/Berlin", .duration = 1440min}; }, "/cron "},
      {"23 hours in that zone",
       [](auto& rule) { rule = {.cron = "0 0 * * *", .time_zone = "Europe/Berlin", .duration = 1380min}; }, ""},
      {"starts that the skipped hour brings together",
       [](auto& rule) { rule = {.cron = "30 2,3 * * sun", .time_zone = "Europe/Berlin", .duration = 1min}; },
       "/cron "},
      {"an end before the first start", [](auto& rule) { rule.until = new_year + 15h; }, "/until "},
      {"an end after the first start", [](auto& rule) { rule.until = new_year + 15h + 1us; }, ""},
      {"an end before the begin",
       [](auto& rule) {
         rule.first_at = new_year + 48h;
         rule.until = new_year + 48h;
       },
       "/until "},
      {"close starts after the end",
       [](auto& rule) { rule = {.cron = "0,30 3 * * *", .duration = 1min, .until = new_year + 15h + 1us}; }, ""},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    auto set = recurring_window();
    c.change(*set.recurring);
    CHECK(wrong_members(check_settings(set, new_year)) == c.wrong);
  }
}

TEST_CASE("the distances of the next hundred starts are checked, not of later ones") {
  auto set = recurring_window();
  set.recurring = recurring_rule{.cron = "0 0 * * *", .time_zone = "Europe/Berlin", .duration = 1440min};
  // The short day lies between the starts of 29 and 30 March: the 99th and 100th from the first time on, and the
  // 100th and 101st from the second one on.
  CHECK(wrong_members(check_settings(set, *parse_rfc3339("2025-12-20T12:00:00Z"))) == "/cron ");
  CHECK(wrong_members(check_settings(set, *parse_rfc3339("2025-12-19T12:00:00Z"))) == "");
}

TEST_CASE("an active window keeps its start and its kind") {
  auto single = active_window(single_window());
  single.set.once = single_rule{.starts_at = new_year + -30min, .ends_at = new_year + 30min};
  auto const recurring = active_window(recurring_window());
  struct {
    char const* name;
    window const& current;
    std::function<void(window_settings&)> change;
    std::string wrong;
  } const cases[] = {
      {"another name", single, [](auto& set) { set.name = "x"; }, ""},
      {"a later end", single, [](auto& set) { set.once->ends_at = new_year + 3h; }, ""},
      {"an end now", single, [](auto& set) { set.once->ends_at = new_year; }, "/endsAt "},
      {"another start", single, [](auto& set) { set.once->starts_at = new_year + -31min; }, "/startsAt "},
      {"a recurrence", single,
       [](auto& set) {
         set.once.reset();
         set.recurring = recurring_window().recurring;
       },
       "/cron "},
      {"another schedule", recurring, [](auto& set) { set.recurring->cron = "0 4 * * *"; }, ""},
      {"no more starts", recurring, [](auto& set) { set.recurring->until = new_year + 1h; }, ""},
      {"a single interval", recurring,
       [](auto& set) {
         set.recurring.reset();
         set.once = single_window().once;
       },
       "/startsAt "},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    auto set = c.current.set;
    c.change(set);
    CHECK(wrong_members(check_change(c.current, set, new_year)) == c.wrong);
  }
}

TEST_CASE("a finished window does not change, and one without targets may be renamed") {
  window finished{.set = single_window(), .state = window_state::finished};
  CHECK(check_change(finished, finished.set, new_year).error().code == errc::window_over);
  window bare{.set = recurring_window()};
  bare.set.targets = {};
  auto set = bare.set;
  set.name = "renamed";
  CHECK(check_change(bare, set, new_year).has_value());
  set.recurring->until = new_year + 1h;
  CHECK(wrong_members(check_change(bare, set, new_year)) == "/until ");
}

TEST_CASE("a change of the duration moves the end of the active occurrence, but not into the past") {
  auto const current = active_window(recurring_window());
  auto set = current.set;
  CHECK(end_after_change(current, set, new_year) == new_year + 30min);
  set.recurring->cron = "0 4 * * *";
  CHECK(end_after_change(current, set, new_year) == new_year + 30min);
  set.recurring->duration = 120min;
  CHECK(end_after_change(current, set, new_year) == new_year + 90min);
  set.recurring->duration = 10min;
  CHECK(end_after_change(current, set, new_year) == new_year);
  auto single = active_window(single_window());
  CHECK(end_after_change(single, single.set, new_year) == new_year + 2h);
}

TEST_CASE("states have the words of the contract") {
  for (auto const state : {window_state::scheduled, window_state::active, window_state::finished}) {
    CHECK(parse_state(name_of(state)) == state);
  }
  CHECK(name_of(window_state::active) == "active");
  CHECK_FALSE(parse_state("over"));
  CHECK_FALSE(parse_state(""));
}
