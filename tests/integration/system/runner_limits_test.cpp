// The cost that one runner token can cause for an instance, and the capacity that it leaves to others.
#include "integration/system/jobs.hpp"
#include "integration/system/runner.hpp"

#include "support/comes_true.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <list>
#include <optional>
#include <stdexcept>
#include <thread>

namespace svc::test {
namespace {

struct narrow_fixture {
  explicit narrow_fixture(std::string const& more)
      : service(fleet.dev(), more + both_kinds),
        user("https://" + service.address(0), fleet.text("caFile"), tenant.token),
        job(make_job(user)) {}

  std::string token(std::string const& project) {
    return text_of(fleet.admin({"create-runner", "--project", project, "--name", "r" + std::to_string(++names)}),
                   "/key");
  }
  runner_client runner(std::string const& secret) {
    return {"https://" + service.address(1), fleet.text("caFile"), secret};
  }

  class fleet& fleet = shared_fleet();
  tenant tenant = fleet.make_tenant();
  configured_service service;
  api_client user;
  std::string job;
  int names = 0;
};

TEST_CASE("claims in a loop are refused by their class, and heartbeats, results and other tokens pass") {
  narrow_fixture fixture("limits.claim.limit = 5\nlimits.runner.limit = 12\n");
  auto greedy = fixture.runner(fixture.token(fixture.tenant.project));
  REQUIRE(greedy.enroll().status == 200);
  auto const run = text_of(body_of(fixture.user.post(trigger_path(fixture.job))), "/data/runId");
  auto const claims = claims_of(greedy.claim(5));
  REQUIRE(claims.size() == 1);
  int admitted = 0;
  for (int i = 0; i < 10; ++i) {
    auto const got = greedy.claim();
    admitted += got.status == 200 ? 1 : 0;
    if (got.status == 200) continue;
    CHECK(got.status == 429);
    CHECK(code_of(got) == "rate_limited");
    CHECK(got.header("ratelimit-policy") == "\"claim\";q=5;w=60");
    CHECK(got.number("retry-after") >= 1);
  }
  // This includes the registration and the first claim.
  CHECK(admitted == 3);
  auto const kept = greedy.heartbeat(claims.front());
  CHECK(kept.status == 200);
  CHECK(kept.header("ratelimit-policy") == "\"runner\";q=12;w=60");
  auto const neighbour = fixture.fleet.make_tenant();
  auto other = fixture.runner(fixture.token(neighbour.project));
  CHECK(other.enroll().status == 200);
  CHECK(other.claim().status == 200);
  CHECK(greedy.complete(claims.front(), "passed").status == 204);
  CHECK(text_of(body_of(fixture.user.get("/api/runs/" + run + "/status")), "/status") == "passed");
  // Refused claims did not count: 5 + 2 so far.
  for (int i = 0; i < 5; ++i) CHECK(greedy.heartbeat(claims.front()).status == 409);
  auto const full = greedy.heartbeat(claims.front());
  CHECK(full.status == 429);
  CHECK(full.header("ratelimit-policy") == "\"runner\";q=12;w=60");
}

/// Returns the answer to one request on a new connection; nothing if the service closed the connection to make room.
std::optional<answer> ask_once(std::function<answer()> const& ask) {
  try {
    return ask();
  } catch (std::runtime_error const&) {
    return std::nullopt;
  }
}

/// Waits for work on a separate connection, one claim after another, until `over` is true.
void wait_for_work(narrow_fixture& fixture, std::string const& secret, std::string const& name,
                   std::atomic<bool> const& over) {
  while (!over) {
    auto const got = ask_once([&] {
      auto client = fixture.runner(secret);
      auto enrolled = client.enroll(name);
      while (!over && enrolled.status == 200 && client.claim(3).status == 200) {
      }
      return enrolled;
    });
    if (!got || got->status != 200) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
}

TEST_CASE("when all connections are busy with claims, a heartbeat is served on a reserved one, and a claim is not") {
  constexpr int connections = 4;
  narrow_fixture fixture("workers = 1\nhttp.connections = " + std::to_string(connections) +
                         "\nhttp.reserved_connections = 4\n");
  auto const secret = fixture.token(fixture.tenant.project);
  std::string id;
  boost::json::array claims;
  {
    auto holder = fixture.runner(secret);
    REQUIRE(holder.enroll().status == 200);
    REQUIRE(fixture.user.post(trigger_path(fixture.job)).status == 202);
    claims = claims_of(holder.claim(5));
    id = holder.id();
  }
  REQUIRE(claims.size() == 1);
  std::atomic<bool> over{false};
  std::list<std::thread> waiting;
  for (int i = 0; i < connections; ++i)
    waiting.emplace_back(wait_for_work, std::ref(fixture), std::cref(secret), "waits " + std::to_string(i),
                         std::cref(over));
  boost::json::object const claim{{"executorId", id}, {"labels", {"command"}}, {"max", 1}, {"waitSeconds", 0}};
  bool const refused = comes_true(
      [&] {
        auto const got = ask_once([&] { return fixture.runner(secret).post("claim", claim); });
        return got && got->status == 503 && code_of(*got) == "overloaded";
      },
      std::chrono::seconds(10), std::chrono::milliseconds(10));
  CHECK(refused);
  // The service may close a connection to make room for the next one, and a place may be free for a moment. So one
  // try may not be enough.
  std::optional<answer> kept, ended;
  CHECK(comes_true(
      [&] {
        kept = ask_once([&] { return fixture.runner(secret).heartbeat(claims.front()); });
        return kept && kept->status == 200 && kept->header("connection") == "close";
      },
      std::chrono::seconds(5)));
  CHECK(comes_true(
      [&] {
        ended = ask_once([&] { return fixture.runner(secret).complete(claims.front(), "passed"); });
        return ended.has_value();
      },
      std::chrono::seconds(5)));
  CHECK((ended && ended->status == 204));
  over = true;
  for (auto& thread : waiting) thread.join();
}

}  // namespace
}  // namespace svc::test
