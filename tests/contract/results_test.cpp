// Pages of a monitor's results, which nobody counts, and what narrows them.
#include "contract/contract_fixture.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

namespace json = boost::json;

TEST_CASE("a monitor's results: pages of unknown number, filters and sums") {
  contract_fixture s;
  auto const address = "/api/monitors/" + s.main().ids.at("monitors");
  auto const get = [&](std::string const& target) { return s.must(200, {"GET", target, s.main().token}); };
  auto const rows = [&](std::string const& query) { return get(address + "/results" + query).at("data").as_array(); };
  auto const all = rows("");
  REQUIRE(all.size() == 3);
  CHECK(all[0].at("status") == "down");
  CHECK(all[0].at("details").at("error").at("code") == "connect_refused");
  CHECK(all[1].at("isUp") == true);
  CHECK(rows("?status=up").size() == 2);
  CHECK(rows("?location=local").size() == 3);
  CHECK(rows("?date=2020-01-01").empty());
  CHECK(rows("?from=" + std::string(all[1].at("checkedAt").as_string())).size() == 2);
  CHECK(rows("?to=" + std::string(all[1].at("checkedAt").as_string())).size() == 1);

  // Walked by links, one at a time.
  std::vector<json::value> walked;
  auto next = address + "/results?limit=1";
  while (!next.empty()) {
    auto const got = s.send({"GET", next, s.main().token});
    REQUIRE(got.status == 200);
    auto const body = json::parse(got.body);
    walked.push_back(body.at("data").at(0));
    auto const& pagination = body.at("pagination").as_object();
    bool const more = pagination.at("hasNextPage").as_bool();
    CHECK(pagination.contains("totalIsEstimate") == more);
    CHECK(pagination.at("total").as_int64() >= static_cast<std::int64_t>(walked.size()) + (more ? 1 : 0));
    auto const link = got.header("Link").value_or("");
    auto const end = link.find(">; rel=\"next\"");
    CHECK((end != link.npos) == more);
    next.clear();
    if (!more) continue;
    auto const begin = link.rfind('<', end) + 1;
    auto const url = link.substr(begin, end - begin);
    next = url.substr(url.find("/api/"));
    CHECK(rows("?limit=1&page=" + std::to_string(walked.size() + 1)) ==
          json::parse(s.send({"GET", next, s.main().token}).body).at("data"));
  }
  CHECK(walked == std::vector<json::value>(all.begin(), all.end()));

  for (std::string const wrong : {"date=2026-02-30", "date=2026-02-20&from=2026-02-20T00:00:00Z", "location=mars"}) {
    CAPTURE(wrong);
    CHECK(s.send({"GET", address + "/results?" + wrong, s.main().token}).status == 400);
  }
  CHECK(get(address + "?recentResults=2").at("recentResults") == json::array(all.begin(), all.begin() + 2));
  s.sql().run(
      "UPDATE outages SET started_at = started_at - interval '10 s', detected_at = started_at, ended_at ="
      " started_at - interval '1 s', end_reason = 'recovered' WHERE monitor_id = $1",
      {s.main().ids.at("monitors")});
  auto const stats = get(address + "/stats?period=24h");
  CHECK(stats.at("totalChecks") == 3);
  CHECK(stats.at("successfulChecks") == 2);
  CHECK(stats.at("failedChecks") == 1);
  CHECK(stats.at("avgResponseTime") == 12);
  CHECK(stats.at("outages") == 1);
  CHECK(stats.at("uptimePercent").to_number<double>() == 95);
  CHECK(stats.at("downtimeSeconds") == 9);
  CHECK(stats.at("observedSeconds") == 180);
  CHECK(stats.at("periods").at("24h").at("totalChecks") == 3);
  CHECK(stats.at("periods").at("30d").at("totalChecks") == 3);
  auto const series = get(address + "/series");
  std::int64_t checks = 0;
  for (auto const& each : series.at("data").as_array()) checks += each.at("checks").as_int64();
  CHECK(checks == 3);
  CHECK(get(address + "/series?resolution=day").at("data").at(0).at("max") == 12);
  for (std::string const wrong :
       {"from=2026-02-20T00:00:00Z&to=2026-02-19T00:00:00Z", "from=2026-01-01T00:00:00Z&to=2026-02-19T00:00:00Z"}) {
    CAPTURE(wrong);
    CHECK(s.send({"GET", address + "/series?" + wrong, s.main().token}).status == 400);
  }
}

}  // namespace
}  // namespace svc::test
