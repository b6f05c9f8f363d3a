#include "svc/domain/cron.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc {
namespace {

TEST_CASE("which texts are schedules") {
  struct {
    std::string text;
    bool good;
  } const cases[] = {
      {"* * * * *", true},
      {"0 6 * * mon-fri", true},
      {"*/15 0-23/2 1,15 JAN-dec Sun", true},
      {"  5\t4 * *  7 ", true},
      {"5/20 * * * *", true},
      {"59 23 31 12 6", true},
      {"60 * * * *", false},
      {"* 24 * * *", false},
      {"* * 0 * *", false},
      {"* * 32 * *", false},
      {"* * * 0 *", false},
      {"* * * 13 *", false},
      {"* * * * 8", false},
      {"", false},
      {"* * * *", false},
      {"* * * * * *", false},
      {"*/0 * * * *", false},
      {"*/59 * * * *", true},
      {"*/60 * * * *", false},
      {"*/ * * * *", false},
      {"5-1 * * * *", false},
      {"1,,2 * * * *", false},
      {"1, * * * *", false},
      {",1 * * * *", false},
      {"-1 * * * *", false},
      {"+1 * * * *", false},
      {"1- * * * *", false},
      {"1-2-3 * * * *", false},
      {"** * * * *", false},
      {"0001 * * * *", false},
      {"* * * * monday", false},
      {"mon * * * *", false},
      {"@daily", false},
      {std::string("* * * * \0", 9), false},
      {"\xff * * * *", false},
      {"* * * * *" + std::string(246, ' '), true},
      {"* * * * *" + std::string(247, ' '), false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(cron_schedule::parse(c.text).has_value() == c.good);
  }
}

TEST_CASE("the next time of a schedule") {
  struct {
    char const* name;
    char const* schedule;
    char const* zone;
    char const* after;
    char const* expected;
  } const cases[] = {
      {"each minute", "* * * * *", "UTC", "2026-11-20T10:11:12Z", "2026-11-20T10:12:00.000Z"},
      {"strictly after", "12 10 * * *", "UTC", "2026-11-20T10:12:00Z", "2026-11-21T10:12:00.000Z"},
      {"a microsecond before", "12 10 * * *", "UTC", "2026-11-20T10:11:59.999999Z", "2026-11-20T10:12:00.000Z"},
      {"next year", "0 0 1 1 *", "UTC", "2026-01-01T00:00:00Z", "2027-01-01T00:00:00.000Z"},
      {"leap day over 2100", "0 0 29 2 *", "UTC", "2096-03-01T00:00:00Z", "2104-02-29T00:00:00.000Z"},
      {"weekday", "0 6 * * mon-fri", "UTC", "2026-11-20T06:00:00Z", "2026-11-23T06:00:00.000Z"},
      {"7 is Sunday", "0 6 * * 7", "UTC", "2026-11-20T06:00:00Z", "2026-11-22T06:00:00.000Z"},
      {"either day is enough", "0 0 13 * fri", "UTC", "2026-11-28T00:00:00Z", "2026-12-04T00:00:00.000Z"},
      {"either day, the other", "0 0 2 * fri", "UTC", "2026-11-28T00:00:00Z", "2026-12-02T00:00:00.000Z"},
      {"a star with a step restricts together", "0 0 */2 * mon", "UTC", "2026-11-20T00:00:00Z",
       "2026-11-23T00:00:00.000Z"},
      {"in a zone", "0 6 * * *", "Europe/Berlin", "2026-11-20T10:00:00Z", "2026-11-21T05:00:00.000Z"},
      {"west of Greenwich", "30 23 * * *", "America/New_York", "2026-11-20T10:00:00Z", "2026-11-21T04:30:00.000Z"},
      {"skipped local time", "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z", "2026-03-29T01:00:00.000Z"},
      {"repeated local time, once", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:30:00Z",
       "2026-10-26T01:30:00.000Z"},
      {"repeated hour, each time", "30 * * * *", "Europe/Berlin", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00.000Z"},
      {"never", "0 0 30 2 *", "UTC", "2026-11-20T10:00:00Z", ""},
      {"unknown zone", "* * * * *", "Europe/Atlantis", "2026-11-20T10:00:00Z", ""},
      {"before the epoch", "* * * * *", "UTC", "1969-12-31T00:00:00Z", ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const after = parse_rfc3339(c.after);
    auto const schedule = cron_schedule::parse(c.schedule);
    REQUIRE(after);
    REQUIRE(schedule);
    auto const next = schedule->next_after(*after, c.zone);
    CHECK((next ? to_rfc3339(*next) : "") == c.expected);
  }
}

TEST_CASE("a schedule without a day in any year is known as such") {
  struct {
    char const* text;
    bool names_a_day;
  } const cases[] = {
      {"0 3 29 2 *", true},   {"0 3 30 2 *", false},  {"0 3 31 2 *", false}, {"0 3 31 4,6,9,11 *", false},
      {"0 3 31 2,3 *", true}, {"0 3 31 2 mon", true}, {"* * * * *", true},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(cron_schedule::parse(c.text).value().names_a_day() == c.names_a_day);
  }
}

TEST_CASE("which zones exist") {
  struct {
    std::string name;
    bool exists;
  } const cases[] = {
      {"UTC", true},
      {"Europe/Berlin", true},
      {"America/Argentina/Buenos_Aires", true},
      {"Etc/GMT+5", true},
      {"", false},
      {"europe/berlin", false},
      {"Mars/Olympus", false},
      {"../etc/passwd", false},
      {"/UTC", false},
      {"Europe", false},
      {std::string("UTC\0", 4), false},
      {std::string(65, 'A'), false},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    CHECK(is_time_zone(c.name) == c.exists);
  }
}

}  // namespace
}  // namespace svc
