// When occurrences of maintenance windows start and end.
#include "svc/domain/monitoring/windows/plan.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace svc;
using namespace svc::windows;
using namespace std::chrono_literals;

namespace {

timestamp at(std::string const& text) {
  auto const parsed = parse_rfc3339(text);
  REQUIRE(parsed);
  return *parsed;
}

/// `2026-03-29T01:00Z`.
std::string to_minutes(timestamp time) {
  return to_rfc3339(time).substr(0, 16) + "Z";
}

/// The first occurrences, each as start/end.
std::vector<std::string> shown(window_plan const& plan, std::size_t most) {
  std::vector<std::string> out;
  for (auto const& each : plan.ahead) {
    if (out.size() < most) out.push_back(to_minutes(each.starts_at) + "/" + to_minutes(each.ends_at));
  }
  return out;
}

recurring_rule daily_at_three() {
  return {.cron = "0 3 * * *", .duration = 90min};
}

timestamp const noon = *parse_rfc3339("2026-05-01T12:00:00Z");

}  // namespace

TEST_CASE("occurrences start at their wall time and last their real length, also when the clocks change") {
  struct {
    char const* name;
    char const* cron;
    char const* zone;
    std::chrono::minutes duration;
    char const* after;
    std::vector<std::string> expected;
  } const cases[] = {
      {"the night in which the clocks go forward",
       "0 3 * * sun",
       "Europe/Berlin",
       90min,
       "2026-03-22T12:00:00Z",
       {"2026-03-29T01:00Z/2026-03-29T02:30Z", "2026-04-05T01:00Z/2026-04-05T02:30Z"}},
      {"a start that the clocks skip",
       "30 2 * * *",
       "Europe/Berlin",
       60min,
       "2026-03-28T12:00:00Z",
       {"2026-03-29T01:00Z/2026-03-29T02:00Z", "2026-03-30T00:30Z/2026-03-30T01:30Z"}},
      {"a start that happens twice",
       "30 2 * * *",
       "Europe/Berlin",
       60min,
       "2026-10-24T12:00:00Z",
       {"2026-10-25T00:30Z/2026-10-25T01:30Z", "2026-10-26T01:30Z/2026-10-26T02:30Z"}},
      {"an occurrence across the repeated hour",
       "0 1 * * *",
       "Europe/Berlin",
       180min,
       "2026-10-24T12:00:00Z",
       {"2026-10-24T23:00Z/2026-10-25T02:00Z", "2026-10-26T00:00Z/2026-10-26T03:00Z"}},
      {"an occurrence across the skipped hour",
       "0 1 * * *",
       "Europe/Berlin",
       180min,
       "2026-03-28T12:00:00Z",
       {"2026-03-29T00:00Z/2026-03-29T03:00Z", "2026-03-29T23:00Z/2026-03-30T02:00Z"}},
      {"a change of half an hour",
       "15 2 * * *",
       "Australia/Lord_Howe",
       30min,
       "2026-10-03T00:00:00Z",
       {"2026-10-03T15:30Z/2026-10-03T16:00Z", "2026-10-04T15:15Z/2026-10-04T15:45Z"}},
      {"a midnight that the clocks skip",
       "0 0 * * *",
       "America/Havana",
       60min,
       "2026-03-07T12:00:00Z",
       {"2026-03-08T05:00Z/2026-03-08T06:00Z", "2026-03-09T04:00Z/2026-03-09T05:00Z"}},
      {"the end of a month, across midnight",
       "0 22 31 * *",
       "UTC",
       240min,
       "2026-01-31T23:00:00Z",
       {"2026-03-31T22:00Z/2026-04-01T02:00Z"}},
  };
  for (auto const& c : cases) {
    CAPTURE(std::string(c.name));
    recurring_rule const rule{.cron = c.cron, .time_zone = c.zone, .duration = c.duration};
    CHECK(shown(plan_recurring(rule, at(c.after), at(c.after)), 2) == c.expected);
  }
}

TEST_CASE("a plan ends after 64 occurrences or 60 days, and always has the next occurrence") {
  SUBCASE("hourly") {
    auto const made = plan_recurring({.cron = "0 * * * *", .duration = 60min}, noon, noon);
    CHECK(made.ahead.size() == most_ahead);
    CHECK(made.ahead.front().starts_at == noon + 1h);
    CHECK(made.planned_until == made.ahead.back().starts_at);
    CHECK(made.extend_at == noon + 24h);
    CHECK_FALSE(made.over_at);
    auto const later = plan_recurring({.cron = "0 * * * *", .duration = 60min}, *made.planned_until, noon + 24h);
    CHECK(later.ahead.front().starts_at == made.ahead.back().ends_at);
  }
  SUBCASE("daily") {
    auto const made = plan_recurring(daily_at_three(), noon, noon);
    CHECK(made.ahead.size() == 60);
    CHECK(made.planned_until == noon + longest_ahead);
    CHECK_FALSE(made.over_at);
  }
  SUBCASE("yearly") {
    auto const made = plan_recurring({.cron = "0 0 1 1 *"}, noon, noon);
    CHECK(shown(made, 2) == std::vector<std::string>{"2027-01-01T00:00Z/2027-01-01T01:00Z"});
    CHECK(made.planned_until == made.ahead.front().starts_at);
    CHECK(made.extend_at == noon + 24h);
  }
  SUBCASE("a plan is made again when its only occurrence starts") {
    auto const now = at("2026-12-31T23:00:00Z");
    CHECK(plan_recurring({.cron = "0 0 1 1 *"}, now, now).extend_at == now + 1h);
  }
}

