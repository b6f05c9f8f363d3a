#include "api/resources.hpp"

#include <doctest/doctest.h>

#include <string>

namespace svc::api {
namespace {

namespace json = boost::json;

json::object shown_overview(store::overview const& overview) {
  return json::parse(http::written(overview_json, overview)).as_object();
}

std::string values_of_overview(store::overview const& overview) {
  http::json_text values(http::json_form::values);
  overview_json(values, overview);
  return values.take();
}

constexpr timestamp overview_noon{1'764'331'200'000'000};

TEST_CASE("a success rate has four decimals, is rounded down, and is 1 only if all passed") {
  struct {
    std::int64_t passed, runs;
    char const* rate;
  } const cases[] = {{0, 1, "0.0000"},    {1, 1, "1.0000"},     {1, 3, "0.3333"},   {2, 3, "0.6666"},
                     {99, 100, "0.9900"}, {100, 100, "1.0000"}, {1, 100, "0.0100"}, {31, 32, "0.9687"}};
  for (auto const& c : cases) {
    CAPTURE(c.passed);
    CAPTURE(c.runs);
    CHECK(success_rate(c.passed, c.runs) == c.rate);
  }
}

TEST_CASE("an empty overview leaves out what nobody knows") {
  auto const empty =
      shown_overview({.last_day = store::sum_of_runs({}, overview_noon, 10'001), .as_of = overview_noon});
  CHECK(empty.at("jobs").as_array().empty());
  CHECK(empty.at("queue") == json::value({{"queued", 0}, {"running", 0}}));
  auto const& hours = empty.at("last24h").at("hours").as_array();
  REQUIRE(hours.size() == 24);
  CHECK(hours.front().at("start") == "2025-11-27T12:00:00.000Z");
  CHECK(hours.back().at("start") == "2025-11-28T11:00:00.000Z");
  CHECK(empty.at("openOutages") == 0);
  CHECK(empty.at("asOf") == "2025-11-28T12:00:00.000Z");
}

TEST_CASE("a job is shown with its statistics, and without them if it never ended a run") {
  store::overview const overview{
      .jobs = {{.name = "nightly",
                .status = "failed",
                .next_run_at = overview_noon,
                .runs = 3,
                .passed = 2,
                .median_ms = 1500,
                .last_statuses = {"failed", "passed", "passed"}},
               {.name = "new", .status = "pending"},
               {.name = "broken", .status = "error", .runs = 1, .last_statuses = {"error"}}}};
  auto const jobs = shown_overview(overview).at("jobs").as_array();
  CHECK(jobs[0].at("successRate").as_double() == doctest::Approx(0.6666));
  CHECK(jobs[0].at("medianMs") == 1500);
  CHECK(jobs[0].at("lastStatuses").as_array().size() == 3);
  CHECK(jobs[0].at("nextRunAt") == "2025-11-28T12:00:00.000Z");
  auto const& fresh = jobs[1].as_object();
  for (char const* absent : {"successRate", "medianMs", "nextRunAt"}) CHECK_FALSE(fresh.contains(absent));
  CHECK(fresh.at("lastStatuses").as_array().empty());
  CHECK(jobs[2].at("successRate") == 0.0);
  CHECK_FALSE(jobs[2].as_object().contains("medianMs"));
}

TEST_CASE("counts of runs are summed by status and by hour, and hours are left out at a bound") {
  std::vector<store::counted_runs_of_hour> counts{{"passed", "remote", 1, 4},     {"passed", "manual", 24, 5},
                                                  {"failed", "remote", 24, 2},    {"timed_out", "schedule", 24, 1},
                                                  {"cancelled", "remote", 24, 3}, {"error", "remote", 2, 6}};
  auto const day = store::sum_of_runs(counts, overview_noon, 10);
  CHECK(day.passed == 9);
  CHECK(day.failed == 2);
  CHECK(day.error == 6);
  CHECK(day.timed_out == 1);
  CHECK(day.cancelled == 3);
  CHECK_FALSE(day.at_least);
  REQUIRE(day.hours.size() == 24);
  CHECK(day.hours[0].passed == 4);
  CHECK(day.hours[1].not_passed == 6);
  CHECK(day.hours[23].passed == 5);
  CHECK(day.hours[23].not_passed == 6);

  // A bound is that of one status and trigger, over all hours.
  counts.push_back({"passed", "remote", 7, 5});
  CHECK_FALSE(store::sum_of_runs(counts, overview_noon, 10).at_least);
  counts.push_back({"passed", "remote", 8, 1});
  auto const full = store::sum_of_runs(counts, overview_noon, 10);
  CHECK(full.at_least);
  CHECK(full.hours.empty());
  CHECK_FALSE(shown_overview({.last_day = full}).at("last24h").as_object().contains("hours"));
}

TEST_CASE("an overview that differs only in its times has the same tag") {
  store::overview overview{.last_day = store::sum_of_runs({{"passed", "remote", 3, 1}}, overview_noon, 10),
                           .as_of = overview_noon};
  auto const tag = values_of_overview(overview);
  store::overview later{
      .last_day = store::sum_of_runs({{"passed", "remote", 3, 1}}, {overview_noon.micros + 5'000'000}, 10),
      .as_of = {overview_noon.micros + 5'000'000}};
  CHECK(values_of_overview(later) == tag);
  later.open_outages = 1;
  CHECK(values_of_overview(later) != tag);
}

TEST_CASE("a list of ids has ids and commas, and nothing else") {
  std::string const a = "01934f2e-7c1a-7d3e-9b1f-5a2c8e4d6f70", b = "01934F2E-7C1A-7D3E-9B1F-5A2C8E4D6F71";
  CHECK(monitor_ids_in(a).value().size() == 1);
  CHECK(monitor_ids_in(a + "," + b).value().size() == 2);
  for (auto const& wrong :
       {std::string(), a + ",", "," + a, a + ", " + b, a + ";" + b, a.substr(1), std::string("x")}) {
    CAPTURE(wrong);
    auto const read = monitor_ids_in(wrong);
    REQUIRE_FALSE(read.has_value());
    CHECK(read.error().code == errc::validation_failed);
    CHECK(read.error().details.at(0).field == "ids");
  }
}

}  // namespace
}  // namespace svc::api
