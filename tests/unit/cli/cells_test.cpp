// Members of an object: how they are named, and shown in cells and templates.
#include "cli/console/show.hpp"

#include "cli/console/failure.hpp"

#include <doctest/doctest.h>

#include <boost/json/parse.hpp>

#include <cstdint>
#include <string>

using namespace svc::cli;
namespace json = boost::json;

namespace {

json::value const a_job = json::parse(R"({"id": "j1", "name": "night\tly\n", "n": 18446744073709551615, "none": null,
  "owner": {"name": "Ada"}, "tests": [{"id": "t1", "title": "smoke"}, {"id": "t2"}], "words": ["a", "b"], "empty": [],
  "parameters": {"BRANCH": "main", "N": 1}, "ms": 84000, "big": 1536, "yes": true, "status": "passed",
  "seconds": 84, "percent": 99.9861, "esc": "\u001b[31m", "at": "2026-11-23T17:00:00.000Z"})");

}  // namespace

TEST_CASE("a dotted member is found through objects and arrays") {
  struct {
    char const* member;
    char const* expected;  // JSON; nullptr: none
  } const cases[] = {
      {"id", R"("j1")"},         {"owner.name", R"("Ada")"},
      {"tests.1.id", R"("t2")"}, {"tests.0.title", R"("smoke")"},
      {"none", "null"},          {"tests.2.id", nullptr},
      {"tests.x", nullptr},      {"tests.-1", nullptr},
      {"owner.name.x", nullptr}, {"", nullptr},
      {"id.", nullptr},          {".id", nullptr},
  };
  for (auto const& c : cases) {
    CAPTURE(c.member);
    auto const* const found = member_of(a_job, c.member);
    REQUIRE((found != nullptr) == (c.expected != nullptr));
    if (found != nullptr) CHECK(*found == json::parse(c.expected));
  }
}

TEST_CASE("cells show members to people, and to programs") {
  struct {
    char const* member;
    cell cell;
    char const* people;
    char const* programs;
  } const cases[] = {
      {"id", cell::text, "j1", "j1"},
      {"name", cell::text, "night\\tly\\n", "night\\tly\\n"},
      {"n", cell::text, "18446744073709551615", "18446744073709551615"},
      {"none", cell::text, "-", "-"},
      {"absent", cell::time, "-", "-"},
      {"esc", cell::text, "\\x1b[31m", "\\x1b[31m"},
      {"tests", cell::list, "smoke, t2", "smoke, t2"},
      {"words", cell::list, "a, b", "a, b"},
      {"empty", cell::list, "-", "-"},
      {"parameters", cell::text, "BRANCH=main, N=1", "BRANCH=main, N=1"},
      {"ms", cell::duration, "1m 24s", "84000"},
      {"seconds", cell::seconds, "1m 24s", "84"},
      {"percent", cell::text, "99.9861", "99.9861"},
      {"big", cell::bytes, "1.5 KiB", "1536"},
      {"yes", cell::boolean, "yes", "true"},
      {"status", cell::status, "passed", "passed"},
      {"at", cell::text, "2026-11-23T17:00:00.000Z", "2026-11-23T17:00:00.000Z"},
      {"name", cell::time, "night\\tly\\n", "night\\tly\\n"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.member);
    CHECK(cell_text(member_of(a_job, c.member), c.cell, true) == c.people);
    CHECK(cell_text(member_of(a_job, c.member), c.cell, false) == c.programs);
  }
  CHECK(cell_text(member_of(a_job, "at"), cell::time, false) == "2026-11-23T17:00:00.000Z");
}

TEST_CASE("times are shown by their distance") {
  constexpr std::int64_t second = 1'000'000, day = 86400 * second;
  svc::timestamp const now{1'795'456'800 * second};
  struct {
    std::int64_t before;
    char const* expected;
  } const cases[] = {
      {0, "0s ago"},
      {59 * second, "59s ago"},
      {60 * second, "1m ago"},
      {3599 * second, "59m ago"},
      {3600 * second, "1h ago"},
      {day - second, "23h ago"},
      {day, "1d ago"},
      {60 * day, "60d ago"},
      {-59 * second, "in 59s"},
      {-3 * day, "in 3d"},
  };
  for (auto const& c : cases) CHECK(relative_time({now.micros - c.before}, now) == c.expected);
  CHECK(relative_time({now.micros - 61 * day}, now).size() == std::string("2026-09-23").size());
}

TEST_CASE("durations and sizes keep the digits that matter") {
  CHECK(short_duration(0) == "0ms");
  CHECK(short_duration(999) == "999ms");
  CHECK(short_duration(1000) == "1.0s");
  CHECK(short_duration(59'999) == "59.9s");
  CHECK(short_duration(60'000) == "1m 00s");
  CHECK(short_duration(3'599'999) == "59m 59s");
  CHECK(short_duration(7'500'000) == "2h 05m");
  CHECK(short_size(0) == "0 B");
  CHECK(short_size(1023) == "1023 B");
  CHECK(short_size(1024) == "1.0 KiB");
  CHECK(short_size(1024 * 1024 - 1) == "1.0 MiB");
  CHECK(short_size(UINT64_MAX) == "16.0 EiB");
}

TEST_CASE("a template names members") {
  struct {
    char const* text;
    char const* expected;
  } const cases[] = {
      {"{id}", "j1"},
      {"{id}: {owner.name}", "j1: Ada"},
      {"{none}{absent}|", "|"},
      {"{{id}}", "{id}"},
      {"{{{id}}}", "{j1}"},
      {"{id}\\t{n}\\n", "j1\t18446744073709551615\n"},
      {"{words}", R"(["a","b"])"},
      {"{tests.0.title}", "smoke"},
      {"\\x \\", "\\x \\"},
      {"", ""},
      {"äö{id}", "äöj1"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.text);
    CHECK(expanded(c.text, a_job) == c.expected);
  }
  for (auto const* const wrong : {"{", "{id", "a{id{", "}", "{id} }", "{}", "{{{id}}"}) {
    CAPTURE(wrong);
    CHECK_THROWS_AS(expanded(wrong, a_job), failure);
  }
}
