#include "outage.hpp"

namespace svc::test {
namespace {

TEST_CASE("both stores killed: alive, 503 in time, nobody let in by mistake; Redis back first changes nothing") {
  outage scene;
  auto dead = connections_of(scene.fleet, scene.gone);
  CHECK(whoami(dead) == "401 token_revoked");
  auto const redis = redis_origin(scene.fleet);
  auto const postgres = restarted_store::of(scene.fleet.dev().pid_of("postgres"));
  auto const check_dead = [&] {
    for (auto& connection : dead) {
      auto const got = connection.get("/api/auth/whoami");
      bool const refused = code_of(got) == "token_revoked" || code_of(got) == "unavailable";
      CHECK_MESSAGE(refused, got.body);
    }
  };
  kill_store(scene.fleet, "redis");
  kill_store(scene.fleet, "postgres");
  // Before a worker's breaker opens, its answers may already be 503, and then 200 once more.
  CHECK(limits_become(scene.fleet, "local", back_within, [&] { check_dead(), whoami(scene.connections); }));
  // Known tokens are accepted by what was read within the last second; then nothing proves them any more.
  CHECK(comes_true(
      [&] {
        check_dead();
        auto const said = whoami(scene.connections);
        bool const expected = said == "200" || said == "503 unavailable" || said == "200 | 503 unavailable";
        CHECK_MESSAGE(expected, said);
        return said == "503 unavailable";
      },
      back_within));
  for (auto& connection : scene.connections) {
    check_unavailable(connection, "GET", "/api/auth/whoami");
    check_unavailable(connection, "POST", "/api/cli-tokens", R"({"name":"n"})");
  }
  auto wrong = scene.subject.token;
  wrong.back() = wrong.back() == 'x' ? 'y' : 'x';
  auto bad = scene.fleet.client(1, wrong);
  CHECK(code_of(bad.get("/api/jobs")) == "invalid_token");
  check_lives(scene.fleet);
  CHECK(dependencies_become(scene.fleet, "degraded", back_within));

  // It is empty, so it proves no token.
  restarted_store const again(redis);
  auto const until = clock::now() + seconds(1);
  while (clock::now() < until) {
    check_dead();
    check_unavailable(scene.connections.front(), "GET", "/api/auth/whoami");
  }
  restarted_store const back(postgres);
  wait_for_postgres(scene.fleet);
  scene.check_recovers();
  CHECK(limits_become(scene.fleet, "shared", back_within, check_dead));
  CHECK(whoami(dead) == "401 token_revoked");
}

}  // namespace
}  // namespace svc::test
