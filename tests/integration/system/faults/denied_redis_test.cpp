// Redis answers, but refuses what decisions need: the service must not claim that limits are shared.
#include "faults.hpp"
#include "support/free_port.hpp"
#include "support/metrics_page.hpp"
#include "support/private_redis.hpp"

#include <sstream>

namespace svc::test {
namespace {

constexpr milliseconds denied_within{5000};

bool has_logged_denial(fleet& fleet, std::string const& first, std::string const& second) {
  return comes_true(
      [&] {
        std::istringstream log(fleet.dev().process().err().text());
        for (std::string line; std::getline(log, line);)
          if (line.find(first) != std::string::npos && line.find(second) != std::string::npos) return true;
        return false;
      },
      denied_within);
}

TEST_CASE(
    "a Redis user without a right of decisions makes limits local, visible everywhere, until it has the right") {
  fleet fleet(1, {"SVC_WORKERS=1", "SVC_REDIS_DEADLINE=500ms"});
  auto client = fleet.client(0, fleet.text("token"));
  auto const traffic = [&] { check_passes(client, denied_within); };
  REQUIRE(limits_become(fleet, "shared", denied_within, traffic));
  struct {
    std::string right, said;
  } const cases[] = {{"evalsha", "'evalsha'"},
                     // Only the script needs this one.
                     {"lpush", "script"}};
  for (auto const& c : cases) {
    auto const& right = c.right;
    CAPTURE(right);
    REQUIRE(fleet.redis({"ACL", "SETUSER", "default", "-" + right}) == "OK");
    REQUIRE(limits_become(fleet, "local", denied_within, traffic));
    // The state lasts as long as the right is missing: later probes do not close the breaker.
    auto const until = clock::now() + seconds(1);
    while (clock::now() < until) {
      traffic();
      CHECK(limits_of(fleet, 0) == "local");
    }
    auto const page = body_of(fleet.pages(0).get("/readyz?verbose"));
    CHECK(text_of(page, "/dependencies") == "degraded");
    CHECK(text_of(page, "/workers/0/redisRefusal").find(c.said) != std::string::npos);
    CHECK(text_of(body_of(fleet.client(0).get("/api/health")), "/status") == "degraded");
    CHECK(has_logged_denial(fleet, "Redis refuses this service", c.said));
    CHECK(has_logged_denial(fleet, "Redis refuses this service", "svcd check-config --connect"));
    CHECK(greatest_of(fleet.pages(0).get("/metrics").body, "svc_redis_refusals_total{worker=\"0\"}") > 0);
    REQUIRE(fleet.redis({"ACL", "SETUSER", "default", "+" + right}) == "OK");
    REQUIRE(limits_become(fleet, "shared", denied_within, traffic));
    CHECK(text_of(body_of(fleet.client(0).get("/api/health")), "/status") == "ok");
  }
}

/// An instance on the stores of the fleet, but with another Redis.
std::unique_ptr<service> instance_with_redis(std::string const& url, std::string const& admin) {
  auto& fleet = shared_fleet();
  return std::make_unique<service>(std::vector<std::string>{"serve", "--config", fleet.text("configFile"), "--listen",
                                                            "127.0.0.1:0", "--admin", admin},
                                   std::vector<std::string>{"SVC_REDIS_URL=" + url, "SVC_WORKERS=1"});
}

TEST_CASE("an instance that does not reach Redis at its start names the address and the reason, not PostgreSQL") {
  auto const nobody = "127.0.0.1:" + std::to_string(free_port());
  auto const admin = "127.0.0.1:" + std::to_string(free_port());
  auto const instance = instance_with_redis("redis://" + nobody, admin);
  auto const sentence = "waiting for Redis at " + nobody + ": connect: Connection refused";
  instance->wait_error_line(sentence + "\"");
  CHECK(text_of(body_of(api_client("http://" + admin, {}, {}).get("/readyz?verbose")), "/waiting") == sentence);
}

TEST_CASE("a login that Redis refuses is logged with the words of Redis and advice") {
  private_redis const redis({.tcp = true});
  REQUIRE(redis.ask({"ACL", "SETUSER", "other", "on", ">right", "~*", "&*", "+@all"}) == "OK");
  auto const instance = instance_with_redis("redis://other:wrong@127.0.0.1:" + redis.port(),
                                            "127.0.0.1:" + std::to_string(free_port()));
  auto const line = instance->wait_error_line("Redis refuses this service");
  CHECK(line.find("WRONGPASS") != std::string::npos);
  CHECK(line.find("set redis.username and redis.password") != std::string::npos);
  instance->wait_error_line("waiting for Redis at 127.0.0.1:" + redis.port() + ": AUTH: WRONGPASS");
}

}  // namespace
}  // namespace svc::test
