// Commands of monitors whose exit code says what the service found, against answers that a test scripts.
#include "integration/cli/scripted_server.hpp"
#include "integration/cli/svc_user.hpp"

#include <doctest/doctest.h>

namespace svc::test {
namespace {

constexpr auto checked_monitor = "01934f2e-8888-7d3e-9b1f-5a2c8e4d6f70";
constexpr auto good_result =
    R"({"checkedAt":"2026-11-20T10:12:12.345Z","location":"local","status":"up","isUp":true,)"
    R"("degraded":false,"responseTimeMs":42,"attempts":1,"details":{"statusCode":200}})";
constexpr auto bad_result =
    R"({"checkedAt":"2026-11-20T10:12:12.345Z","location":"local","status":"down","isUp":false,)"
    R"("degraded":false,"responseTimeMs":null,"attempts":3,"details":{"error":{"code":"connect_refused",)"
    R"("message":"The port is closed."}}})";

std::string requested(std::string const& results) {
  return R"({"monitorId":")" + std::string(checked_monitor) + R"(","results":[)" + results + "]}";
}

}  // namespace

TEST_CASE("the result of a check or a test is shown, and the exit code says whether it is good") {
  std::string const path = std::string("POST /api/monitors/") + checked_monitor;
  struct {
    std::vector<std::string> words;
    int status;
    std::string answer;
    std::string line, body;  ///< of the request
    int code;
    std::string shown;  ///< a part of stdout; empty: all of it is
  } const cases[] = {
      {{"monitor", "check", checked_monitor},
       200,
       requested(good_result),
       path + "/check?wait=55",
       "",
       0,
       "Status\tup\n"},
      {{"monitor", "check", checked_monitor, "--wait", "5"},
       200,
       requested(bad_result),
       path + "/check?wait=5",
       "",
       1,
       "Error\tconnect_refused\n"},
      {{"monitor", "check", checked_monitor}, 202, requested(""), path + "/check?wait=55", "", 5, ""},
      {{"monitor", "check", checked_monitor, "--no-wait"}, 202, requested(""), path + "/check", "", 0, ""},
      {{"monitor", "test", "--type", "dns", "--target", "a.test"},
       200,
       good_result,
       "POST /api/monitors/test",
       R"({"type":"dns","target":"a.test","name":"svc monitor test"})",
       0,
       "Took (ms)\t42\n"},
      {{"monitor", "test", "--type", "dns", "--target", "a.test"},
       200,
       bad_result,
       "POST /api/monitors/test",
       R"({"type":"dns","target":"a.test","name":"svc monitor test"})",
       1,
       "Why\tThe port is closed.\n"},
      {{"monitor", "rotate-key", checked_monitor, "--grace", "1h"},
       200,
       R"({"id":"1","name":"backup","heartbeat":{"url":"https://svc.test/api/heartbeats/new"}})",
       path + "/rotate-key",
       R"({"graceSeconds":3600})",
       0,
       "Report at\thttps://svc.test/api/heartbeats/new\n"},
      {{"monitor", "rotate-key", checked_monitor},
       409,
       error_body("type_not_checkable"),
       path + "/rotate-key",
       "",
       1,
       ""},
  };
  for (auto const& c : cases) {
    CAPTURE(c.line);
    CAPTURE(c.code);
    scripted_server const server([&](received const&) { return whole_answer(c.status, c.answer); });
    std::vector<std::string> const environment{"SERVICE_URL=" + server.url(),
                                               "SERVICE_TOKEN=svc_live_0123456789ABCDEFGHIJKLMNOPQRSTUV0l3Q8O"};
    auto const got = run_svc({.arguments = c.words, .environment = environment});
    CAPTURE(got.err);
    CHECK(got.code == c.code);
    CHECK((c.shown.empty() ? got.out.empty() : has_text(got.out, c.shown)));
    REQUIRE_FALSE(server.requests().empty());
    CHECK(server.requests().front().line() == c.line + " HTTP/1.1");
    CHECK(server.requests().front().body == c.body);
    if (c.status > 202) continue;
    auto words = c.words;
    words.emplace_back("--json");
    auto const json = run_svc({.arguments = words, .environment = environment});
    CHECK(json.code == c.code);
    CHECK(json.out == c.answer + "\n");
  }
}

}  // namespace svc::test
