// Redis answers, but refuses what decisions need: the service must not claim that limits are shared.
#include "faults.hpp"
#include "support/metrics_page.hpp"

namespace svc::test {
namespace {

constexpr milliseconds seen_within{5000};

bool logged(fleet& by, std::string const& first, std::string const& second) {
  return comes_true(
      [&] {
        auto const log = by.dev().process().err().text();
        auto const at = log.find(first);
        return at != std::string::npos && log.substr(at, log.find('\n', at) - at).find(second) != std::string::npos;
      },
      seen_within);
}

TEST_CASE(
    "a Redis user without a right of decisions makes limits local, visible everywhere, until it has the right") {
  fleet fleet(1, {"SVC_WORKERS=1", "SVC_REDIS_DEADLINE=500ms"});
  auto client = fleet.client(0, fleet.text("token"));
  auto const traffic = [&] { check_passes(client, seen_within); };
  REQUIRE(limits_become(fleet, "shared", seen_within, traffic));
  // The second right is only needed inside the script.
  for (std::string const right : {"evalsha", "lpush"}) {
    CAPTURE(right);
    REQUIRE(fleet.redis({"ACL", "SETUSER", "default", "-" + right}) == "OK");
    REQUIRE(limits_become(fleet, "local", seen_within, traffic));
    // The state lasts as long as the right is missing: later probes do not close the breaker.
    auto const until = clock::now() + seconds(1);
    while (clock::now() < until) {
      traffic();
      CHECK(limits_of(fleet, 0) == "local");
    }
    auto const page = body_of(fleet.pages(0).get("/readyz?verbose"));
    CHECK(text_of(page, "/dependencies") == "degraded");
    CHECK(text_of(page, "/workers/0/redisRefusal").find(right) != std::string::npos);
    CHECK(text_of(body_of(fleet.client(0).get("/api/health")), "/status") == "degraded");
    CHECK(logged(fleet, "Redis refuses this service", right));
    CHECK(logged(fleet, "Redis refuses this service", "svcd check-config --connect"));
    CHECK(greatest_of(fleet.pages(0).get("/metrics").body, "svc_redis_refusals_total{worker=\"0\"}") > 0);
    REQUIRE(fleet.redis({"ACL", "SETUSER", "default", "+" + right}) == "OK");
    REQUIRE(limits_become(fleet, "shared", seen_within, traffic));
    CHECK(text_of(body_of(fleet.client(0).get("/api/health")), "/status") == "ok");
  }
}

}  // namespace
}  // namespace svc::test
