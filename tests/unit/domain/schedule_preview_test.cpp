// The next times of a schedule with their local times, around changes of the clocks.
#include "svc/domain/cron.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace svc;

namespace {

timestamp moment(std::string_view text) {
  auto const parsed = parse_rfc3339(text);
  REQUIRE(parsed);
  return *parsed;
}

/// `2027-03-14T07:00 -14400 skipped`.
std::string shown(scheduled_time const& time) {
  constexpr std::string_view changes[] = {"", " skipped", " doubled"};
  return to_rfc3339(time.moment).substr(0, 16) + " " + std::to_string(time.offset.count()) +
         std::string(changes[static_cast<std::size_t>(time.change)]);
}

std::vector<std::string> shown(std::string_view cron, std::string_view zone, std::string_view after,
                               std::size_t most) {
  auto const schedule = cron_schedule::parse(cron);
  REQUIRE(schedule);
  std::vector<std::string> out;
  for (auto const& time : schedule->times_after(moment(after), zone, most)) out.push_back(shown(time));
  return out;
}

}  // namespace

TEST_CASE("the next times of a schedule have their offset and say which of them a change of the clocks moves") {
  struct {
    char const* title;
    char const* cron;
    char const* zone;
    char const* after;
    std::vector<std::string> times;
  } const cases[] = {
      {"UTC has no changes",
       "30 2 * * *",
       "UTC",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T02:30 0", "2027-03-15T02:30 0", "2027-03-16T02:30 0"}},
      {"an offset of half an hour",
       "0 9 * * *",
       "Asia/Kolkata",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T03:30 19800", "2027-03-15T03:30 19800"}},
      {"a time is never repeated", "0 9 * * *", "Asia/Kolkata", "2027-03-14T03:30:00Z", {"2027-03-15T03:30 19800"}},
      // The clocks go from 02:00 to 03:00.
      {"a skipped time counts at the end of the gap",
       "30 2 * * *",
       "America/New_York",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T07:00 -14400 skipped", "2027-03-15T06:30 -14400", "2027-03-16T06:30 -14400"}},
      {"the end of the gap is moved if the schedule names only its day and minute",
       "0 2 * * *",
       "America/New_York",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T07:00 -14400 skipped", "2027-03-15T06:00 -14400"}},
      {"the end of the gap is not moved if the schedule names it",
       "0 3 * * *",
       "America/New_York",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T07:00 -14400", "2027-03-15T07:00 -14400"}},
      {"nor if it stands for a skipped time as well",
       "0 2,3 * * *",
       "America/New_York",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T07:00 -14400", "2027-03-15T06:00 -14400"}},
      {"the time before the gap has the earlier offset",
       "30 1 * * *",
       "America/New_York",
       "2027-03-13T12:00:00Z",
       {"2027-03-14T06:30 -18000", "2027-03-15T05:30 -14400"}},
      {"a skipped hour is left out of all hours",
       "30 * * * *",
       "America/New_York",
       "2027-03-14T06:00:00Z",
       {"2027-03-14T06:30 -18000", "2027-03-14T07:30 -14400", "2027-03-14T08:30 -14400"}},
      // The clocks go from 02:00 back to 01:00.
      {"a doubled time counts once",
       "30 1 * * *",
       "America/New_York",
       "2027-11-06T12:00:00Z",
       {"2027-11-07T05:30 -14400 doubled", "2027-11-08T06:30 -18000"}},
      {"a doubled hour counts twice in all hours",
       "30 * * * *",
       "America/New_York",
       "2027-11-07T04:00:00Z",
       {"2027-11-07T04:30 -14400", "2027-11-07T05:30 -14400 doubled", "2027-11-07T06:30 -18000 doubled",
        "2027-11-07T07:30 -18000"}},
      {"the end of the repetition occurs once",
       "0 2 * * *",
       "America/New_York",
       "2027-11-06T12:00:00Z",
       {"2027-11-07T07:00 -18000", "2027-11-08T07:00 -18000"}},
      {"a gap of half an hour",
       "15 2 * * *",
       "Australia/Lord_Howe",
       "2027-10-02T00:00:00Z",
       {"2027-10-02T15:30 39600 skipped", "2027-10-03T15:15 39600"}},
      {"a leap day", "0 0 29 2 *", "UTC", "2027-01-01T00:00:00Z", {"2028-02-29T00:00 0", "2032-02-29T00:00 0"}},
      {"no day is 30 February", "0 0 30 2 *", "America/New_York", "2027-01-01T00:00:00Z", {}},
      {"nor in UTC", "* * 31 feb,apr,jun,sep,nov *", "UTC", "2027-01-01T00:00:00Z", {}},
      {"an unknown zone has no times", "* * * * *", "Mars/Olympus", "2027-01-01T00:00:00Z", {}},
      {"no zone", "* * * * *", "", "2027-01-01T00:00:00Z", {}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.title);
    auto const most = c.times.empty() ? 10 : c.times.size();
    CHECK(shown(c.cron, c.zone, c.after, most) == c.times);
  }
}

TEST_CASE("a preview has as many times as it asks for, in order, and ends with the calendar") {
  auto const all = shown("* * * * *", "America/New_York", "2027-03-14T06:55:30Z", 10);
  CHECK(all.size() == 10);
  CHECK(std::ranges::is_sorted(all));
  CHECK(all[4] == "2027-03-14T07:00 -14400");
  CHECK(shown("* * * * *", "UTC", "2027-01-01T00:00:00Z", 0).empty());
  CHECK(shown("0 0 1 1 *", "UTC", "9999-01-01T00:00:00Z", 10).size() <= 1);
}
