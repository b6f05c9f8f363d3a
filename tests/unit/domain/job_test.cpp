#include "svc/domain/job.hpp"

#include <doctest/doctest.h>

namespace svc {
namespace {

TEST_CASE("which job runs which test") {
  struct {
    char const* test;
    char const* job;
  } const cases[] = {{"browser", "playwright"}, {"api", "playwright"}, {"database", "playwright"},
                     {"custom", "playwright"},  {"performance", "k6"}, {"command", "command"}};
  for (auto const& c : cases) CHECK(job_type_for(c.test) == c.job);
}

TEST_CASE("a job's tests exist, fit, and are listed once") {
  uuid const a = uuid::generate_v7();
  uuid const b = uuid::generate_v7();
  std::vector<known_test> const known{{a, "command"}, {b, "browser"}};
  struct {
    char const* name;
    std::vector<uuid> tests;
    std::vector<std::string> wrong;
  } const cases[] = {
      {"none", {}, {}},
      {"one", {a}, {}},
      {"unknown", {a, uuid::generate_v7()}, {"/tests/1/id"}},
      {"another type", {b}, {"/tests/0/id"}},
      {"twice", {a, a}, {"/tests/1/id"}},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    job_settings set{.name = "n", .job_type = "command", .tests = c.tests};
    auto const checked = check_job_tests(set, known);
    CHECK(checked.has_value() == c.wrong.empty());
    for (std::size_t i = 0; !checked && i < c.wrong.size(); ++i)
      CHECK(checked.error().details[i].field == c.wrong[i]);
  }
}

TEST_CASE("rules of a job that a schema cannot express") {
  uuid const a = uuid::generate_v7(), b = uuid::generate_v7();
  struct {
    char const* name;
    job_settings set;
    std::vector<std::string> parameters;
    std::string wrong;
  } const cases[] = {
      {"nothing", {.name = "n"}, {}, ""},
      {"a zone", {.name = "n", .time_zone = "Europe/Berlin"}, {}, ""},
      {"a zone that is none", {.name = "n", .time_zone = "Europe/Atlantis"}, {}, "/timeZone"},
      {"parameters", {.name = "n"}, {"A", "B"}, ""},
      {"one twice", {.name = "n"}, {"A", "B", "A"}, "/parameters/2/name"},
      {"providers", {.name = "n", .alert_providers = {a, b}}, {}, ""},
      {"one of them twice", {.name = "n", .alert_providers = {a, a}}, {}, "/alertConfig/notificationProviders/1"},
  };
  for (auto const& c : cases) {
    CAPTURE(c.name);
    auto const checked = check_job(c.set, c.parameters);
    CHECK((checked ? std::string() : checked.error().details.at(0).field) == c.wrong);
  }
}

TEST_CASE("only an enabled job with a schedule has a next run") {
  timestamp const now = *parse_rfc3339("2026-11-20T10:00:00Z");
  job_settings set{.name = "n", .cron_schedule = "0 12 * * *", .time_zone = "Europe/Berlin"};
  REQUIRE(next_run(set, now));
  CHECK(to_rfc3339(*next_run(set, now)) == "2026-11-20T11:00:00.000Z");
  set.enabled = false;
  CHECK_FALSE(next_run(set, now));
  set.enabled = true;
  set.cron_schedule.reset();
  CHECK_FALSE(next_run(set, now));
}

}  // namespace
}  // namespace svc
