#include "outage.hpp"
#include "support/decisions.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>
#include <thread>

namespace svc::test {
namespace {

std::string revoked_token(fleet const& fleet, tenant const& tenant) {
  auto owner = fleet.client(0, tenant.token);
  auto const made = body_of(owner.post("/api/cli-tokens", R"({"name":"gone"})"));
  auto connections = connections_of(fleet, text_of(made, "/token/key"));
  CHECK(whoami(connections) == "200");
  CHECK(owner.del("/api/cli-tokens/" + text_of(made, "/token/id")).status == 204);
  return text_of(made, "/token/key");
}

TEST_CASE("without Redis: known and new tokens use local windows, refused ones stay refused, and Redis returns") {
  fleet fleet(2, default_deadlines);
  auto const tenant = fleet.make_tenant();
  auto connections = connections_of(fleet, tenant.token);
  CHECK(whoami(connections) == "200");
  auto const gone = revoked_token(fleet, tenant);
  auto dead = connections_of(fleet, gone);
  auto const origin = redis_origin(fleet);

  kill_store(fleet, "redis");
  CHECK(limits_become(fleet, "local", back_within, [&] {
    for (auto& connection : connections) check_passes(connection, answered_within);
  }));
  // This needs Redis least: PostgreSQL decides on a token that no worker has in memory.
  auto cold = connections_of(fleet, fleet.text("token"));
  for (auto& connection : cold) check_passes(connection, answered_within);
  // Workers may use data that they read within the last second.
  CHECK(comes_true([&] { return whoami(dead) == "401 token_revoked"; }, seconds(2)));
  auto token = tenant.token;
  token.back() = token.back() == 'x' ? 'y' : 'x';
  auto bad = fleet.client(1, token);
  CHECK(code_of(bad.get("/api/jobs")) == "invalid_token");
  check_lives(fleet);
  CHECK(dependencies_become(fleet, "degraded", back_within));

  restarted_store const back(origin);
  CHECK(limits_become(fleet, "shared", back_within, [&] {
    for (auto& connection : connections) check_passes(connection, answered_within);
  }));
  CHECK(whoami(dead) == "401 token_revoked");
}

TEST_CASE("SIGTERM: running requests finish, idle connections close, and the exit code is 0") {
  fleet fleet(2);
  auto const tenant = fleet.make_tenant();
  auto running = fleet.client(1, tenant.token);
  auto idle = fleet.client(1, tenant.token);
  CHECK(idle.get("/livez").status == 200);
  CHECK(fleet.pages(1).post("/debug/failpoints", "pipeline.before_handler=delay:2000").status == 200);
  answer got;
  std::thread request([&] { got = running.get("/api/auth/whoami"); });
  // The request was admitted, so it is on its way to the handler.
  REQUIRE(comes_true([&] { return !read_decisions(fleet.decision_log(), tenant.user_id, "cli").empty(); }, patience));
  auto const start = clock::now();
  fleet.process(1).signal(SIGTERM);
  request.join();
  CHECK(got.status == 200);
  CHECK(got.header("connection") == "close");
  CHECK(fleet.process(1).wait() == 0);
  CHECK(clock::now() - start < patience / 2);
  CHECK_THROWS_AS(idle.get("/livez"), std::runtime_error);
  auto other = fleet.client(0, tenant.token);
  CHECK(other.get("/api/auth/whoami").status == 200);
}

TEST_CASE("kill -9 of dev: its stores end with it and leave no process; another instance lives and ends cleanly") {
  fleet fleet(2);
  auto const store = restarted_store::of(fleet.dev().pid_of("postgres")).directory;
  auto const stores = std::filesystem::path(store).parent_path().string();
  CHECK(inhabitants(stores).size() > 2);
  fleet.process(0).kill();
  CHECK(comes_true([&] { return inhabitants(stores).empty(); }, patience));
  CHECK(fleet.client(1).get("/livez").status == 200);
  auto client = fleet.client(1, fleet.text("token"));
  CHECK(code_of(client.get("/api/jobs")) == "unavailable");
  CHECK(fleet.process(1).stop() == 0);
}

}  // namespace
}  // namespace svc::test