TEST_CASE("a window is over at the end of its last occurrence, as soon as no start follows the plan") {
  auto rule = daily_at_three();
  rule.until = noon + 72h;
  auto const made = plan_recurring(rule, noon, noon);
  CHECK(made.ahead.size() == 3);
  CHECK(made.over_at == made.ahead.back().ends_at);
  SUBCASE("a start at the end of the rule does not count") {
    rule.until = made.ahead.back().starts_at;
    CHECK(plan_recurring(rule, noon, noon).ahead.size() == 2);
    rule.until = *rule.until + 1us;
    CHECK(plan_recurring(rule, noon, noon).ahead.size() == 3);
  }
  SUBCASE("exactly as many occurrences as a plan may have") {
    recurring_rule hourly{.cron = "0 * * * *", .until = noon + 64h + 1us};
    CHECK(plan_recurring(hourly, noon, noon).over_at == noon + 65h);
    hourly.until = noon + 65h + 1us;
    CHECK_FALSE(plan_recurring(hourly, noon, noon).over_at);
  }
  SUBCASE("without another start it is over with the active occurrence, or at once") {
    rule.until = noon + 1h;
    CHECK(plan_recurring(rule, noon, noon, noon + 30min).over_at == noon + 30min);
    CHECK(plan_recurring(rule, noon, noon).over_at == noon);
  }
  SUBCASE("an active occurrence that lasts longer than the others") {
    auto const end = made.ahead.back().ends_at + 1h;
    CHECK(plan_recurring(rule, noon, noon, end).over_at == end);
  }
}

TEST_CASE("no occurrence starts before the first possible start, which may be a start itself") {
  auto rule = daily_at_three();
  auto const third = at("2026-05-10T03:00:00Z");
  rule.first_at = third;
  CHECK(plan_recurring(rule, noon, noon).ahead.front().starts_at == third);
  rule.first_at = third + 1us;
  CHECK(plan_recurring(rule, noon, noon).ahead.front().starts_at == third + 24h);
}

TEST_CASE("a zone that the system does not know ends no window") {
  auto const made = plan_recurring({.cron = "0 3 * * *", .time_zone = "Mars/Olympus"}, noon, noon);
  CHECK(made.ahead.empty());
  CHECK_FALSE(made.over_at);
  CHECK(made.planned_until == noon);
}

TEST_CASE("an extension adds missed starts only if their occurrences still last") {
  auto const rule = daily_at_three();
  CHECK(extension_start(rule, noon + 24h, noon) == noon);
  CHECK(extension_start(rule, noon, noon) == noon);
  CHECK(extension_start(rule, noon + -30min, noon) == noon + -30min);
  CHECK(extension_start(rule, noon + -72h, noon) == noon + -90min);
  auto const now = at("2026-05-09T04:00:00Z");
  auto const made = plan_recurring(rule, extension_start(rule, noon, now), now);
  CHECK(shown(made, 1) == std::vector<std::string>{"2026-05-09T03:00Z/2026-05-09T04:30Z"});
}

TEST_CASE("a window that happens once has one occurrence and is over with it") {
  auto const made = plan_once({.starts_at = noon, .ends_at = noon + 1h});
  CHECK(made.ahead == std::vector<interval>{{noon, noon + 1h}});
  CHECK(made.over_at == noon + 1h);
  CHECK_FALSE(made.planned_until);
}

TEST_CASE("local times have the offset of their zone") {
  CHECK(local_time(at("2026-11-22T02:00:00Z"), "Europe/Berlin") == "2026-11-22T03:00:00.000+01:00");
  CHECK(local_time(at("2026-07-22T02:00:00Z"), "Europe/Berlin") == "2026-07-22T04:00:00.000+02:00");
  CHECK(local_time(at("2026-07-22T02:00:00Z"), "America/St_Johns") == "2026-07-21T23:30:00.000-02:30");
  CHECK(local_time(at("2026-07-22T02:00:00Z"), "UTC") == "2026-07-22T02:00:00.000+00:00");
  CHECK(local_time(at("2026-07-22T02:00:00Z"), "Mars/Olympus") == "2026-07-22T02:00:00.000+00:00");
}
